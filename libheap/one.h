// one.h: the pointers of one object, handed over one by one.
#pragma once

#include "libheap/inside.h"

// one_fn hears of a pointer: the address it holds and where it lies.
typedef void one_fn(void *ctx, taddr target, uint64_t offset);

// struct one scans single objects.
// Owns:  its bitmap is in a pool; it points into itself, so do not copy it.
struct one {
	const struct heap *heap;
	uint64_t *slots; // all zero between scans
	one_fn *fn;
	void *ctx;
	struct edge_sink sink;
	taddr target[64];
	struct edge_source source[64];
};

// one_open makes *one ready. Fails: NOMEM.
HC_MUST enum hc one_open(struct one *one, const struct heap *heap,
			 struct pool *pool, struct hc_err *err);

// one_scan calls fn for each pointer of the object, in the reader's order.
void one_scan(struct one *one, struct heap_ref ref, one_fn *fn, void *ctx);
