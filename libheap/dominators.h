// dominators.h: for every node, the last one that all ways to it pass.
//
// Cooper, Harvey and Kennedy's iteration is the fastest on heaps when only
// what changed is looked at again, but it takes quadratic time on a linked
// list whose strings lie in a table as well. So it has a number of steps to do
// it in; when they are used up, Lengauer and Tarjan's algorithm starts over,
// which is nearly linear on every graph.
#pragma once

#include "libheap/breadth.h"

// struct dominators is what the work took, for tests and -v.
struct dominators {
	uint64_t steps, most; // of the iteration, and what it may have
	bool lengauer;        // it was not enough
	uint64_t more_steps;  // what that took then
};

enum { DOM_STEPS = 16 }; // for each node and edge

// dominators_find sets idom[place] to the place of the immediate dominator. Up
// to 8 threads share the work; d->steps depends on how they do, idom does not.
// Owns: *ret_idom is in work. Fails: NOMEM; LIMIT.
HC_MUST enum hc dominators_find(const struct breadth *b, unsigned threads,
				struct pool *work, struct dominators *d,
				uint32_t **ret_idom, struct hc_err *err);

// lengauer_find fills idom by depth-first search and Lengauer and Tarjan's
// algorithm with path compression.
HC_MUST enum hc lengauer_find(const struct breadth *b, struct pool *work,
			      struct dominators *d, uint32_t *idom,
			      struct hc_err *err);
