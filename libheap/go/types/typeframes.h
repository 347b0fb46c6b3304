// typeframes.h: the types of the words on goroutine stacks, by the variables
// that debug information puts there.
#pragma once

#include "libheap/go/types/typing.h"

struct go_stackvars;

// go_stackvars_find looks up, for every frame of every goroutine, which
// variables are in memory at its pc.
// Owns:  *ret lives in pool. Without debug information it is empty.
// Fails: NOMEM.
HC_MUST enum hc go_stackvars_find(struct go_typing *t, struct pool *pool,
				  struct go_stackvars **ret,
				  struct hc_err *err);

// go_stackvars_word claims what the word at an address points to, if a
// variable lies there. Only words that the collector takes for live pointers
// may be asked for: what else is in a variable may be left over.
bool go_stackvars_word(struct go_typing *t, const struct go_stackvars *vars,
		       taddr at);
