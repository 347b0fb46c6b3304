// graph_pick.c: which objects lie near one: breadth first, both ways.
#include "cli/graph.h"

#include <stdlib.h>
#include <string.h>

// struct search is one breadth-first search.
// Shape: found holds everything so far in the order of finding; now is the
//        level being left, as a bitmap (only for the way back).
struct search {
	struct session *s;
	const struct heap_region *regions;
	uint64_t *picked, *now;
	struct { VEC(struct heap_ref); } found;
	uint64_t max;
	bool cut, nomem;
};

static void set_bit(uint64_t *map, const struct heap_region *r, uint32_t slot)
{
	map[r->first_word + slot / 64] |= UINT64_C(1) << (slot % 64);
}

static void reach(struct search *q, struct heap_ref ref)
{
	const struct heap_region *r = &q->regions[ref.region];
	if (heap_bit(q->picked, r, ref.slot) || q->nomem)
		return;
	if (q->found.n == q->max) {
		q->cut = true;
		return;
	}
	struct heap_ref *one = vec_push(&q->s->pool, &q->found);
	if (!one) {
		q->nomem = true;
		return;
	}
	*one = ref;
	set_bit(q->picked, r, ref.slot);
}

static enum hc search_begin(struct session *s, struct heap_ref object,
			    uint64_t max, struct search *q)
{
	size_t n;
	uint64_t words = graph_words(s->heap);
	*q = (struct search){ .s = s, .max = max ? max : 1 };
	q->regions = heap_regions(s->heap, &n);
	q->picked = pool_new(&s->pool, uint64_t, words);
	q->now = pool_new(&s->pool, uint64_t, words);
	if (!q->picked || !q->now)
		return hc_nomem(&s->err);
	reach(q, object);
	return q->nomem ? hc_nomem(&s->err) : HC_OK;
}

static int compare_refs(const void *a, const void *b)
{
	const struct heap_ref *x = a, *y = b;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void on_forward(void *ctx, struct heap_ref from, uint64_t offset,
		       struct heap_ref to)
{
	(void)from;
	(void)offset;
	reach(ctx, to);
}

// leave scans the level [begin, end) of found, a region at a time.
static void leave(struct search *q, struct graph_scan *scan, uint64_t begin,
		  uint64_t end)
{
	qsort(q->found.at + begin, end - begin, sizeof(*q->found.at),
	      compare_refs);
	while (begin < end && !q->nomem) {
		uint32_t region = q->found.at[begin].region;
		const struct heap_region *r = &q->regions[region];
		uint64_t i = begin;
		for (; i < end && q->found.at[i].region == region; i++)
			set_bit(q->now, r, q->found.at[i].slot);
		graph_scan_region(scan, region, q->now + r->first_word);
		memset(q->now + r->first_word, 0,
		       ((uint64_t)r->n_slots + 63) / 64 * sizeof(*q->now));
		begin = i;
	}
}

enum hc graph_from(struct session *s, struct heap_ref object, uint64_t depth,
		   uint64_t max, uint64_t **ret, bool *ret_cut)
{
	struct search q;
	struct graph_scan scan = { .heap = s->heap, .edge = on_forward,
				   .ctx = &q };
	HC_TRY(search_begin(s, object, max, &q));
	for (uint64_t begin = 0; depth > 0 && begin < q.found.n; depth--) {
		uint64_t end = q.found.n;
		leave(&q, &scan, begin, end);
		begin = end;
	}
	if (q.nomem)
		return hc_nomem(&s->err);
	*ret = q.picked;
	*ret_cut = q.cut;
	return HC_OK;
}

static void on_backward(void *ctx, struct heap_ref from, uint64_t offset,
			struct heap_ref to)
{
	struct search *q = ctx;
	(void)offset;
	if (heap_bit(q->now, &q->regions[to.region], to.slot))
		reach(q, from);
}

// Each level is one pass over the heap: no reverse edges are kept. Of a live
// object only live ones are asked.
enum hc graph_to(struct session *s, struct heap_ref object, uint64_t depth,
		 uint64_t max, uint64_t **ret, bool *ret_cut)
{
	size_t n;
	struct search q;
	struct graph_scan scan = { .heap = s->heap, .edge = on_backward,
				   .ctx = &q };
	struct graph_filter *filter = pool_new(&s->pool, struct graph_filter,
					       1);
	HC_TRY(search_begin(s, object, max, &q));
	if (!filter)
		return hc_nomem(&s->err);
	scan.filter = filter;
	(void)heap_regions(s->heap, &n);
	const uint64_t *live = heap_live(s->heap);
	bool is_live = heap_bit(live, &q.regions[object.region], object.slot);
	for (uint64_t begin = 0; depth > 0 && begin < q.found.n; depth--) {
		memset(q.now, 0, graph_words(s->heap) * sizeof(*q.now));
		uint64_t end = q.found.n;
		for (; begin < end; begin++)
			set_bit(q.now, &q.regions[q.found.at[begin].region],
				q.found.at[begin].slot);
		graph_filter_set(filter, s->heap, q.now);
		for (size_t i = 0; i < n; i++)
			if (!(q.regions[i].flags & HEAP_NOSCAN))
				graph_scan_region(&scan, (uint32_t)i,
						  is_live ?
						  live + q.regions[i].first_word :
						  NULL);
	}
	if (q.nomem)
		return hc_nomem(&s->err);
	*ret = q.picked;
	*ret_cut = q.cut;
	return HC_OK;
}
