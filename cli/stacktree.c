// stacktree.c: see stacktree.h: putting stacks in.
#include "cli/stacktree.h"

#include "cli/intern.h"

#include <stdlib.h>
#include <string.h>

// struct stack_builder is the tree while it grows.
// Shape: table finds a node by parent and frame; 0 is free (the root is
//        nobody's child). inner holds a stack's first frames, outer the last
//        ones in a ring.
struct stack_builder {
	struct session *s;
	struct stacktree *tree;
	struct interned names;
	uint32_t *table;
	uint64_t cap;
	struct stack_frame inner[STACK_END], outer[STACK_END];
	uint64_t n_frames;
	bool nomem;
};

static bool same_frame(const struct stack_frame *a, const struct stack_frame *b)
{
	return a->function == b->function && a->file == b->file &&
	       a->line == b->line && a->inlined == b->inlined;
}

// find_place returns where in the table the frame below parent is or belongs.
static uint32_t *find_place(const struct stack_builder *b, uint32_t parent,
			    const struct stack_frame *frame)
{
	uint64_t hash = hash_mix(parent, (uintptr_t)frame->function);
	hash = hash_mix(hash, (uintptr_t)frame->file);
	hash = hash_mix(hash, frame->line * 2u + frame->inlined);
	for (uint64_t i = hash & (b->cap - 1);; i = (i + 1) & (b->cap - 1)) {
		const struct stack_node *n = &b->tree->nodes.at[b->table[i]];
		if (!b->table[i] || (n->parent == parent &&
				     same_frame(&n->frame, frame)))
			return &b->table[i];
	}
}

static bool grow_table(struct stack_builder *b)
{
	b->cap = b->cap ? 2 * b->cap : 1024;
	b->table = pool_new(&b->s->pool, uint32_t, b->cap);
	for (uint64_t i = 1; b->table && i < b->tree->nodes.n; i++) {
		const struct stack_node *n = &b->tree->nodes.at[i];
		*find_place(b, n->parent, &n->frame) = (uint32_t)i;
	}
	return b->table != NULL;
}

// child returns the node of frame below parent, or 0 when memory is short.
static uint32_t child(struct stack_builder *b, uint32_t parent,
		      const struct stack_frame *frame)
{
	if (b->tree->nodes.n > UINT32_MAX / 2 ||
	    (2 * b->tree->nodes.n >= b->cap && !grow_table(b)))
		return 0;
	uint32_t *place = find_place(b, parent, frame);
	if (*place)
		return *place;
	struct stack_node *node = vec_push(&b->s->pool, &b->tree->nodes);
	if (!node)
		return 0;
	node->frame = *frame;
	node->parent = parent;
	node->depth = b->tree->nodes.at[parent].depth + 1;
	b->tree->nodes.at[parent].n_children++;
	*place = (uint32_t)(b->tree->nodes.n - 1);
	return *place;
}

bool stack_push(struct stack_builder *b, const char *function,
		const char *file, uint32_t line, bool inlined)
{
	struct stack_frame frame = { intern(&b->names, function),
				     intern(&b->names, file), line, inlined };
	if (!frame.function || !frame.file)
		b->nomem = true;
	if (b->n_frames < STACK_END)
		b->inner[b->n_frames] = frame;
	else
		b->outer[b->n_frames % STACK_END] = frame;
	b->n_frames++;
	return !b->nomem;
}

static void add_values(uint64_t *to, const uint64_t *more)
{
	for (unsigned i = 0; i < STACK_VALUES; i++)
		to[i] = more[i] > UINT64_MAX - to[i] ? UINT64_MAX :
						       to[i] + more[i];
}

// step goes one frame inwards from node.
static uint32_t step(struct stack_builder *b, uint32_t node,
		     const struct stack_frame *frame, const uint64_t *value)
{
	uint32_t next = b->nomem ? 0 : child(b, node, frame);
	if (next)
		add_values(b->tree->nodes.at[next].value, value);
	else
		b->nomem = true;
	return next;
}

bool stack_end(struct stack_builder *b, const uint64_t value[STACK_VALUES],
	       uint64_t id)
{
	uint32_t node = 0;
	uint64_t kept = b->n_frames < STACK_END ? b->n_frames : STACK_END;
	uint64_t outer = b->n_frames - kept < STACK_END ? b->n_frames - kept :
							  STACK_END;
	for (uint64_t i = 1; i <= outer && !b->nomem; i++)
		node = step(b, node,
			    &b->outer[(b->n_frames - i) % STACK_END], value);
	for (uint64_t i = kept; i-- > 0 && !b->nomem;)
		node = step(b, node, &b->inner[i], value);
	b->n_frames = 0;
	struct stack_member *m = vec_push(&b->s->pool, &b->tree->members);
	if (!m || b->nomem) {
		b->nomem = true;
		return false;
	}
	*m = (struct stack_member){ node, id };
	add_values(b->tree->nodes.at[0].value, value);
	add_values(b->tree->nodes.at[node].ended, value);
	if (b->tree->nodes.at[node].n_ended++ == 0)
		b->tree->n_stacks++;
	return true;
}

static int compare_members(const void *a, const void *b)
{
	const struct stack_member *x = a, *y = b;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct stack_node *nodes = ctx;
	const struct stack_node *x = &nodes[*(const uint32_t *)a];
	const struct stack_node *y = &nodes[*(const uint32_t *)b];
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	for (unsigned i = 0; i < STACK_VALUES; i++)
		if (x->value[i] != y->value[i])
			return x->value[i] > y->value[i] ? -1 : 1;
	int names = strcmp(x->frame.function, y->frame.function);
	if (names)
		return names;
	if (x->frame.line != y->frame.line)
		return x->frame.line < y->frame.line ? -1 : 1;
	return x < y ? -1 : x > y;
}

// sort_children puts the children of each node side by side.
static enum hc sort_children(struct session *s, struct stacktree *tree)
{
	uint64_t n = tree->nodes.n;
	tree->order = pool_new(&s->pool, uint32_t, n);
	if (!tree->order)
		return hc_nomem(&s->err);
	for (uint64_t i = 1; i < n; i++)
		tree->order[i - 1] = (uint32_t)i;
	qsort_r(tree->order, n - 1, sizeof(*tree->order), compare_nodes,
		tree->nodes.at);
	for (uint64_t i = n - 1; i-- > 0;)
		tree->nodes.at[tree->nodes.at[tree->order[i]].parent]
			.first_child = (uint32_t)i;
	if (tree->members.n)
		qsort(tree->members.at, tree->members.n,
		      sizeof(*tree->members.at), compare_members);
	return HC_OK;
}

enum hc stacktree_begin(struct session *s, struct stacktree *tree,
			struct stack_builder **ret)
{
	*tree = (struct stacktree){ 0 };
	struct stack_builder *b = pool_new(&s->pool, struct stack_builder, 1);
	struct stack_node *root = vec_push(&s->pool, &tree->nodes);
	if (!b || !root)
		return hc_nomem(&s->err);
	b->s = s;
	b->tree = tree;
	b->names.pool = &s->pool;
	*ret = b;
	return HC_OK;
}

enum hc stacktree_finish(struct stack_builder *b)
{
	if (b->nomem)
		return hc_nomem(&b->s->err);
	return sort_children(b->s, b->tree);
}
