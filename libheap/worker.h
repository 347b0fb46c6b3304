// worker.h: one thread of a crew, and the letters between two.
#pragma once

#include "libheap/crew.h"

#include <pthread.h>
#include <stdatomic.h>

// struct letter is addresses for another thread to look up.
struct letter {
	uint32_t n;
	taddr target[CREW_FULL + MARK_BATCH];
};

// struct block says who owns the pages of a block: those below `from`, where
// a region of an earlier block ends, one thread, the others another.
struct block {
	uint32_t from;
	uint8_t before, after;
};

// struct mailbox is a ring of letters between two threads. The writer fills
// letter[head] in place and then moves head; the reader moves tail.
struct mailbox {
	_Alignas(64) _Atomic uint64_t head;
	_Alignas(64) _Atomic uint64_t tail;
	_Alignas(64) struct letter letter[CREW_LETTERS];
};

// struct worker is one thread. out[k] is the open letter to worker k, own for
// itself; load is how many regions wait, for others to read.
struct worker {
	struct marker m;
	struct crew *crew;
	unsigned id;
	struct letter *out[CREW_MAX];
	struct letter own;
	pthread_t thread;
	_Alignas(64) _Atomic uint64_t load;
};

// struct crew is all threads. `under_way` counts busy threads and letters on
// their way: at 0 nothing is left. `left` counts threads that scan no more and
// so send nothing. box[to][from]. Worker 0 ends the work at `until`.
struct crew {
	unsigned n, block_log;
	uint64_t until;
	bool in_time;
	struct block *block;
	struct worker *worker;
	struct mailbox *box[CREW_MAX][CREW_MAX];
	_Alignas(64) _Atomic uint64_t under_way;
	_Atomic unsigned left;
	_Atomic bool leave;
	_Atomic enum crew_gate { GATE_SHUT, GATE_OPEN, GATE_GONE } gate;
};

// crew_owner returns the worker that owns a page.
static inline unsigned crew_owner(const struct crew *crew, uint32_t page)
{
	struct block block = crew->block[page >> crew->block_log];
	return page < block.from ? block.before : block.after;
}

// worker_flush is the flush of a worker's sink, whose ctx is the worker.
void worker_flush(struct edge_sink *sink);

// worker_run is what each thread does until nothing or little is left. arg is
// its struct worker.
void *worker_run(void *arg);
