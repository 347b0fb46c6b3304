// breadth.h: a graph numbered by a search in breadth, and kept by its places.
//
// The children of a place follow each other, so the tree is its parents alone;
// only the edges beside it are stored. That is the whole graph once more.
#pragma once

#include "libheap/csr.h"

// struct breadth is the order, the tree and the rest of the edges.
// Units: places in the order; the root has place 0.
// Shape: node[place], parent[place] and place[node] are arrays of n; parents
//        ascend. The edges of a place that are not in the tree lead to
//        beside[start[place] .. start[place + 1]].
struct breadth {
	uint32_t *node, *parent, *place, *start, *beside;
	uint32_t n, n_beside;
};

// breadth_run searches csr from its root.
// Owns:  node, parent, start and beside are in work, place is in pool.
// Fails: CORRUPT when not every node is reached; LIMIT at 2^32 edges beside
//        the tree; NOMEM.
HC_MUST enum hc breadth_run(const struct csr *csr, struct pool *pool,
			    struct pool *work, struct breadth *ret,
			    struct hc_err *err);
