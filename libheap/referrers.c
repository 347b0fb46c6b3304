// referrers.c: which words point to an object, from garbage too.
#include "libheap/inside.h"

enum { BATCH = 256 };

// struct asked is the question and its answers so far, in address order.
struct asked {
	const struct heap *heap;
	struct pool *pool;
	taddr low;
	uint64_t size;
	struct heap_ref to;
	uint32_t region; // being scanned
	size_t max;
	uint64_t all;
	bool full;
	struct { VEC(struct heap_referrer); } found;
	struct edge_sink sink;
	taddr target[BATCH];
	struct edge_source source[BATCH];
};

static bool comes_before(const struct heap_referrer *a,
			 const struct heap_referrer *b)
{
	if (a->from.region != b->from.region)
		return a->from.region < b->from.region;
	if (a->from.slot != b->from.slot)
		return a->from.slot < b->from.slot;
	return a->offset < b->offset;
}

// found_add keeps the answer if it is one of the first max. Readers go up, so
// it nearly always belongs at the end.
static void found_add(struct asked *q, struct heap_referrer new)
{
	struct heap_referrer *at = q->found.at;
	uint64_t i = q->found.n;
	if (i >= q->max && (i == 0 || !comes_before(&new, &at[i - 1])))
		return;
	if (i < q->max) {
		struct heap_referrer *more = vec_push(q->pool, &q->found);
		if (!more) {
			q->full = true;
			return;
		}
		at = q->found.at;
	} else {
		i--; // the last one falls out
	}
	for (; i && comes_before(&new, &at[i - 1]); i--)
		at[i] = at[i - 1];
	at[i] = new;
}

static void asked_flush(struct edge_sink *sink)
{
	struct asked *q = sink->ctx;
	for (uint32_t i = 0; i < sink->n; i++) {
		if (q->target[i] - q->low >= q->size)
			continue;
		q->all++;
		found_add(q, (struct heap_referrer){
				     { q->region, q->source[i].slot },
				     q->source[i].offset,
				     q->to });
	}
	sink->n = 0;
}

enum hc heap_referrers(struct heap *heap, struct heap_ref object, size_t max,
		       struct pool *pool, struct heap_referrer **ret,
		       size_t *ret_n, uint64_t *ret_all, struct hc_err *err)
{
	struct asked q = { .heap = heap,
			   .pool = pool,
			   .low = heap_ref_at(heap, object),
			   .size = heap_ref_size(heap, object),
			   .to = object,
			   .max = max };
	q.sink = (struct edge_sink){ .target = q.target, .source = q.source,
				     .cap = BATCH, .flush = asked_flush,
				     .ctx = &q };
	for (q.region = 0; q.region < heap->n_regions && !q.full; q.region++) {
		heap_scan(heap, q.region, NULL, &q.sink);
		asked_flush(&q.sink);
	}
	if (q.full)
		return hc_nomem(err);
	*ret = q.found.at;
	*ret_n = q.found.n;
	*ret_all = q.all;
	return HC_OK;
}
