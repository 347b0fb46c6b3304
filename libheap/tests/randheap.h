// randheap.h: heaps at random, the same for the same seed.
#pragma once

#include "libheap/tests/heapwriter.h"

// rand_next returns the next number of a sequence, rand_below one below n.
uint64_t rand_next(uint64_t *state);
uint64_t rand_below(uint64_t *state, uint64_t n);

// struct rand_shape says what a heap looks like.
// Units: percents are of words or slots; spread is log2 of the addresses used.
struct rand_shape {
	unsigned max_regions, max_slots, max_words, n_roots;
	unsigned wild_percent, null_percent, free_percent, spread;
};

// rand_heap writes a heap: regions of odd and even slot sizes, some large,
// some noscan; interior, wild and null pointers; chains and fan-out.
void rand_heap(struct heapwriter *hw, uint64_t seed,
	       const struct rand_shape *shape);
