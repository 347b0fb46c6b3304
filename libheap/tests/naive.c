// naive.c: see naive.h.
#include "libheap/tests/naive.h"

#include <check.h>

uint64_t naive_find(const struct heapwriter *hw, taddr at)
{
	for (uint64_t i = 0; i < hw->regions.n; i++) {
		const struct hw_region *r = &hw->regions.at[i];
		if (at < r->base)
			continue;
		uint64_t slot = (at - r->base) / r->slot;
		if (slot < r->n_slots)
			return hw_is(r->allocated, (uint32_t)slot) ?
				       r->first + slot :
				       NAIVE_NONE;
	}
	return NAIVE_NONE;
}

struct heap_ref naive_ref(const struct heapwriter *hw, uint64_t object)
{
	uint32_t i = 0;
	while (object - hw->regions.at[i].first >= hw->regions.at[i].n_slots)
		i++;
	return (struct heap_ref){
		i, (uint32_t)(object - hw->regions.at[i].first) };
}

uint64_t naive_number(const struct heapwriter *hw, struct heap_ref ref)
{
	return hw->regions.at[ref.region].first + ref.slot;
}

uint32_t naive_words(const struct heapwriter *hw, uint64_t object)
{
	struct heap_ref ref = naive_ref(hw, object);
	const struct hw_region *r = &hw->regions.at[ref.region];
	return r->flags & HEAP_NOSCAN ? 0 : r->n_words;
}

taddr naive_word(const struct heapwriter *hw, uint64_t object, uint32_t word)
{
	struct heap_ref ref = naive_ref(hw, object);
	const struct hw_region *r = &hw->regions.at[ref.region];
	return r->at[(uint64_t)ref.slot * r->n_words + word];
}

// is_in_pages says whether an address is in a page of any region.
static bool is_in_pages(const struct heapwriter *hw, taddr at)
{
	uint64_t mask = (UINT64_C(1) << hw->page_shift) - 1;
	for (uint64_t i = 0; i < hw->regions.n; i++) {
		const struct hw_region *r = &hw->regions.at[i];
		taddr end = r->base + r->slot * r->n_slots - 1;
		if (at >= (r->base & ~mask) && at <= (end | mask))
			return true;
	}
	return false;
}

uint32_t *naive_depths(const struct heapwriter *hw, struct pool *pool,
		       uint64_t *ret_edges)
{
	uint32_t *depth = pool_new(pool, uint32_t, hw->n_slots + 1);
	uint64_t *queue = pool_new(pool, uint64_t, hw->n_slots + 1);
	uint64_t head = 0, tail = 0;
	ck_assert(depth && queue);
	*ret_edges = 0;
	for (uint64_t i = 0; i < hw->n_slots; i++)
		depth[i] = UINT32_MAX;
	for (uint64_t i = 0; i < hw->roots.n; i++) {
		uint64_t to = naive_find(hw, hw->roots.at[i].target);
		if (to == NAIVE_NONE || depth[to] != UINT32_MAX)
			continue;
		depth[to] = 0;
		queue[head++] = to;
	}
	while (tail < head) {
		uint64_t from = queue[tail++];
		for (uint32_t w = 0; w < naive_words(hw, from); w++) {
			taddr at = naive_word(hw, from, w);
			uint64_t to = naive_find(hw, at);
			*ret_edges += at && is_in_pages(hw, at);
			if (to == NAIVE_NONE || depth[to] != UINT32_MAX)
				continue;
			depth[to] = depth[from] + 1;
			queue[head++] = to;
		}
	}
	return depth;
}
