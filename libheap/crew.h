// crew.h: marking by several threads, each owning the regions of some pages.
//
// Nobody sets bits in another's region: an address that a thread finds there
// goes to its owner by letter, through a ring that only the two of them use.
// So no bit needs an atomic instruction, and the bitmaps' cache lines stay
// with one thread.
//
//	thread 0: targets --> own --> look up --> bits, queue --> visit ...
//	                 '--> letter to 1 ------> thread 1 looks them up
#pragma once

#include "libheap/mark.h"

enum {
	CREW_MAX = 8,     // threads; a power of two
	CREW_BLOCK = 9,   // log2 of the pages that change hands together
	CREW_BLOCKS = 1024, // at most, by making them larger
	CREW_LETTERS = 8, // under way between two threads
	CREW_FULL = MARK_BATCH, // targets from which on a letter is sent
	CREW_PATIENCE = 512,    // looks at the mailboxes without any
};

struct crew;

// crew_size returns how many of that many threads a crew has: a power of two.
unsigned crew_size(unsigned threads);

// crew_open gets a crew of n = crew_size() threads from the pool. It marks in
// the bits of the marker `like`, but not at the same time.
// Fails: NOMEM.
HC_MUST enum hc crew_open(const struct marker *like, unsigned n,
			  struct pool *pool, struct crew **ret,
			  struct hc_err *err);

// crew_run takes over what waits at m and marks until nothing or little is
// left, or the time of mark_clock is `until`. It gives back to m what is left
// and returns whether that is for want of work.
bool crew_run(struct crew *crew, struct marker *m, uint64_t until);
