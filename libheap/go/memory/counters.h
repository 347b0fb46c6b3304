// counters.h: the figures of runtime.MemStats, recomputed from spans and pages.
#pragma once

#include "libheap/go/heap/spans.h"

// go_counters fills *ret. What the core lacks counts as nothing.
// Source: runtime/mstats.go, MemStats and readmemstats_m (1.18–1.27):
//         HeapInuse is heap spans, StackInuse stack spans, HeapIdle free pages,
//         HeapReleased those of them returned to the system, HeapAlloc the
//         slots that are allocated, dead ones not yet swept included.
// Fails: NOMEM.
HC_MUST enum hc go_counters(struct go_process *process,
			    struct heap_counters *ret, struct hc_err *err);
