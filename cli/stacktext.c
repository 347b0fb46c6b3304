// stacktext.c: see stacktree.h: a tree of stacks for people and flame graphs.
#include "cli/stacktree.h"

#include <stdlib.h>
#include <string.h>

#define INDENT_MAX 24

void stack_place_text(struct out *out, const char *function, const char *file,
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

// struct print is a walk through the tree. Shape: next[d] is the place in
// order of the next node at depth d + 1, left[d] how many follow; indent[d]
// is how far its siblings are moved in.
struct print {
	struct out *out;
	stack_numbers_fn *numbers;
	const struct stacktree *tree;
	const bool *shown;
	uint32_t next[2 * STACK_END + 2], left[2 * STACK_END + 2];
	uint32_t indent[2 * STACK_END + 2];
};

// node_text prints one frame; a chain of frames that all the same stacks
// share has its numbers once, and no new indent.
static void node_text(struct print *p, const struct stack_node *n,
		      bool is_chain, uint32_t indent)
{
	p->numbers(p->out, is_chain ? NULL : n);
	out_pad(p->out, 2 * (size_t)(indent < INDENT_MAX ? indent :
							   INDENT_MAX));
	stack_place_text(p->out, n->frame.function, n->frame.file,
			 n->frame.line, n->frame.inlined);
}

// enter makes the children of a node the next ones, those that are shown;
// they come first, having the largest values.
static void enter(struct print *p, const struct stack_node *n, uint32_t depth)
{
	const struct stacktree *tree = p->tree;
	p->next[depth] = n->first_child;
	p->left[depth] = 0;
	while (p->left[depth] < n->n_children &&
	       p->shown[tree->order[n->first_child + p->left[depth]]])
		p->left[depth]++;
	p->indent[depth] = depth ? p->indent[depth - 1] + (n->n_children > 1) :
				   0;
}

static void tree_text(struct print *p)
{
	const struct stack_node *nodes = p->tree->nodes.at;
	uint32_t depth = 0;
	enter(p, &nodes[0], 0);
	for (;;) {
		if (p->left[depth] == 0) {
			if (depth-- == 0)
				return;
			continue;
		}
		p->left[depth]--;
		const struct stack_node *n =
			&nodes[p->tree->order[p->next[depth]++]];
		bool is_chain = depth > 0 &&
				memcmp(nodes[n->parent].value, n->value,
				       sizeof(n->value)) == 0;
		node_text(p, n, is_chain, p->indent[depth]);
		if (n->n_children)
			enter(p, n, ++depth);
	}
}

// struct rank is a place in order, for choosing. A parent has at least the
// value of each child, and a smaller depth.
static int compare_ranks(const void *a, const void *b, void *ctx)
{
	const struct stacktree *tree = ctx;
	uint32_t x = tree->order[*(const uint32_t *)a];
	uint32_t y = tree->order[*(const uint32_t *)b];
	const struct stack_node *nx = &tree->nodes.at[x];
	const struct stack_node *ny = &tree->nodes.at[y];
	for (unsigned i = 0; i < STACK_VALUES; i++)
		if (nx->value[i] != ny->value[i])
			return nx->value[i] > ny->value[i] ? -1 : 1;
	if (nx->depth != ny->depth)
		return nx->depth < ny->depth ? -1 : 1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

// choose marks the max nodes of the largest values.
static enum hc choose(struct session *s, const struct stacktree *tree,
		      uint64_t max, bool *shown)
{
	uint64_t n = tree->nodes.n - 1;
	if (max >= n) {
		memset(shown, true, n + 1);
		return HC_OK;
	}
	uint32_t *rank = pool_new(&s->pool, uint32_t, n);
	if (!rank)
		return hc_nomem(&s->err);
	for (uint64_t i = 0; i < n; i++)
		rank[i] = (uint32_t)i;
	qsort_r(rank, n, sizeof(*rank), compare_ranks, (void *)(uintptr_t)tree);
	for (uint64_t i = 0; i < max; i++)
		shown[tree->order[rank[i]]] = true;
	return HC_OK;
}

enum hc stacktree_text(struct session *s, const struct stacktree *tree,
		       uint64_t max, stack_numbers_fn *numbers)
{
	uint64_t n = tree->nodes.n - 1;
	struct print *p = pool_new(&s->pool, struct print, 1);
	bool *shown = pool_new(&s->pool, bool, n + 1);
	if (!p || !shown)
		return hc_nomem(&s->err);
	HC_TRY(choose(s, tree, max, shown));
	p->out = s->out;
	p->numbers = numbers;
	p->tree = tree;
	p->shown = shown;
	tree_text(p);
	if (n > max)
		out_printf(s->out, "… %s more lines (-n all shows them)\n",
			   word_count(n - max).at);
	return HC_OK;
}

// folded_name writes a function's name without what separates names there.
static void folded_name(struct session *s, const char *name)
{
	char *mark = pool_mark(&s->scratch);
	char *copy = pool_copy(&s->scratch, name, strlen(name));
	for (char *c = copy; c && *c; c++)
		if (*c == ';')
			*c = ',';
	out_name(s->out, copy && *copy ? copy : "?");
	pool_rewind(&s->scratch, mark);
}

enum hc stacktree_folded(struct session *s, const struct stacktree *tree,
			 unsigned value)
{
	const struct stack_node *nodes = tree->nodes.at;
	for (uint64_t i = 0; i + 1 < tree->nodes.n; i++) {
		uint32_t path[2 * STACK_END + 2], at = tree->order[i], n = 0;
		uint64_t ended = nodes[at].ended[value];
		for (; at && ended; at = nodes[at].parent)
			path[n++] = at;
		while (n-- > 0) {
			folded_name(s, nodes[path[n]].frame.function);
			out_text(s->out, n ? ";" : " ");
		}
		if (ended)
			out_printf(s->out, "%" PRIu64 "\n", ended);
		if (out_stopped(s->out))
			break;
	}
	return HC_OK;
}
