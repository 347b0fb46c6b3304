// reverse.h: for each live object, the live objects that point to it.
#pragma once

#include "libheap/number.h"

// struct reverse is the graph of live objects turned around.
// Shape: who points to object k is from[start[k] .. start[k + 1]), once for
//        each pointer.
// Owns:  the pool it was built in.
struct reverse {
	struct numbers numbers;
	uint64_t *start; // numbers.n + 1
	uint32_t *from;
};

// reverse_open builds it in two passes over all live objects, after
// heap_mark. Fails: LIMIT as numbers_open; NOMEM.
HC_MUST enum hc reverse_open(const struct heap *heap, struct pool *pool,
			     struct reverse *ret, struct hc_err *err);
