// stacks.c: see stacks.h.
#include "cli/stacks.h"

#include "cli/stacktree.h"

#include <stdlib.h>

#define LINES_SHOWN 40
#define INDENT_MAX 24

static void place_text(struct out *out, const char *function, const char *file,
		       uint32_t line, bool inlined)
{
	out_name(out, function && *function ? function : "?");
	if (file && *file) {
		out_text(out, "  ");
		out_name(out, file);
		if (line)
			out_printf(out, ":%" PRIu32, line);
	}
	out_text(out, inlined ? "  (inlined)\n" : "\n");
}

void stack_frame_text(struct out *out, const struct heap_frame *frame)
{
	place_text(out, frame->function, frame->file, frame->line,
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

// struct print is a walk through the tree. Shape: next[d] is the place in
// order of the next node at depth d + 1, left[d] how many follow; indent[d]
// is how far its siblings are moved in.
struct print {
	struct out *out;
	uint32_t next[2 * STACK_END + 2], left[2 * STACK_END + 2];
	uint32_t indent[2 * STACK_END + 2];
	uint64_t lines, max;
};

// node_text prints one frame; a chain of frames that all the same goroutines
// share has its count once, and no new indent.
static void node_text(struct print *p, const struct stack_node *n,
		      bool is_chain, uint32_t indent)
{
	if (p->lines++ >= p->max)
		return;
	out_printf(p->out, "%9s  ", is_chain ? "" : word_count(n->count).at);
	out_pad(p->out, 2 * (size_t)(indent < INDENT_MAX ? indent :
							   INDENT_MAX));
	place_text(p->out, n->frame.function, n->frame.file, n->frame.line,
		   n->frame.inlined);
}

static void tree_text(struct print *p, const struct stacktree *tree)
{
	const struct stack_node *nodes = tree->nodes.at;
	uint32_t depth = 0;
	p->next[0] = nodes[0].first_child;
	p->left[0] = nodes[0].n_children;
	p->indent[0] = 0;
	for (;;) {
		if (p->left[depth] == 0) {
			if (depth-- == 0)
				return;
			continue;
		}
		p->left[depth]--;
		const struct stack_node *n = &nodes[tree->order[p->next[depth]++]];
		bool is_chain = depth > 0 &&
				nodes[n->parent].count == n->count;
		node_text(p, n, is_chain, p->indent[depth]);
		if (n->n_children == 0)
			continue;
		depth++;
		p->next[depth] = n->first_child;
		p->left[depth] = n->n_children;
		p->indent[depth] = p->indent[depth - 1] +
				   (n->n_children > 1);
	}
}

static enum hc group_text(struct session *s, const struct stacktree *tree)
{
	struct print *p = pool_new(&s->pool, struct print, 1);
	if (!p)
		return hc_nomem(&s->err);
	p->out = s->out;
	p->max = option_given(&s->o, TOP) ? s->o.top : LINES_SHOWN;
	out_printf(s->out, "%s goroutine%s, %s different stack%s; the "
		   "outermost call first\n\n",
		   word_count(tree->members.n).at,
		   tree->members.n == 1 ? "" : "s",
		   word_count(tree->n_stacks).at,
		   tree->n_stacks == 1 ? "" : "s");
	tree_text(p, tree);
	if (p->lines > p->max)
		out_printf(s->out, "… %s more lines (-n all shows them)\n",
			   word_count(p->lines - p->max).at);
	return HC_OK;
}

static void group_json(struct json *j, const struct stacktree *tree,
		       const struct stack_member *first)
{
	const struct stack_node *nodes = tree->nodes.at;
	const struct stack_member *end = tree->members.at + tree->members.n;
	json_open(j, NULL, '{');
	json_u64(j, "count", nodes[first->node].ended);
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
	uint64_t cx = tree->nodes.at[x->node].ended;
	uint64_t cy = tree->nodes.at[y->node].ended;
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

enum hc stacks_group(struct session *s, struct owners *owners)
{
	struct stacktree tree;
	HC_TRY(stacktree_build(s, owners, &tree));
	return s->o.json ? groups_json(s, &tree) : group_text(s, &tree);
}
