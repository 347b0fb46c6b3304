// number.c: see number.h.
#include "libheap/number.h"

enum hc numbers_open(const struct heap *heap, struct pool *pool,
		     struct numbers *ret, struct hc_err *err)
{
	uint64_t n = 0;
	uint32_t *before = pool_new_dense(pool, uint32_t, heap->n_words);
	if (!before)
		return hc_nomem(err);
	for (uint32_t w = 0; w < heap->n_words; w++) {
		before[w] = (uint32_t)n;
		n += (uint64_t)__builtin_popcountll(heap->live[w]);
		if (n >= NUMBER_NONE)
			return hc_fail(err, HC_LIMIT, 0,
				       "more than 4294967294 live objects");
	}
	*ret = (struct numbers){ heap->live, before, (uint32_t)n };
	return HC_OK;
}
