// crew.h: marking by several threads, each owning the regions of some pages.
//
// Nobody sets bits in another's region: what a thread finds there goes to its
// owner by letter, through a ring that only the two of them use. So no bit
// needs an atomic instruction, and no cache line of the bitmaps is shared.
//
//	thread 0: look up --> own entries --> bits, queue --> visit ...
//	               '----> letter to 1 --> bits and queue of thread 1
#pragma once

#include "libheap/mark.h"

enum {
	CREW_MAX = 8,     // threads; a power of two
	CREW_BLOCK = 9,   // log2 of pages with one owner
	CREW_LETTERS = 8, // under way between two threads
	CREW_FULL = MARK_BATCH, // entries from which on a letter is sent
};

struct crew;

// crew_size returns how many threads to use when asked for `threads`.
unsigned crew_size(unsigned threads);

// crew_open gets a crew of n = crew_size() threads from the pool. It marks in
// the same bits as other markers of the heap, but not at the same time.
// Fails: NOMEM.
HC_MUST enum hc crew_open(const struct heap *heap, unsigned n,
			  struct pool *pool, struct mark_pair *pair,
			  uint8_t *queued, struct crew **ret,
			  struct hc_err *err);

// crew_run takes over what waits at m and marks until nothing or little is
// left, which it gives back to m.
void crew_run(struct crew *crew, struct marker *m);
