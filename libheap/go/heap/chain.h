// chain.h: walking a linked list of the dead process, which may be a ring.
#pragma once

#include "libcore/core.h"

// struct go_chain remembers a link now and then, at distances that double, so
// that a ring is noticed before it is walked three times (Brent's method).
// Zero it before the walk.
struct go_chain {
	taddr mark;
	uint64_t n, until;
};

// go_chain_on says whether the walk goes on to the link at `at`: it does not
// at 0, nor at a link that it came by before.
//
//	for (at = first; go_chain_on(&chain, at); at = next)
static inline bool go_chain_on(struct go_chain *chain, taddr at)
{
	if (!at || (chain->n && at == chain->mark))
		return false;
	if (chain->n++ == chain->until) {
		chain->mark = at;
		chain->until = 2 * chain->until + 1;
	}
	return true;
}
