// ways.h: distinct ways from roots to a goal, the shortest first.
#pragma once

#include "libheap/goal.h"

// struct ways holds the answers as heap_paths gives them out.
// Owns:  paths and steps are in out, the caller's pool.
struct ways {
	struct { VEC(struct heap_path); } paths;
	struct pool *out;
};

// ways_find adds up to max paths that share not all of root word and steps.
// No path meets an object twice. What it looks at beside shortest ways is
// limited, so on a tangled heap it may find fewer than there are.
// Fails: NOMEM.
HC_MUST enum hc ways_find(const struct goal *goal, size_t max,
			  struct pool *pool, struct ways *ways,
			  struct hc_err *err);

// ways_each_root adds a shortest path for each of the first max leads.
// Fails: NOMEM.
HC_MUST enum hc ways_each_root(const struct goal *goal, size_t max,
			       struct pool *pool, struct ways *ways,
			       struct hc_err *err);

// ways_new adds a path of n steps, to be filled in, or returns NULL.
struct heap_path *ways_new(struct ways *ways, const struct heap_root *root,
			   size_t n);
