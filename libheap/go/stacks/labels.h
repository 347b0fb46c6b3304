// labels.h: the profiler labels that a program put on a goroutine.
#pragma once

#include "libheap/go/stacks/threads.h"

// go_labels sets *ret to the goroutine's labels, in the order in which they lie
// there. Damage leaves out what it hides.
// Owns: pool. Fails: NOMEM.
// Source: runtime/pprof/label.go, labelMap: a map[string]string up to 1.23, a
//         slice of pairs from 1.24; runtime/map.go, hmap and bmap (1.18–1.23).
HC_MUST enum hc go_labels(const struct go_process *process,
			  const struct go_g *g, struct pool *pool,
			  struct heap_label **ret, size_t *ret_n,
			  struct hc_err *err);
