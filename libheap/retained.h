// retained.h: the finished tree of keepers, for the files that read it.
#pragma once

#include "libheap/dominators.h"

// struct heap_retained is the tree.
// Shape: node v is an object, a holder or the root, in this order (csr.h);
//        above[v] is its immediate dominator. child[first[v] .. first[v + 1]]
//        are those right below v, in ascending order; NULL until asked for.
// Owns:  all is in the heap's pool.
struct heap_retained {
	struct heap *heap;
	struct nodes nodes;
	uint32_t n_objects, n_holders, n, root;
	uint32_t *above;
	uint64_t *bytes;
	uint32_t *objects;
	struct heap_root *holder;
	uint32_t *first, *child;
	struct dominators work;
};

// retained_tree fills first and child, once. Fails: NOMEM.
HC_MUST enum hc retained_tree(struct heap_retained *retained,
			      struct hc_err *err);

// retained_is_leaf says whether a slot holds an object that was folded into
// the one that points to it.
static inline bool retained_is_leaf(const struct heap_retained *retained,
				    struct page_hit hit)
{
	return hit.noscan &&
	       (retained->nodes.in[hit.word] >> hit.bit & 1) &&
	       node_at(&retained->nodes, hit.word, hit.bit) == NODE_NONE;
}
