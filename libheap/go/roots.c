// roots.c: the parts of go_roots in their order.
#include "libheap/go/roots.h"

#include "libheap/go/rootparts.h"
#include "libheap/go/stackroots.h"

static void each_stack(struct go_process *process, heap_root_fn *fn,
		       void *ctx)
{
	uint32_t i;

	for (i = 0; i < process->threads->n_gs; i++) {
		struct hc_err why;
		struct go_g g;

		switch (go_g_open(process, i, &g, &why)) {
		case HC_OK:
			go_stack_roots(process, &g, fn, ctx);
			break;
		case HC_FAIL:
			if (!go_g_told(process, i))
				findings_add_err(process->findings,
						 "bad goroutine", &why);
			break;
		default:
			break;
		}
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
