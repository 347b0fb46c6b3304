// image.h: which addresses have bytes, and where those bytes are.
#pragma once

#include "libcore/core.h"

// struct run is a contiguous readable run.
// Shape: in an image sorted, disjoint, base < end, and runs that continue each
//        other in memory and in our bytes are one.
struct run {
	taddr base, end;
	const uint8_t *bytes;
	bool from_file;
};

// struct runs is a growing list of them.
struct runs {
	VEC(struct run);
};

// struct chunk_table says, for each 64 MiB of 128 GiB of addresses, which run
// is the first that ends behind its start; the last entry is for what follows.
#define CHUNK_LOG 26
#define CHUNK_SLOTS 2048
struct chunk_table {
	uint32_t first[CHUNK_SLOTS + 1];
};

// struct image finds the run of an address.
// Owns: the pool. Never changes once made, so threads may share it.
struct image {
	const struct run *runs;
	uint32_t n_runs;
	const struct chunk_table *tables[CHUNK_SLOTS]; // NULL: no run there
};

// image_make sorts the runs, gives what overlaps to the one that begins
// first, joins neighbours, and makes the tables.
// Fails: NOMEM; *ret is then as it was. LIMIT.
HC_MUST enum hc image_make(struct runs *runs, struct pool *pool,
			   struct image *ret, struct hc_err *err);

// image_find returns the index of the first run that ends behind at, n_runs
// when there is none.
uint32_t image_find(const struct image *image, taddr at);

// segments_sort makes the segments sorted and disjoint, as core.h says, drops
// empty ones and returns how many are left. Overlaps become one finding.
uint64_t segments_sort(struct core_segment *segments, uint64_t n,
		       struct findings *findings);
