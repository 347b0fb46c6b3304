// offheap.h: the memory that the runtime keeps outside its heap, by owner.
#pragma once

#include "libheap/go/memory/claims.h"

// struct go_offheap is two layers: what is known piece by piece, and the
// larger runs that the pieces were cut from. Uses are enum go_use.
struct go_offheap {
	struct claims pieces, runs;
};

// go_offheap_find follows the runtime's own lists: span structs, arena
// metadata, bitmaps, page summaries, mcaches, profile buckets, and the chunks
// that small permanent things are cut from.
// Fails: NOMEM. What cannot be followed stays unclaimed.
// Source: runtime/malloc.go persistentalloc and persistentChunks, mheap.go,
//         mpagealloc_64bit.go, mprof.go (1.18–1.27).
HC_MUST enum hc go_offheap_find(struct go_process *process, struct pool *pool,
				struct go_offheap *ret, struct hc_err *err);
