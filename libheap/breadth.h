// breadth.h: the nodes of a graph in the order of a search in breadth.
#pragma once

#include "libheap/csr.h"

#define EDGE_TREE (UINT32_C(1) << 31)

// struct breadth is the order and the tree of one search from the root.
// Units: places in the order; the root has place 0.
// Shape: node[place], parent[place] and place[node] are arrays of n.
struct breadth {
	uint32_t *node, *parent, *place;
	uint32_t n;
};

// breadth_run searches csr from its root. It rewrites csr->to: every target
// becomes a place, with EDGE_TREE where the edge is one of the tree.
// Owns:  node and parent are in work, place is in pool.
// Fails: CORRUPT when not every node is reached; NOMEM.
HC_MUST enum hc breadth_run(struct csr *csr, struct pool *pool,
			    struct pool *work, struct breadth *ret,
			    struct hc_err *err);
