// heapwriter.h: a heap that a test writes, and the reader that reads it back.
//
// It keeps everything in the plainest form: a naive reference (naive.h) and
// the library answer from the same struct, by different ways.
#pragma once

#include "libheap/heap.h"

// struct hw_region is a region with its memory.
// Units: n_words bytes / 8 of each slot are given out as pointers, whatever
//        they hold. at is NULL for slots without memory.
struct hw_region {
	taddr base;
	uint64_t slot;
	uint32_t n_slots, flags, n_words;
	uint64_t n_bitmap; // words of each bitmap
	uint64_t *at;      // n_slots * n_words
	uint64_t *allocated, *dead;
	uint64_t first;    // number of its first slot over all regions
};

struct heapwriter {
	struct pool *pool; // its own, apart from the heap's
	unsigned page_shift;
	unsigned threads;
	struct { VEC(struct hw_region); } regions;
	struct { VEC(struct heap_root); } roots;
	uint64_t n_slots;
	bool backwards; // hand out the words of an object from its end
	unsigned closed;
};

// hw_reader reads a struct heapwriter, handed to heap_open as its core.
extern const struct heap_reader hw_reader;

// hw_region_add adds a region and returns its number. n_words of each slot
// are pointers.
uint32_t hw_region_add(struct heapwriter *hw, taddr base, uint64_t slot,
		       uint32_t n_slots, uint32_t flags, uint32_t n_words);

// hw_alloc allocates a slot, hw_die says a collection found it dead.
void hw_alloc(struct heapwriter *hw, uint32_t region, uint32_t slot);
void hw_die(struct heapwriter *hw, uint32_t region, uint32_t slot);
bool hw_is(const uint64_t *map, uint32_t slot);

// hw_put stores a pointer as word `word` of a slot.
void hw_put(struct heapwriter *hw, uint32_t region, uint32_t slot,
	    uint32_t word, taddr target);
taddr hw_addr(const struct heapwriter *hw, uint32_t region, uint32_t slot);
void hw_root(struct heapwriter *hw, taddr target, taddr at);

// hw_heap opens the written heap; it must work.
struct heap *hw_heap(struct heapwriter *hw, struct pool *pool);
