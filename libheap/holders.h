// holders.h: the roots, gathered by what holds them: a variable, a goroutine.
#pragma once

#include "libheap/nodes.h"

// struct hold is a run of roots of one holder that the reader gave in a row.
struct hold {
	struct heap_root root; // as reader->holder made it
	uint64_t key, first, n;
	uint32_t nth;
};

// struct holders are the roots of a heap.
// Shape: target[first .. + n] of a hold are the targets of its roots, as
//        csr_target makes them. After holders_sort, holds of equal key follow
//        each other; of those n_merged remain, and `at` has one for each.
struct holders {
	const struct heap *heap;
	struct pool *pool;
	struct { VEC(struct hold); } holds;
	struct { VEC(struct page_hit); } targets;
	bool full;
};

// holders_read takes in all roots that lead to an object.
// Owns: all is in pool. Fails: NOMEM.
HC_MUST enum hc holders_read(const struct heap *heap, struct pool *pool,
			     struct holders *ret, struct hc_err *err);
