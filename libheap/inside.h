// inside.h: what struct heap is, for the files of libheap alone.
#pragma once

#include "libheap/pagemap.h"

// struct heap is a graph that never stores its edges.
// Units: n_words and max_words count words of each slot bitmap.
// Shape: word 0 of the bitmaps belongs to no region (see pagemap.h).
// Owns:  everything is in pool; self is the reader's, closed by heap_close.
struct heap {
	struct core *core;
	const struct heap_reader *reader;
	void *self;
	struct pool *pool;
	struct heap_options options;

	struct heap_region *regions;
	const uint8_t **bytes; // see heap_region_bytes
	uint32_t n_regions, max_regions;
	uint64_t *allocated, *dead, *live;
	uint32_t n_words, max_words;
	unsigned page_shift;

	struct pagemap map;
	struct heap_types types; // NULL before heap_type
	struct heap_retained *retained[2]; // of what is live, of garbage
	bool marked;
	struct marking *marking; // begun and not ended: see mark.c
	uint64_t edges;  // that heap_mark followed
	// How many regions wait when several threads share them, and when
	// single objects are no longer put first; how long a thread without
	// work waits before it ends the sharing. Tests set these low, and
	// processors high.
	uint64_t enough, few;
	unsigned patience, processors;
	unsigned edges_worth; // nodes worth a thread: see edgepass.h
	unsigned dom_steps; // for each node and edge: see dominators.h
};

// region_words returns how many words the slots of a region fill.
static inline uint32_t region_words(const struct heap_region *r)
{
	return r->n_slots / 64 + (r->n_slots % 64 != 0);
}

// heap_hit_ref returns the object that a hit names: the reverse of a lookup,
// made only of what one leaves.
static inline struct heap_ref heap_hit_ref(const struct heap *heap,
					   struct page_hit hit)
{
	uint32_t region = heap->map.region_of[hit.page];
	uint32_t word = hit.word - heap->regions[region].first_word;
	return (struct heap_ref){ region, word * 64 + hit.bit };
}

// most_words returns the region_words of the region that has most, at least 1.
uint32_t most_words(const struct heap *heap);

// heap_mark_begin does the start of heap_mark, which then does the rest: until
// then what is reachable may be marked by others (see heap_marking).
// Fails: NOMEM.
HC_MUST enum hc heap_mark_begin(struct heap *heap, struct hc_err *err);

// heap_tell reports the end of a phase to whoever asked for it.
void heap_tell(const struct heap *heap, const char *phase, uint64_t work,
	       const char *unit);

// scratch_open reserves a second pool as large as what from has left, for work
// arrays: a reader may take memory from the heap's pool at any time, so that
// cannot be rewound. scratch_close gives it back.
HC_MUST enum hc scratch_open(const struct pool *from, struct pool *ret,
			     struct hc_err *err);
void scratch_close(struct pool *from, struct pool *scratch);
