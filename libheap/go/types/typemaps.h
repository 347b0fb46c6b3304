// typemaps.h: recognizing maps by their structure, where nothing says their
// type: the globals and locals of a stripped program.
#pragma once

#include "libheap/go/types/typeshape.h"
#include "libheap/go/types/typing.h"

// go_typing_map claims the 48 bytes at mem (address at) and all they lead to
// as a map if they have the structure of one: by the type that its groups or
// buckets carry, by their size where only one map type fits, else by the
// runtime's own names. It returns whether it was a map.
bool go_typing_map(struct go_typing *t, const struct go_shapes *shapes,
		   const uint8_t *mem, taddr at);
