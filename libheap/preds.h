// preds.h: edges beside a search in depth, gathered by where they lead.
#pragma once

#include "libheap/breadth.h"

// struct preds are the sources of the edges that are not in the tree.
// Shape: from[start[v] .. start[v + 1]] are those that lead to number v.
struct preds {
	uint32_t *start, *from;
	uint64_t n;
};

// preds_open gathers the edges of b; num[place] is a place's number in the
// search in depth, parent[number] its tree.
// Owns: its arrays are in work. Fails: LIMIT at 2^32 edges; NOMEM.
HC_MUST enum hc preds_open(const struct breadth *b, const uint32_t *num,
			   const uint32_t *parent, struct pool *work,
			   struct preds *ret, struct hc_err *err);
