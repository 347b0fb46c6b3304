// types.c: the type numbers of objects, as the reader gives them.
#include "libheap/inside.h"

// types_open gets the arrays: all objects of no type.
static enum hc types_open(struct heap *heap, struct heap_types *ret,
			  struct hc_err *err)
{
	uint64_t n = UINT64_C(64) * heap->n_words;
	ret->of_region = pool_new(heap->pool, uint32_t, heap->n_regions + 1);
	ret->of = pool_new(heap->pool, uint32_t, n);
	if (!ret->of_region || !ret->of)
		return hc_nomem(err);
	for (uint32_t i = 0; i < heap->n_regions; i++)
		ret->of_region[i] = HEAP_MIXED;
	return HC_OK;
}

enum hc heap_type(struct heap *heap, struct hc_err *err)
{
	struct heap_types types;
	if (heap->types.of)
		return HC_OK;
	if (!heap->reader->type_objects)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "the %s reader knows no types",
			       heap->reader->name);
	HC_TRY(types_open(heap, &types, err));
	HC_TRY(heap_mark_begin(heap, err));
	enum hc got = heap->reader->type_objects(heap->self, &types, err);
	enum hc marked = heap_mark(heap, got ? NULL : err);
	if (got == HC_OK)
		heap->types = types;
	return got ? got : marked;
}

const struct heap_types *heap_types(const struct heap *heap)
{
	return heap->types.of ? &heap->types : NULL;
}

uint32_t heap_type_of(const struct heap *heap, struct heap_ref ref)
{
	uint64_t first = heap->regions[ref.region].first_word;
	if (!heap->types.of)
		return 0;
	return heap_types_at(&heap->types, ref.region, 64 * first + ref.slot);
}

// count_word counts the objects of one word of slots of different types.
// Neighbours are mostly of one, so a run of it is added at once.
static void count_word(const uint32_t *types, uint64_t bits, uint64_t slot,
		       struct heap_count *count, uint32_t n)
{
	while (bits) {
		uint32_t type = types[__builtin_ctzll(bits)];
		uint64_t run = 0;
		do {
			bits &= bits - 1;
			run++;
		} while (bits && types[__builtin_ctzll(bits)] == type);
		if (type >= n)
			continue;
		count[type].objects += run;
		count[type].bytes += run * slot;
	}
}

void heap_type_counts(const struct heap *heap, const uint64_t *slots,
		      const uint64_t *except, uint64_t min_size,
		      struct heap_count *count, uint32_t n)
{
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		uint64_t end = (uint64_t)r->first_word + region_words(r);
		uint32_t all = heap->types.of ? heap->types.of_region[i] : 0;
		uint64_t objects = 0;
		if (r->slot < min_size)
			continue;
		for (uint64_t w = r->first_word; w < end; w++) {
			uint64_t bits = slots[w] & ~(except ? except[w] : 0);
			if (all == HEAP_MIXED)
				count_word(&heap->types.of[64 * w], bits,
					   r->slot, count, n);
			else
				objects += (uint64_t)__builtin_popcountll(bits);
		}
		if (!objects || all >= n)
			continue;
		count[all].objects += objects;
		count[all].bytes += objects * r->slot;
	}
}
