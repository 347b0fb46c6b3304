// naive.h: what the library must answer, by the slowest and plainest way.
//
// Objects are numbered by slot over all regions (hw_region.first + slot).
#pragma once

#include "libheap/tests/heapwriter.h"

#define NAIVE_NONE UINT64_MAX

// naive_find returns the allocated object that holds address at, or
// NAIVE_NONE.
uint64_t naive_find(const struct heapwriter *hw, taddr at);

// naive_ref names the object with a number.
struct heap_ref naive_ref(const struct heapwriter *hw, uint64_t object);
uint64_t naive_number(const struct heapwriter *hw, struct heap_ref ref);

// naive_scanned says whether the object's words are pointers, naive_words how
// many it has and naive_word what one holds.
uint32_t naive_words(const struct heapwriter *hw, uint64_t object);
taddr naive_word(const struct heapwriter *hw, uint64_t object, uint32_t word);

// naive_depths returns for each number its distance in edges from a root (0:
// a root points to it), or UINT32_MAX when it is not reachable.
uint32_t *naive_depths(const struct heapwriter *hw, struct pool *pool,
		       uint64_t *ret_edges);
