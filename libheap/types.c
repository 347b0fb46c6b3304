// types.c: the type numbers of objects, as the reader gives them.
#include "libheap/inside.h"

enum hc heap_type(struct heap *heap, struct hc_err *err)
{
	if (heap->types)
		return HC_OK;
	if (!heap->reader->type_objects)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "the %s reader knows no types",
			       heap->reader->name);
	uint32_t *types = pool_new(heap->pool, uint32_t,
				   UINT64_C(64) * heap->n_words);
	if (!types)
		return hc_nomem(err);
	pool_touch(types, UINT64_C(64) * heap->n_words * sizeof(*types));
	heap->types = types; // heap_aim looks ahead in it from now on
	enum hc got = heap_mark_begin(heap, err);
	if (got == HC_OK) {
		got = heap->reader->type_objects(heap->self, types, err);
		enum hc marked = heap_mark(heap, got ? NULL : err);
		got = got ? got : marked;
	}
	if (got)
		heap->types = NULL;
	return got;
}

const uint32_t *heap_types(const struct heap *heap)
{
	return heap->types;
}

uint32_t heap_type_of(const struct heap *heap, struct heap_ref ref)
{
	if (!heap->types)
		return 0;
	return heap->types[UINT64_C(64) * heap->regions[ref.region].first_word +
			   ref.slot];
}

// count_word counts the objects of one word of slots. Neighbours are mostly of
// one type, so a run of it is added at once.
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
	static const uint32_t untyped[64];
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		uint64_t end = (uint64_t)r->first_word + region_words(r);
		if (r->slot < min_size)
			continue;
		for (uint64_t w = r->first_word; w < end; w++)
			count_word(heap->types ? &heap->types[64 * w] :
						 untyped,
				   slots[w] & ~(except ? except[w] : 0),
				   r->slot, count, n);
	}
}
