// one.c: see one.h.
#include "libheap/one.h"

static void one_flush(struct edge_sink *sink)
{
	struct one *one = sink->ctx;
	for (uint32_t i = 0; i < sink->n; i++)
		one->fn(one->ctx, one->target[i], one->source[i].offset);
	sink->n = 0;
}

enum hc one_open(struct one *one, const struct heap *heap, struct pool *pool,
		 struct hc_err *err)
{
	uint64_t *slots = pool_new(pool, uint64_t, most_words(heap));
	if (!slots)
		return hc_nomem(err);
	one->heap = heap;
	one->slots = slots;
	one->sink = (struct edge_sink){ .target = one->target,
					.source = one->source, .cap = 64,
					.flush = one_flush, .ctx = one };
	return HC_OK;
}

void one_scan(struct one *one, struct heap_ref ref, one_fn *fn, void *ctx)
{
	one->fn = fn;
	one->ctx = ctx;
	one->slots[ref.slot / 64] = UINT64_C(1) << (ref.slot % 64);
	heap_scan(one->heap, ref.region, one->slots, &one->sink);
	one_flush(&one->sink);
	one->slots[ref.slot / 64] = 0;
}
