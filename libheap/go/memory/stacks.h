// stacks.h: the memory of goroutine stacks, by use.
#pragma once

#include "libheap/go/memory/claims.h"

// go_stacks_find claims the stacks of all goroutines (the part in use by
// frames and the rest) and of the scheduler and signal handlers: in the heap's
// stack spans, or stacks of the system's threads. Uses are enum go_use.
// Fails: NOMEM. A damaged g is left out; goroutines report it.
HC_MUST enum hc go_stacks_find(struct go_process *process, struct pool *pool,
			       struct claims *ret, struct hc_err *err);

// go_work_spans_find claims the manual spans that are the collector's: work
// buffers and, in 1.22 and 1.23, unrolled GC programs.
// Source: runtime/mgcwork.go wbufSpans; mheap.go spanAllocPtrScalarBits.
HC_MUST enum hc go_work_spans_find(struct go_process *process,
				   struct pool *pool, struct claims *ret,
				   struct hc_err *err);
