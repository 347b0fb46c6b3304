// allocbits.h: which slots of a heap span are allocated, and which of those
// the last finished collection found dead.
#pragma once

#include "libheap/go/heap/spans.h"

// go_allocbits_read fills the span's words of the two bitmaps of the graph
// (see heap_add_region). Bits that the core lacks count as free and are a
// finding.
// Source: runtime/mheap.go, mspan and (*sweepLocked).sweep; mgcmark_greenteagc.go
//         for marks kept in the span (1.18–1.27).
void go_allocbits_read(struct go_process *process, const struct go_span *span,
		       uint64_t *alloc, uint64_t *dead);
