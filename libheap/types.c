// types.c: the type numbers of objects, as the reader gives them.
#include "libheap/inside.h"

enum hc heap_type(struct heap *heap, struct hc_err *err)
{
	HC_TRY(heap_mark(heap, err));
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
	heap->types = types; // heap_aim looks ahead in it from now on
	enum hc got = heap->reader->type_objects(heap->self, types, err);
	if (got)
		heap->types = NULL;
	return got;
}

uint32_t heap_type_of(const struct heap *heap, struct heap_ref ref)
{
	if (!heap->types)
		return 0;
	return heap->types[UINT64_C(64) * heap->regions[ref.region].first_word +
			   ref.slot];
}
