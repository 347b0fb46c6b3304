// totals.c: how much of the heap is live, garbage, unswept and free.
#include "libheap/inside.h"

static uint64_t bits(uint64_t word)
{
	return (uint64_t)__builtin_popcountll(word);
}

struct heap_totals heap_totals(const struct heap *heap)
{
	struct heap_totals t = { 0 };
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		uint64_t live = 0, unswept = 0, all = 0;
		uint32_t end = r->first_word + region_words(r);
		for (uint32_t w = r->first_word; w < end; w++) {
			uint64_t in = heap->allocated[w], kept = heap->live[w];
			all += bits(in);
			live += bits(in & kept);
			unswept += bits(in & ~kept & heap->dead[w]);
		}
		uint64_t garbage = all - live - unswept;
		t.live_objects += live;
		t.live_bytes += live * r->slot;
		t.garbage_objects += garbage;
		t.garbage_bytes += garbage * r->slot;
		t.unswept_objects += unswept;
		t.unswept_bytes += unswept * r->slot;
		t.free_slots += r->n_slots - all;
		t.free_bytes += (r->n_slots - all) * r->slot;
	}
	return t;
}
