// heapwriter.c: see heapwriter.h.
#include "libheap/tests/heapwriter.h"

#include <check.h>

uint32_t hw_region_add(struct heapwriter *hw, taddr base, uint64_t slot,
		       uint32_t n_slots, uint32_t flags, uint32_t n_words)
{
	struct hw_region *r = vec_push(hw->pool, &hw->regions);
	ck_assert_ptr_nonnull(r);
	*r = (struct hw_region){ base, slot, n_slots, flags, n_words,
				 n_slots / 64 + 1, NULL, NULL, NULL,
				 hw->n_slots };
	r->at = pool_new(hw->pool, uint64_t, (uint64_t)n_slots * n_words);
	r->allocated = pool_new(hw->pool, uint64_t, r->n_bitmap);
	r->dead = pool_new(hw->pool, uint64_t, r->n_bitmap);
	ck_assert_ptr_nonnull(r->dead);
	hw->n_slots += n_slots;
	return (uint32_t)hw->regions.n - 1;
}

void hw_alloc(struct heapwriter *hw, uint32_t region, uint32_t slot)
{
	hw->regions.at[region].allocated[slot / 64] |= UINT64_C(1)
						       << (slot % 64);
}

void hw_die(struct heapwriter *hw, uint32_t region, uint32_t slot)
{
	hw->regions.at[region].dead[slot / 64] |= UINT64_C(1) << (slot % 64);
}

bool hw_is(const uint64_t *map, uint32_t slot)
{
	return map[slot / 64] >> (slot % 64) & 1;
}

void hw_put(struct heapwriter *hw, uint32_t region, uint32_t slot,
	    uint32_t word, taddr target)
{
	struct hw_region *r = &hw->regions.at[region];
	r->at[(uint64_t)slot * r->n_words + word] = target;
}

taddr hw_addr(const struct heapwriter *hw, uint32_t region, uint32_t slot)
{
	const struct hw_region *r = &hw->regions.at[region];
	return r->base + r->slot * slot;
}

void hw_root(struct heapwriter *hw, taddr target, taddr at)
{
	struct heap_root *root = vec_push(hw->pool, &hw->roots);
	ck_assert_ptr_nonnull(root);
	*root = (struct heap_root){ target, at, HEAP_ROOT_GLOBAL,
				    HEAP_NO_OWNER, hw->roots.n - 1 };
}

struct heap *hw_heap(struct heapwriter *hw, struct pool *pool)
{
	const struct heap_reader *readers[] = { &hw_reader };
	struct heap_options options = { .threads = hw->threads };
	struct hc_err err = { 0 };
	struct heap *heap = NULL;
	enum hc got = heap_open((struct core *)hw, readers, 1, &options, pool,
				&heap, &err);
	ck_assert_msg(got == HC_OK, "%s (%s)", err.msg, err.src);
	return heap;
}

static enum hc probe(const struct core *core, struct hc_err *err)
{
	(void)core;
	(void)err;
	return HC_OK;
}

static enum hc open(struct core *core, const struct heap_options *options,
		    struct pool *pool, struct heap *heap, void **ret_self,
		    struct hc_err *err)
{
	struct heapwriter *hw = (struct heapwriter *)core;
	uint64_t words = 0;
	(void)options;
	(void)pool;
	for (uint64_t i = 0; i < hw->regions.n; i++)
		words += (hw->regions.at[i].n_slots + 63) / 64;
	HC_TRY(heap_begin(heap, hw->page_shift, hw->regions.n, words, err));
	for (uint64_t i = 0; i < hw->regions.n; i++) {
		const struct hw_region *r = &hw->regions.at[i];
		uint64_t *alloc, *dead;
		HC_TRY(heap_add_region(heap, r->base, r->slot, r->n_slots,
				       r->flags, (uint32_t)i, &alloc, &dead,
				       err));
		for (uint32_t w = 0; w < (r->n_slots + 63) / 64; w++) {
			alloc[w] = r->allocated[w];
			dead[w] = r->dead[w];
		}
		if (r->n_words * UINT64_C(8) == r->slot)
			heap_region_bytes(heap, (const uint8_t *)r->at);
	}
	*ret_self = hw;
	return HC_OK;
}

static void close(void *self)
{
	((struct heapwriter *)self)->closed++;
}

static void put_object(const struct heapwriter *hw, const struct hw_region *r,
		       uint32_t slot, struct edge_sink *sink)
{
	const uint64_t *at = r->at + (uint64_t)slot * r->n_words;
	for (uint32_t i = 0; i < r->n_words; i++) {
		uint32_t w = hw->backwards ? r->n_words - 1 - i : i;
		if (!at[w])
			continue;
		if (sink->source)
			edge_put(sink, true, at[w], slot, w * UINT64_C(8));
		else
			edge_put(sink, false, at[w], slot, w * UINT64_C(8));
	}
}

static void edges(void *self, uint32_t region, const uint64_t *slots,
		  struct edge_sink *sink)
{
	struct heapwriter *hw = self;
	const struct hw_region *r = &hw->regions.at[region];
	for (uint32_t w = 0; w < (r->n_slots + 63) / 64; w++)
		for (uint64_t bits = slots[w]; bits; bits &= bits - 1)
			put_object(hw, r,
				   w * 64 + (uint32_t)__builtin_ctzll(bits),
				   sink);
}

static void roots(void *self, heap_root_fn *fn, void *ctx)
{
	struct heapwriter *hw = self;
	for (uint64_t i = 0; i < hw->roots.n; i++)
		fn(ctx, &hw->roots.at[i]);
}

const struct heap_reader hw_reader = {
	.name = "test",
	.probe = probe,
	.open = open,
	.close = close,
	.edges = edges,
	.roots = roots,
};
