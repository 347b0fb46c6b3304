// tree.c: the statistics tree as an array, summed without recursion.
#include "libheap/heap.h"

enum hc mem_tree_add(struct pool *pool, struct mem_tree *tree, uint32_t parent,
		     const char *name, uint32_t *ret, struct hc_err *err)
{
	bool first = tree->n == 0;
	struct mem_node *node =
		tree->n < UINT32_MAX ? vec_push(pool, tree) : NULL;
	if (!node)
		return hc_nomem(err);
	uint32_t at = (uint32_t)(tree->n - 1);
	node->name = name;
	if (!first) {
		struct mem_node *up = &tree->at[parent];
		if (up->last_child)
			tree->at[up->last_child].next = at;
		else
			up->first_child = at;
		up->last_child = at;
	}
	*ret = at;
	return HC_OK;
}

// A child is always behind its parent in the array, so one pass from the end
// meets every node after all of its children.
void mem_tree_sum(struct mem_tree *tree)
{
	for (uint64_t i = tree->n; i-- > 0;) {
		struct mem_node *node = &tree->at[i];
		for (uint32_t c = node->first_child; c; c = tree->at[c].next) {
			node->bytes += tree->at[c].bytes;
			node->saved_bytes += tree->at[c].saved_bytes;
		}
	}
}
