// below.c: what a single object leads to, up to a limit; see keeper.h.
#include "libheap/one.h"

// struct heap_below is one search after the other.
// Shape: met lists the objects of the search under way, whose bits are set in
//        seen; those from `next` on are still to be scanned.
struct heap_below {
	const struct heap *heap;
	struct pool *pool;
	struct one one;
	uint64_t *seen;
	struct { VEC(struct heap_ref); } met;
	uint64_t bytes;
	bool full;
};

enum hc heap_below_open(const struct heap *heap, struct pool *pool,
			struct heap_below **ret, struct hc_err *err)
{
	struct heap_below *b = pool_new(pool, struct heap_below, 1);
	if (!b)
		return hc_nomem(err);
	b->heap = heap;
	b->pool = pool;
	b->seen = pool_new(pool, uint64_t, heap->n_words);
	if (!b->seen)
		return hc_nomem(err);
	*ret = b;
	return one_open(&b->one, heap, pool, err);
}

// word_of returns the bitmap word of an object.
static uint64_t *word_of(struct heap_below *b, struct heap_ref ref)
{
	return &b->seen[b->heap->regions[ref.region].first_word +
			ref.slot / 64];
}

static void meet(struct heap_below *b, struct heap_ref ref)
{
	uint64_t *word = word_of(b, ref), bit = UINT64_C(1) << (ref.slot % 64);
	if (*word & bit)
		return;
	struct heap_ref *met = vec_push(b->pool, &b->met);
	if (!met) {
		b->full = true;
		return;
	}
	*word |= bit;
	*met = ref;
	b->bytes += heap_ref_size(b->heap, ref);
}

static void on_pointer(void *ctx, taddr target, uint64_t offset)
{
	struct heap_below *b = ctx;
	struct heap_ref ref;
	(void)offset;
	if (heap_find(b->heap, target, &ref) == HC_OK)
		meet(b, ref);
}

uint64_t heap_below_bytes(struct heap_below *b, struct heap_ref object,
			  uint64_t most)
{
	b->bytes = 0;
	b->full = false;
	meet(b, object);
	for (uint64_t next = 0;
	     next < b->met.n && b->bytes < most && !b->full; next++) {
		struct heap_ref ref = b->met.at[next];
		if (!(b->heap->regions[ref.region].flags & HEAP_NOSCAN))
			one_scan(&b->one, ref, on_pointer, b);
	}
	for (uint64_t i = 0; i < b->met.n; i++)
		*word_of(b, b->met.at[i]) = 0;
	b->met.n = 0;
	return b->full ? most : b->bytes;
}
