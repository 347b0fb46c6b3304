// nodes.h: the objects that dominators are computed on, numbered.
//
// A leaf (an object without pointers) that one word alone points to is no
// node: it goes with its owner and is counted there. Nodes with pointers come
// first, in address order, then the other leaves, so only the first need
// edges.
#pragma once

#include "libheap/inside.h"

#define NODE_NONE UINT32_MAX
#define NODE_LIMIT (UINT32_C(1) << 31)

// struct node_rank is one word of the bitmap of nodes.
// Shape: before counts the nodes of words that are numbered earlier.
struct node_rank {
	uint64_t bits;
	uint32_t before, region;
};

// struct node_seen are the objects of a word that one word points to, and
// those that more do.
struct node_seen {
	uint64_t once, twice;
};

// struct nodes are the nodes of one graph.
// Shape: in are the objects asked about; rank is per bitmap word; order lists
//        the regions with pointers, then those without.
struct nodes {
	const struct heap *heap;
	const uint64_t *in;
	struct node_rank *rank;
	uint32_t *order;
	uint32_t n_scan, n;
};

// nodes_open numbers the objects with pointers whose bits are set in `in`.
// Owns:  its arrays are in pool.
// Fails: LIMIT when there are too many; NOMEM.
HC_MUST enum hc nodes_open(const struct heap *heap, const uint64_t *in,
			   struct pool *pool, struct nodes *ret,
			   struct hc_err *err);

// nodes_leaves numbers those of the leaves that were not seen exactly once.
HC_MUST enum hc nodes_leaves(struct nodes *nodes, const struct node_seen *seen,
			     struct hc_err *err);

// node_at returns the number of the object of a bitmap word, or NODE_NONE.
static inline uint32_t node_at(const struct nodes *nodes, uint32_t word,
			       unsigned bit)
{
	const struct node_rank *r = &nodes->rank[word];
	if (!(r->bits >> bit & 1))
		return NODE_NONE;
	return r->before + (uint32_t)__builtin_popcountll(
				   r->bits & ((UINT64_C(1) << bit) - 1));
}

// node_of does so for an object, node_ref is its reverse.
uint32_t node_of(const struct nodes *nodes, struct heap_ref ref);
struct heap_ref node_ref(const struct nodes *nodes, uint32_t node);
