// roots.h: everything outside the heap that keeps objects alive, as the
// collector of each version sees it.
#pragma once

#include "libheap/go/stacks/goroutines.h"
#include "libheap/go/stacks/unwind.h"

// go_roots calls fn for each root: globals, the queues of finalizers and
// cleanups, specials of spans, stacks; always in this order. Call it after
// go_spans_read, go_edges_open and go_threads_find.
// Source: runtime/mgcmark.go, markroot (1.18–1.27), and what that leaves out
//         because the world is stopped then: registers of running threads.
void go_roots(struct go_process *process, heap_root_fn *fn, void *ctx);

// go_root_text puts a root of go_roots in words. Owns: strings are pool's or
// the core's. Fails: NOMEM.
HC_MUST enum hc go_root_text(struct go_process *process,
			     const struct heap_root *root, struct pool *pool,
			     struct heap_root_text *ret, struct hc_err *err);

// go_root_frame sets *ret to the frame that a root's word belongs to.
// Shape: ret->at is valid until the next walk. Fails: NONE when it belongs to
// no frame.
HC_MUST enum hc go_root_frame(struct go_process *process,
			      const struct heap_root *root,
			      struct go_frame *ret);

// go_weak calls fn for each weak pointer: at is the word of the handle that
// remembers target. Source: runtime/mheap.go, specialWeakHandle (1.23–1.27).
void go_weak(struct go_process *process,
	     void (*fn)(void *ctx, taddr at, taddr target), void *ctx);
