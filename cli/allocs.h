// allocs.h: the sites of a memory profile, counted and scaled.
#pragma once

#include "cli/intern.h"
#include "cli/stacktree.h"

// struct alloc_count is a number of objects and their bytes.
struct alloc_count {
	uint64_t objects, bytes;
};

// struct alloc_row is one site.
// Units: inuse, total and now are estimates of the whole from the sample:
//        inuse and total of the published profile, now with what is not
//        published yet, which is what the process had when it ended.
// Shape: function, file and line are where it was called outside the runtime.
//        live counts sampled objects that are reachable, not scaled.
struct alloc_row {
	taddr at;
	uint64_t size, number; // place in the runtime's list
	struct alloc_count inuse, now, total;
	uint64_t live;
	const char *function, *file;
	uint32_t line;
};

// struct alloc_table is all sites, by address once alloc_table_open is done.
// Shape: live_objects and live_bytes are of the whole heap, sampled is the
//        sample's part of them, estimated what it stands for.
struct alloc_table {
	struct session *s;
	struct heap_profile profile;
	VEC(struct alloc_row);
	struct interned texts;
	struct stacktree tree;
	struct stack_builder *builder;
	struct alloc_count live, sampled, estimated;
	bool nomem;
};

// ALLOC_VALUES are what a node of the tree sums up: of `now`, then of all
// that was ever allocated.
enum { ALLOC_BYTES, ALLOC_OBJECTS, ALLOC_TOTAL_BYTES, ALLOC_TOTAL_OBJECTS };

// alloc_table_open reads the profile, marks the heap and counts.
// Owns: the session's pool. Fails: UNSUPPORTED when the reader has none; NOMEM.
HC_MUST enum hc alloc_table_open(struct session *s, struct alloc_table *ret);

// alloc_table_find returns the row of a site, or NULL.
struct alloc_row *alloc_table_find(const struct alloc_table *table, taddr at);

// alloc_none says why no allocation was sampled.
const char *alloc_none(const struct heap_profile *profile);

// alloc_estimate scales a number of sampled objects of one size.
// Source: Go runtime/pprof/pprof.go, scaleHeapSample, 1.18 to 1.27.
struct alloc_count alloc_estimate(uint64_t objects, uint64_t size,
				  uint64_t rate);

// alloc_now estimates what a site has in use, with what is not published yet.
struct alloc_count alloc_now(const struct heap_alloc_site *site, uint64_t rate);

// alloc_hidden returns how many of the innermost frames are the runtime's own
// way to the allocator, 0 when all are.
// Source: Go runtime/pprof/protomem.go, 1.18 to 1.27 (writeHeapProto).
uint32_t alloc_hidden(const struct heap_frame *frames, uint32_t n);

// alloc_of_object calls fn with the site of one object, if it is in the sample.
void alloc_of_object(struct session *s, taddr object, heap_alloc_site_fn *fn,
		     void *ctx);

// struct alloc_held is what one holder holds of one site: the holder is where
// the shortest path to the objects begins.
// Units: live is objects of the sample.
struct alloc_held {
	struct alloc_row *row;
	uint64_t holder; // a number of the reader's
	struct heap_root root; // stands for it
	uint64_t live;
	struct alloc_count estimate;
};
struct alloc_helds {
	VEC(struct alloc_held);
};

// alloc_held_find joins where sampled live objects were allocated with what
// holds them, most bytes first. Fails: NOMEM.
HC_MUST enum hc alloc_held_find(const struct alloc_table *table,
				struct alloc_helds *ret);
