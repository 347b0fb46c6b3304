// verify.h: what the runtime's structures contradict each other in.
//
// Each part holds one kind of record against the others that should agree. A
// core is a moment: what the allocator, the sweeper or a new object may look
// like in between is not reported, and each part says what that is.
#pragma once

#include "libheap/go/heap/spans.h"

// struct go_verify is one pass over a process.
// Shape: kind is what the part at work reports, n how much of that it has.
struct go_verify {
	struct go_process *process;
	struct findings *out;
	const char *kind;
	uint64_t n;
};

// go_verify notes all contradictions of the process in out. Marking comes
// first: what is live is held to more than garbage is.
void go_verify(struct go_process *process, struct findings *out);

// verify_note notes one contradiction of the kind at work; of many of one kind
// the first are told and the rest counted.
__attribute__((format(printf, 3, 4))) void
verify_note(struct go_verify *v, taddr at, const char *fmt, ...);

// verify_span sets *ret to the bytes of the mspan of s.
bool verify_span(const struct go_verify *v, const struct go_span *s,
		 const uint8_t **ret);

// verify_sweep says how the span's sweepgen stands to the heap's: -2 to be
// swept, -1 being swept, 0 swept, 1 cached unswept, 3 swept and cached.
// Source: runtime/mheap.go, mspan.sweepgen (1.18–1.27).
int32_t verify_sweep(const struct go_verify *v, const uint8_t *mspan);

// verify_is_new says whether the slot may be an object that was being made:
// allocated already, but with bytes of before and no type yet.
// Source: runtime/malloc.go, mallocgc, freeIndexForScan (1.18–1.27).
bool verify_is_new(const struct go_verify *v, const struct go_span *s,
		   uint32_t slot);

// The parts, in the order in which go_verify asks them.
void verify_collector(struct go_verify *v); // its phase and the spans' states
void verify_fields(struct go_verify *v);    // an mspan's fields
void verify_pages(struct go_verify *v);     // arenas, page tables, free pages
void verify_counts(struct go_verify *v);    // allocation and mark bits
void verify_maps(struct go_verify *v);      // pointer bitmaps, descriptors
void verify_pointers(struct go_verify *v);  // what live objects point at
void verify_threads(struct go_verify *v);   // goroutines, threads, stacks
