// mark.h: one marking thread: what it holds and its hot loops.
//
//	edges of a region --> target[] --> entry[] --> seen and pending bits
//	     ^                (addresses)  (bits, prefetched)      |
//	     '---- queue of regions that have pending bits <-------'
//
// A region waits in the queue while its pending bits collect, so that one
// visit scans many objects of the same pages. When few regions wait, as on a
// linked list, single objects go through a ring instead.
#pragma once

#include "libheap/inside.h"

enum {
	MARK_BATCH = 128,    // addresses looked up at a time
	MARK_RING = 64,      // single objects under way
	MARK_FEW = 16,       // regions waiting below which the ring is used
	MARK_ENOUGH = 128,   // regions waiting that several threads share
	MARK_PREFETCH = 16,  // objects of the next region asked for
};

// struct mark_entry is an address after its lookup.
// Shape: page is the first of the region, the marker's noscan page when its
//        objects have no pointers.
struct mark_entry {
	uint32_t word, page;
	uint64_t bit;
};

// struct mark_single is one object under way: bit `bit` of its region's bitmap
// word `word`.
struct mark_single {
	uint32_t region, word;
	uint64_t bit;
};

// struct marker is the state of one thread.
// Shape: queue is a ring of pages, each the first of its region and in it at
//        most once (queued[page]); head - tail are waiting. The noscan page is
//        one of the empty chunk, always "queued".
// Owns:  its arrays are in a pool of heap_mark's.
struct marker {
	const struct heap *heap;
	struct mark_pair *pair;
	uint8_t *queued;
	uint32_t *queue;
	uint64_t head, tail, queue_mask;
	uint64_t ring_head, ring_tail;
	uint64_t *pending; // of the region visited, copied
	uint64_t *single;  // all zero but for the object being scanned
	uint64_t edges;
	uint64_t shift; // from addresses to our memory, of the latest object
	uint32_t noscan;
	struct edge_sink sink;
	taddr target[MARK_BATCH];
	struct mark_entry entry[2 * MARK_BATCH];
	struct mark_single ring[MARK_RING];
};

// marker_look_up turns n targets, at most 2 * MARK_BATCH, into entries and
// returns how many. An address in no region leaves none.
static inline __attribute__((always_inline)) uint32_t
marker_look_up(struct marker *m, const taddr *target, uint32_t n,
	       unsigned page_shift)
{
	const struct pagemap map = m->heap->map;
	struct mark_pair *pair = m->pair;
	uint32_t out = 0, noscan = m->noscan;
	for (uint32_t i = 0; i < n; i++) {
		struct page_hit hit =
			pagemap_find_in(&map, target[i], page_shift);
		__builtin_prefetch(&pair[hit.word], 1);
		m->entry[out] = (struct mark_entry){
			hit.word, hit.noscan ? noscan : hit.page,
			UINT64_C(1) << hit.bit };
		out += hit.any;
	}
	m->edges += out;
	return out;
}

// marker_test sets the bits of n entries and queues the regions of those that
// were not set, without a branch.
static inline void marker_test(struct marker *m, uint32_t n)
{
	struct mark_pair *pairs = m->pair;
	uint8_t *queued = m->queued;
	uint32_t *queue = m->queue;
	uint64_t head = m->head, mask = m->queue_mask;
	for (uint32_t i = 0; i < n; i++) {
		struct mark_entry e = m->entry[i];
		struct mark_pair *pair = &pairs[e.word];
		uint64_t seen = pair->seen, new = e.bit & ~seen;
		pair->seen = seen | e.bit;
		pair->pending += new; // which it does not have: an "or"
		uint8_t was = queued[e.page];
		uint8_t need = (new != 0) & (was ^ 1);
		queued[e.page] = was | need;
		queue[head & mask] = e.page;
		head += need;
	}
	m->head = head;
}

// marker_take looks n targets up and marks what is new.
static inline void marker_take(struct marker *m, const taddr *target,
			       uint32_t n)
{
	unsigned shift = m->heap->map.page_shift;
	if (shift == 13) // Go's pages: the shifts are constants
		marker_test(m, marker_look_up(m, target, n, 13));
	else
		marker_test(m, marker_look_up(m, target, n, shift));
}

// marker_waiting returns how many regions wait.
static inline uint64_t marker_waiting(const struct marker *m)
{
	return m->head - m->tail;
}

// marker_init gets a marker's own arrays from the pool.
HC_MUST enum hc marker_init(struct marker *m, const struct heap *heap,
			    struct pool *pool, struct mark_pair *pair,
			    uint8_t *queued, struct hc_err *err);

// marker_put_back makes the objects of the ring wait with those of their region.
void marker_put_back(struct marker *m);

// marker_gather queues all regions that have pending objects: somebody else may
// have set the bits.
void marker_gather(struct marker *m);

// marker_drain takes in all targets that were found so far.
void marker_drain(struct marker *m);

// marker_visit scans the pending objects of the region that waits longest.
void marker_visit(struct marker *m);

// mark_clock returns a time in nanoseconds, for comparing speeds.
uint64_t mark_clock(void);

// marker_run marks until nothing waits, `enough` regions do (work for several
// threads) or the time of mark_clock is `until`.
void marker_run(struct marker *m, uint64_t enough, uint64_t until);
