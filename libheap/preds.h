// preds.h: edges beside a search tree, gathered by where they lead.
#pragma once

#include "libheap/csr.h"

// struct preds are the sources of the edges that are not in a tree.
// Shape: from[start[v] .. start[v + 1]] are those that lead to place v.
struct preds {
	uint32_t *start, *from;
	uint64_t n;
};

// preds_open gathers the edges of csr->to without EDGE_TREE: targets there are
// places, and place[node] is that of a source.
// Owns:  its arrays are in work. Fails: LIMIT at 2^32 of them; NOMEM.
HC_MUST enum hc preds_open(const struct csr *csr, const uint32_t *place,
			   struct pool *work, struct preds *ret,
			   struct hc_err *err);
