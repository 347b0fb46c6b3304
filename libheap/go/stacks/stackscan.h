// stackscan.h: the state of looking through one stack for roots.
//
// A word that points outside the stack is a root. One that points into it may
// point at an addressed variable, which is then looked through in turn.
#pragma once

#include "libheap/go/roots/rootplace.h"
#include "libheap/go/stacks/stackobj.h"
#include "libheap/go/stacks/start.h"

#define SCAN_MAX_PANICS 64

struct scan_queue {
	VEC(taddr);
};

// struct scan is that state. Shape: budget counts words still to be read: maps
// that cover a stack many times over end the scan.
struct scan {
	const struct go_process *process;
	const struct go_g *g;
	struct pool *pool;
	struct go_stack stack;
	heap_root_fn *fn;
	void *ctx;
	unsigned word;
	uint64_t budget;
	struct go_stackobjs objects;
	struct scan_queue sure, unsure;
	taddr panics[SCAN_MAX_PANICS];
	unsigned n_panics;
	bool full; // the pool is
	const char *bad;
	taddr bad_at;
};

// struct scan_what says how a run of words is to be taken.
// Shape: unsure words count only when they happen to point at an object.
struct scan_what {
	enum heap_root_kind kind;
	enum go_place place;
	uint32_t frame, number;
	bool unsure;
};

// scan_value takes one word of value `value`; at is where it lies, or 0.
void scan_value(struct scan *s, taddr at, uint64_t value,
		struct scan_what what);

// scan_words takes the n words at address at, of a mask those whose bit is set.
void scan_words(struct scan *s, taddr at, uint64_t n, const uint8_t *mask,
		struct scan_what what);

// scan_objects looks through all addressed variables that the words so far
// lead to, and those they lead to in turn.
void scan_objects(struct scan *s);

// scan_bad notes the first thing that is wrong with the stack.
void scan_bad(struct scan *s, taddr at, const char *why);
