// roots.c: the parts of go_roots in their order.
#include "libheap/go/roots/roots.h"

#include "libheap/go/roots/rootparts.h"
#include "libheap/go/roots/stackroots.h"

static void each_stack(struct go_process *process, heap_root_fn *fn,
		       void *ctx)
{
	uint32_t i;

	for (i = 0; i < process->threads->n_gs; i++) {
		struct go_g g;

		if (go_g_take(process, i, &g))
			go_stack_roots(process, &g, fn, ctx);
	}
}

void go_roots(struct go_process *process, heap_root_fn *fn, void *ctx)
{
	go_data_roots(process, fn, ctx);
	go_finqueue_roots(process, fn, ctx);
	go_cleanupqueue_roots(process, fn, ctx);
	go_special_roots(process, fn, ctx);
	each_stack(process, fn, ctx);
}
