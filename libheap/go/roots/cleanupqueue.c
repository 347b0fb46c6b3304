// cleanupqueue.c: cleanups whose objects were found dead and that have not
// run.
//
// Source: runtime/mcleanup.go, cleanupQueue and cleanupBlock: one function a
// cleanup in 1.25, {call, fn, arg} in 1.26–1.27; mgcmark.go,
// fixedRootCleanups.
#include "libheap/go/roots/rootparts.h"

#include "libheap/go/heap/chain.h"

#define BLOCK_LEN 512 // cleanupBlockSize

static bool scan_block(struct go_process *process, taddr block, uint32_t n,
		       heap_root_fn *fn, void *ctx)
{
	const struct go_layout *l = &process->layout;
	unsigned word = core_info(process->core)->word;
	taddr first = block + go_off(l, F_cleanupBlock_cleanups);
	uint64_t each = l->size[S_cleanupFn] ? l->size[S_cleanupFn] / word : 1;
	const uint8_t *bytes;
	struct hc_err why;
	uint64_t i;

	if (n > BLOCK_LEN / word ||
	    core_view(process->core, first, n * each * word, &bytes, &why))
		return false;
	for (i = 0; i < n * each; i++)
		fn(ctx, &(struct heap_root){
				.target = go_word(bytes + i * word, word),
				.at = first + i * word,
				.kind = HEAP_ROOT_CLEANUP_QUEUE,
				.owner = HEAP_NO_OWNER,
				.detail = go_detail(GO_IN_CLEANUPQUEUE, 0,
						    (uint32_t)(i % each)),
			});
	return true;
}

void go_cleanupqueue_roots(struct go_process *process, heap_root_fn *fn,
			   void *ctx)
{
	const struct go_layout *l = &process->layout;
	taddr at = process->globals.at[G_gcCleanups], block = 0;
	struct hc_err why;
	struct go_chain chain = { 0 };

	if (at == 0 || !go_has(l, F_cleanupQueue_all) ||
	    !go_has(l, F_cleanupBlock_cleanups) ||
	    core_ptr(process->core, at + go_off(l, F_cleanupQueue_all),
		     &block, &why))
		return;
	while (go_chain_on(&chain, block)) {
		taddr next;
		uint32_t n;

		if (core_u32(process->core,
			     block + go_off(l, F_cleanupBlock_n), &n, &why) ||
		    core_ptr(process->core,
			     block + go_off(l, F_cleanupBlock_alllink), &next,
			     &why) ||
		    !scan_block(process, block, n, fn, ctx))
			break;
		block = next;
	}
	if (block != 0)
		findings_add(process->findings, "bad cleanups", block,
			     "the cleanup queue is damaged");
}
