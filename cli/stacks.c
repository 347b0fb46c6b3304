// stacks.c: see stacks.h.
#include "cli/stacks.h"

#include "cli/stacktree.h"

#include <stdio.h>
#include <stdlib.h>

#define LINES_SHOWN 40

void stack_frame_text(struct out *out, const struct heap_frame *frame)
{
	stack_place_text(out, frame->function, frame->file, frame->line,
			 frame->inlined);
}

void stack_frame_json(struct json *j, const struct heap_frame *frame)
{
	json_open(j, NULL, '{');
	json_text(j, "function", frame->function);
	json_text(j, "file", frame->file);
	json_u64(j, "line", frame->line);
	json_addr(j, "pc", frame->pc);
	json_addr(j, "sp", frame->sp);
	json_addr(j, "fp", frame->fp);
	json_bool(j, "inlined", frame->inlined);
	json_close(j, '}');
}

void stack_json(struct json *j, const struct heap_frame *frames, uint32_t n)
{
	json_open(j, "stack", '[');
	for (uint32_t i = 0; i < n; i++) {
		json_open(j, NULL, '{');
		json_text(j, "function", frames[i].function);
		json_text(j, "file", frames[i].file);
		json_u64(j, "line", frames[i].line);
		json_bool(j, "inlined", frames[i].inlined);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void count_text(struct out *out, const struct stack_node *node)
{
	out_printf(out, "%9s  ", node ? word_count(node->value[0]).at : "");
}

static enum hc group_text(struct session *s, const struct stacktree *tree)
{
	out_printf(s->out, "%s goroutine%s, %s different stack%s; the "
		   "outermost call first\n\n",
		   word_count(tree->members.n).at,
		   tree->members.n == 1 ? "" : "s",
		   word_count(tree->n_stacks).at,
		   tree->n_stacks == 1 ? "" : "s");
	return stacktree_text(s, tree, option_given(&s->o, TOP) ? s->o.top :
								  LINES_SHOWN,
			      count_text);
}

static void group_json(struct json *j, const struct stacktree *tree,
		       const struct stack_member *first)
{
	const struct stack_node *nodes = tree->nodes.at;
	const struct stack_member *end = tree->members.at + tree->members.n;
	json_open(j, NULL, '{');
	json_u64(j, "count", nodes[first->node].n_ended);
	json_text(j, "state", nodes[first->node].frame.function);
	json_open(j, "ids", '[');
	for (const struct stack_member *m = first;
	     m < end && m->node == first->node; m++)
		json_u64(j, NULL, m->id);
	json_close(j, ']');
	json_open(j, "frames", '[');
	for (uint32_t i = nodes[first->node].parent; i; i = nodes[i].parent) {
		const struct stack_frame *f = &nodes[i].frame;
		json_open(j, NULL, '{');
		json_text(j, "function", f->function);
		json_text(j, "file", f->file);
		json_u64(j, "line", f->line);
		json_bool(j, "inlined", f->inlined);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const struct stacktree *tree = ctx;
	const struct stack_member *x = &tree->members.at[*(const uint64_t *)a];
	const struct stack_member *y = &tree->members.at[*(const uint64_t *)b];
	uint64_t cx = tree->nodes.at[x->node].n_ended;
	uint64_t cy = tree->nodes.at[y->node].n_ended;
	if (cx != cy)
		return cx > cy ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static enum hc groups_json(struct session *s, struct stacktree *tree)
{
	struct json j;
	uint64_t n = 0, *groups = pool_new(&s->pool, uint64_t, tree->n_stacks);
	if (!groups)
		return hc_nomem(&s->err);
	for (uint64_t i = 0; i < tree->members.n; i++)
		if (i == 0 || tree->members.at[i].node !=
				      tree->members.at[i - 1].node)
			groups[n++] = i;
	qsort_r(groups, n, sizeof(*groups), compare_groups, tree);
	json_begin(&j, s->out);
	json_open(&j, "groups", '[');
	for (uint64_t i = 0; i < n && i < session_rows(s); i++)
		group_json(&j, tree, &tree->members.at[groups[i]]);
	json_close(&j, ']');
	json_end(&j);
	return HC_OK;
}

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	return stack_push(ctx, f->function, f->file, f->line, f->inlined);
}

// struct gather puts owners into a tree.
struct gather {
	struct session *s;
	struct stack_builder *b;
};

static bool on_owner(void *ctx, const struct heap_owner *o)
{
	static const uint64_t one[STACK_VALUES] = { 1 };
	struct gather *g = ctx;
	const char *why = o->wait_reason && *o->wait_reason ? o->wait_reason :
							      o->status;
	char state[128];
	snprintf(state, sizeof(state), "[%s]", why ? why : "?");
	stack_push(g->b, state, NULL, 0, false);
	g->s->reader->frames(g->s->self, o->index, on_frame, g->b);
	return stack_end(g->b, one, o->id);
}

enum hc stacks_group(struct session *s, struct owners *owners)
{
	struct stacktree tree;
	struct gather g = { .s = s };
	HC_TRY(stacktree_begin(s, &tree, &g.b));
	owners_each(owners, on_owner, &g);
	HC_TRY(stacktree_finish(g.b));
	return s->o.folded ? stacktree_folded(s, &tree, 0) :
	       s->o.json   ? groups_json(s, &tree) :
			     group_text(s, &tree);
}
