// finqueue.c: finalizers whose objects were found dead and that have not run.
//
// Source: runtime/mfinal.go, finblock and finalizer (1.18–1.27), all five
// words but nret being pointers (finalizer1); mgcmark.go, fixedRootFinalizers.
// In Go 1.24 cleanups wait here too, with a function alone.
#include "libheap/go/roots/rootparts.h"

#include "libheap/go/heap/chain.h"

#define BLOCK_LEN 4096 // _FinBlockSize

static const enum go_field parts[] = { F_finalizer_fn, F_finalizer_arg,
				       F_finalizer_fint, F_finalizer_ot };

static bool scan_block(struct go_process *process, taddr block, uint32_t n,
		       heap_root_fn *fn, void *ctx)
{
	const struct go_layout *l = &process->layout;
	taddr first = block + go_off(l, F_finblock_fin);
	unsigned word = core_info(process->core)->word;
	uint64_t len = l->size[S_finalizer];
	const uint8_t *bytes;
	struct hc_err why;
	uint32_t i, k;

	if (len == 0 || n > BLOCK_LEN / len ||
	    core_view(process->core, first, n * len, &bytes, &why))
		return false;
	for (i = 0; i < n; i++)
		for (k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
			uint64_t off = i * len + go_off(l, parts[k]);

			if (!go_has(l, parts[k]) || off > n * len - word)
				continue;
			fn(ctx, &(struct heap_root){
					.target = go_word(bytes + off, word),
					.at = first + off,
					.kind = HEAP_ROOT_FINALIZER_QUEUE,
					.owner = HEAP_NO_OWNER,
					.detail = go_detail(
						GO_IN_FINQUEUE, 0, k),
				});
		}
	return true;
}

void go_finqueue_roots(struct go_process *process, heap_root_fn *fn,
		       void *ctx)
{
	const struct go_layout *l = &process->layout;
	taddr at = process->globals.at[G_allfin], block = 0;
	struct hc_err why;
	struct go_chain chain = { 0 };

	if (at == 0 || !go_has(l, F_finblock_fin) ||
	    core_ptr(process->core, at, &block, &why))
		return;
	while (go_chain_on(&chain, block)) {
		taddr next;
		uint32_t n;

		if (core_u32(process->core, block + go_off(l, F_finblock_cnt),
			     &n, &why) ||
		    core_ptr(process->core,
			     block + go_off(l, F_finblock_alllink), &next,
			     &why) ||
		    !scan_block(process, block, n, fn, ctx))
			break;
		block = next;
	}
	if (block != 0)
		findings_add(process->findings, "bad finalizers", block,
			     "the finalizer queue is damaged");
}
