// search.h: the shortest path from any root to one object, breadth first.
#pragma once

#include "libheap/inside.h"

// struct trail lists the objects of a path, the one that a root points to
// first; root counts the calls of heap_reader.roots before that root's.
struct trail {
	struct heap_ref *object;
	size_t n;
	uint64_t root;
};

// search_path finds a shortest path. Owns: *ret is in pool, as is all that it
// worked with. Fails: NONE when no path leads there; LIMIT; NOMEM.
HC_MUST enum hc search_path(const struct heap *heap, struct heap_ref goal,
			    struct pool *pool, struct trail *ret,
			    struct hc_err *err);
