// spanbytes.c: the bytes of one heap span by use; see memtree.h.
#include "libheap/go/memory/memtree.h"

// span_metadata returns how many bytes at the span's end are its bitmaps.
static uint64_t span_metadata(const struct go_span *s)
{
	uint64_t len = go_span_len(s), bytes = 0;
	if (s->ptrmap == GO_PTRMAP_INSPAN || s->ptrmap == GO_PTRMAP_USERARENA)
		bytes += len / 64;
	if (s->inline_marks)
		bytes += 128;
	uint64_t room = len - s->nelems * s->elemsize;
	return bytes < room ? bytes : room;
}

// span_whole counts a whole span by its bitmaps.
static void span_whole(const struct go_process *process,
		       const struct go_span *s, struct go_span_bytes *ret)
{
	size_t n;
	const struct heap_region *r =
		&heap_regions(process->heap, &n)[s->region];
	const uint64_t *alloc = heap_allocated(process->heap) + r->first_word;
	const uint64_t *live = heap_live(process->heap) + r->first_word;
	const uint64_t *dead = heap_dead(process->heap) + r->first_word;
	uint64_t n_alloc = 0, n_live = 0, n_dead = 0;
	for (uint64_t w = 0; w * 64 < s->nelems; w++) {
		uint64_t seen = live[w] & alloc[w];
		n_alloc += (uint64_t)__builtin_popcountll(alloc[w]);
		n_live += (uint64_t)__builtin_popcountll(seen);
		n_dead += (uint64_t)__builtin_popcountll(dead[w] & alloc[w] &
							 ~seen);
	}
	ret->live += n_live * s->elemsize;
	ret->dead += n_dead * s->elemsize;
	ret->garbage += (n_alloc - n_live - n_dead) * s->elemsize;
	ret->free += (s->nelems - n_alloc) * s->elemsize;
	ret->metadata += span_metadata(s);
	ret->tail += go_span_len(s) - s->nelems * s->elemsize -
		     span_metadata(s);
}

// overlap returns how many bytes [a, a + len) shares with [low, high).
static uint64_t overlap(taddr a, uint64_t len, taddr low, taddr high)
{
	taddr end = a + len;
	taddr from = a > low ? a : low, to = end < high ? end : high;
	return from < to ? to - from : 0;
}

// span_part counts part of a span, slot by slot.
static void span_part(const struct go_process *process,
		      const struct go_span *s, taddr low, taddr high,
		      struct go_span_bytes *ret)
{
	size_t n;
	const struct heap_region *r =
		&heap_regions(process->heap, &n)[s->region];
	uint64_t first = (low - s->base) / s->elemsize;
	uint64_t objects = s->nelems * s->elemsize;
	uint64_t meta = span_metadata(s), len = go_span_len(s);
	for (uint64_t k = first; k < s->nelems; k++) {
		taddr at = s->base + k * s->elemsize;
		uint64_t bytes = overlap(at, s->elemsize, low, high);
		if (at >= high)
			break;
		if (!heap_bit(heap_allocated(process->heap), r, (uint32_t)k))
			ret->free += bytes;
		else if (heap_bit(heap_live(process->heap), r, (uint32_t)k))
			ret->live += bytes;
		else if (heap_bit(heap_dead(process->heap), r, (uint32_t)k))
			ret->dead += bytes;
		else
			ret->garbage += bytes;
	}
	ret->tail += overlap(s->base + objects, len - objects - meta, low,
			     high);
	ret->metadata += overlap(s->base + len - meta, meta, low, high);
}

void go_span_count(const struct go_process *process, const struct go_span *s,
		   taddr low, taddr high, struct go_span_bytes *ret)
{
	if (low >= high)
		return;
	if (low == s->base && high - low == go_span_len(s))
		span_whole(process, s, ret);
	else
		span_part(process, s, low, high, ret);
}
