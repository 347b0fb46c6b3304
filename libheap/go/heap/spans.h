// spans.h: the runs of pages that the Go heap is made of (mspan).
//
// mheap_.allspans holds every mspan ever made; those in state "in use" hold
// objects of one size, "manual" ones goroutine stacks and the collector's work
// buffers. What contradicts itself is a finding and left out.
#pragma once

#include "libheap/go/process.h"

#define GO_PAGE 8192u // runtime/sizeclasses.go: _PageSize, 1.18–1.27

enum go_span_state { GO_SPAN_DEAD = 0, GO_SPAN_HEAP = 1, GO_SPAN_MANUAL = 2 };

// enum go_ptrmap says where a span's pointer map is.
// Source: runtime/mbitmap.go (1.18–1.21), mbitmap_allocheaders.go (1.22),
//         mbitmap.go (1.23–1.27).
enum go_ptrmap {
	GO_PTRMAP_NONE,      // noscan: no pointers
	GO_PTRMAP_ARENA2,    // 1.18–1.19: heapArena.bitmap, 2 bits a word
	GO_PTRMAP_ARENA1,    // 1.20–1.21: heapArena.bitmap, 1 bit, noMorePtrs
	GO_PTRMAP_INSPAN,    // 1.22+: bits at the end of the span
	GO_PTRMAP_HEADER,    // 1.22+: word 0 of each slot is its type
	GO_PTRMAP_LARGE,     // 1.22+: mspan.largeType
	GO_PTRMAP_USERARENA, // 1.22+: bits at the end of the chunk
};

// struct go_span is one mspan in use, heap or manual.
// Shape: base is page-aligned; nelems * elemsize <= npages * GO_PAGE for heap
//        spans; spans are sorted by base and disjoint.
struct go_span {
	taddr at;       // of the mspan itself
	taddr base;
	uint64_t elemsize;
	uint64_t limit; // address behind the last object
	taddr specials; // first of the list, or 0
	taddr type;     // mspan.largeType, or 0
	const uint8_t *mem; // the span's bytes, or NULL when not in one run
	uint32_t npages;
	uint32_t nelems;
	uint32_t region;    // of the heap graph; UINT32_MAX for manual spans
	uint8_t state;      // enum go_span_state
	uint8_t sizeclass;
	uint8_t ptrmap;     // enum go_ptrmap
	bool noscan : 1;
	bool inline_marks : 1; // Green Tea: marks in the last 128 bytes
	bool user_arena : 1;
};

// struct go_spans is all of them.
struct go_spans {
	struct go_span *at;
	size_t n;
	uint32_t *of_region; // span index of each heap region
	size_t n_regions;
	uint32_t sweepgen;   // mheap_.sweepgen
	uint32_t gcphase;    // 0 off, 1 mark, 2 mark termination
	uint64_t n_bad;      // mspans left out
};

// go_spans_read fills process->spans and adds a region for every heap span,
// with its allocated and dead bits, to process->heap.
// A list that cannot be read (to its end) is a finding: what else is in the
// core still gets its answers. Fails: CORRUPT for a damaged layout; NOMEM.
HC_MUST enum hc go_spans_read(struct go_process *process, struct hc_err *err);

// go_span_of returns the span that holds the address, or NULL.
const struct go_span *go_span_of(const struct go_process *process, taddr at);

// go_span_len returns a span's length in bytes.
static inline uint64_t go_span_len(const struct go_span *span)
{
	return (uint64_t)span->npages * GO_PAGE;
}
