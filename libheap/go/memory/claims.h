// claims.h: who says that a run of memory is his, in layers.
//
// Each part of the runtime claims the memory that it knows of; a layer holds
// the claims of one kind, and where layers overlap the finer one wins. What is
// left belongs to the mapping as a whole.
#pragma once

#include "libheap/go/process.h"

// struct claim is a run of memory for one use. Shape: use is the claimant's
// own number; item is too (the Go reader's tree: index of the span).
struct claim {
	taddr base;
	uint64_t len;
	uint32_t use, item;
};

// struct claims is one layer. Shape: after claims_settle sorted and disjoint.
struct claims {
	VEC(struct claim);
};

// claims_add adds one claim; a run of no length or past the end of memory is
// left out. It returns false when memory is short.
HC_MUST bool claims_add(struct pool *pool, struct claims *layer, taddr base,
			uint64_t len, uint32_t use, uint32_t item);

// claims_settle sorts a layer and trims what overlaps: the first keeps it.
void claims_settle(struct claims *layer);

// claims_walk calls fn for consecutive pieces that together are exactly the
// len bytes at base: each with the claim of the first layer that covers it, or
// NULL. next holds one cursor per layer, zeroed before the first walk; walks
// must go up in address.
void claims_walk(const struct claims *layers, size_t n_layers, uint64_t *next,
		 taddr base, uint64_t len,
		 void (*fn)(void *ctx, taddr base, uint64_t len,
			    const struct claim *claim),
		 void *ctx);
