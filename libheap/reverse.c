// reverse.c: see reverse.h. One pass counts, one fills.
#include "libheap/reverse.h"

enum { BATCH = 128 };

// struct pass is one pass over the edges of all live objects.
struct pass {
	const struct heap *heap;
	struct reverse *rev;
	uint32_t first_word; // of the region being scanned
	struct edge_sink sink;
	taddr target[BATCH];
	struct edge_source source[BATCH];
	struct page_hit hit[BATCH];
};

static void pass_look_up(struct pass *p)
{
	for (uint32_t i = 0; i < p->sink.n; i++) {
		p->hit[i] = pagemap_find(&p->heap->map, p->target[i]);
		__builtin_prefetch(&p->rev->numbers.live[p->hit[i].word]);
		__builtin_prefetch(&p->rev->numbers.before[p->hit[i].word]);
	}
}

// count_flush counts the edges that come in, one place ahead.
static void count_flush(struct edge_sink *sink)
{
	struct pass *p = sink->ctx;
	struct reverse *rev = p->rev;
	pass_look_up(p);
	for (uint32_t i = 0; i < sink->n; i++) {
		uint32_t to = number_of(&rev->numbers, p->hit[i]);
		if (to != NUMBER_NONE)
			rev->start[to + 1]++;
	}
	sink->n = 0;
}

// fill_flush puts each edge where its target's next one belongs.
static void fill_flush(struct edge_sink *sink)
{
	struct pass *p = sink->ctx;
	struct reverse *rev = p->rev;
	pass_look_up(p);
	for (uint32_t i = 0; i < sink->n; i++) {
		uint32_t slot = p->source[i].slot;
		uint32_t to = number_of(&rev->numbers, p->hit[i]);
		if (to == NUMBER_NONE)
			continue;
		struct page_hit from = { .word = p->first_word + slot / 64,
					 .bit = slot % 64 };
		rev->from[rev->start[to]++] = number_of(&rev->numbers, from);
	}
	sink->n = 0;
}

static void pass_run(struct pass *p, void (*flush)(struct edge_sink *sink))
{
	const struct heap *heap = p->heap;
	p->sink = (struct edge_sink){ .target = p->target, .source = p->source,
				      .cap = BATCH, .flush = flush, .ctx = p };
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		p->first_word = heap->regions[i].first_word;
		heap_scan(heap, i, heap->live + p->first_word, &p->sink);
		flush(&p->sink);
	}
}

enum hc reverse_open(const struct heap *heap, struct pool *pool,
		     struct reverse *ret, struct hc_err *err)
{
	struct reverse rev;
	struct pass *pass = pool_new(pool, struct pass, 1);
	HC_TRY(numbers_open(heap, pool, &rev.numbers, err));
	rev.start = pool_new_dense(pool, uint64_t, rev.numbers.n + UINT64_C(2));
	if (!pass || !rev.start)
		return hc_nomem(err);
	pass->heap = heap;
	pass->rev = &rev;
	pass_run(pass, count_flush);
	for (uint32_t i = 0; i < rev.numbers.n; i++)
		rev.start[i + 1] += rev.start[i];
	rev.from = pool_new_dense(pool, uint32_t, rev.start[rev.numbers.n]);
	if (!rev.from)
		return hc_nomem(err);
	pass_run(pass, fill_flush);
	// Filling moved each start to the next one's.
	for (uint32_t i = rev.numbers.n; i > 0; i--)
		rev.start[i] = rev.start[i - 1];
	rev.start[0] = 0;
	*ret = rev;
	return HC_OK;
}
