// rootparts.h: the parts of go_roots that are not stacks.
#pragma once

#include "libheap/go/heap/record.h"
#include "libheap/go/roots/rootplace.h"

// go_data_roots: the words of data and bss that may hold pointers.
void go_data_roots(struct go_process *process, heap_root_fn *fn, void *ctx);

// go_finqueue_roots: finalizers that are due but have not run.
void go_finqueue_roots(struct go_process *process, heap_root_fn *fn,
		       void *ctx);

// go_cleanupqueue_roots: cleanups that are due but have not run (1.25 on).
void go_cleanupqueue_roots(struct go_process *process, heap_root_fn *fn,
			   void *ctx);

// go_special_roots: what finalizers, cleanups and weak handles that are set on
// objects keep alive.
void go_special_roots(struct go_process *process, heap_root_fn *fn,
		      void *ctx);
