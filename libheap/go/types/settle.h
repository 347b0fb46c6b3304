// settle.h: what becomes of a claim, once it is known which object it meets.
#pragma once

#include "libheap/go/types/typing.h"

// go_settle_claim decides what a claim says of an object's type. For regions
// without pointers it may be called in another thread, see leaves.h.
void go_settle_claim(struct go_typing *t, taddr at, struct go_claim claim,
		     const struct heap_aim *aim);
