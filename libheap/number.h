// number.h: the live objects numbered from 0 in address order.
//
// A number is a rank in the live bitmap: a count for each word, and the bits
// below in it. Nothing is stored for an object.
#pragma once

#include "libheap/inside.h"

// struct numbers is valid while the live bitmap stays as it is.
// Shape: before[w] counts the live objects in the words below w.
struct numbers {
	const uint64_t *live;
	uint32_t *before;
	uint32_t n;
};

// numbers_open counts after heap_mark. Owns: its array is in pool.
// Fails: LIMIT at 2^32 - 1 live objects; NOMEM.
HC_MUST enum hc numbers_open(const struct heap *heap, struct pool *pool,
			     struct numbers *ret, struct hc_err *err);

#define NUMBER_NONE UINT32_MAX

// number_of returns the number of the object that a lookup found, or
// NUMBER_NONE when there is no live object.
static inline uint32_t number_of(const struct numbers *numbers,
				 struct page_hit hit)
{
	uint64_t word = numbers->live[hit.word];
	uint64_t below = word & ((UINT64_C(1) << hit.bit) - 1);
	if (!(word >> hit.bit & 1))
		return NUMBER_NONE;
	return numbers->before[hit.word] +
	       (uint32_t)__builtin_popcountll(below);
}
