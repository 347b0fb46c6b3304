// freepages.h: the pages that the Go page allocator holds free.
#pragma once

#include "libheap/go/process.h"

// struct go_free_run is a run of free pages, all returned to the system
// (scavenged) or none. Units: bytes.
struct go_free_run {
	taddr base;
	uint64_t len;
	bool scavenged;
};

// struct go_free_pages is all of them, sorted and disjoint.
struct go_free_pages {
	VEC(struct go_free_run);
};

// go_free_pages_read walks the page allocator's bitmaps over the address
// space in use, and the pages that each P keeps in its cache.
// A chunk whose bitmap is missing is a finding.
// Fails: CORRUPT when the list of ranges cannot be read; NOMEM.
// Source: runtime/mpagealloc.go pageAlloc.chunks, mpallocbits.go pallocData,
//         mpagecache.go pageCache (1.18–1.27).
HC_MUST enum hc go_free_pages_read(struct go_process *process,
				   struct pool *pool,
				   struct go_free_pages *ret,
				   struct hc_err *err);
