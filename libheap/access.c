// access.c: the plain questions: which reader, which regions, what is where.
#include "libheap/inside.h"

const struct heap_reader *heap_reader_of(const struct heap *heap)
{
	return heap->reader;
}

void *heap_self(const struct heap *heap)
{
	return heap->self;
}

struct core *heap_core(const struct heap *heap)
{
	return heap->core;
}

const struct heap_region *heap_regions(const struct heap *heap, size_t *ret_n)
{
	*ret_n = heap->n_regions;
	return heap->regions;
}

const uint64_t *heap_allocated(const struct heap *heap)
{
	return heap->allocated;
}

const uint64_t *heap_live(const struct heap *heap)
{
	return heap->live;
}

const uint64_t *heap_dead(const struct heap *heap)
{
	return heap->dead;
}

taddr heap_ref_at(const struct heap *heap, struct heap_ref ref)
{
	const struct heap_region *r = &heap->regions[ref.region];
	return r->base + r->slot * ref.slot;
}

uint64_t heap_ref_size(const struct heap *heap, struct heap_ref ref)
{
	return heap->regions[ref.region].slot;
}

enum hc heap_find(const struct heap *heap, taddr at, struct heap_ref *ret)
{
	struct page_hit hit = pagemap_find(&heap->map, at);
	if (!(heap->allocated[hit.word] >> hit.bit & 1))
		return HC_NONE;
	*ret = heap_hit_ref(heap, hit);
	return HC_OK;
}

bool heap_aim(const struct heap *heap, taddr at, uint32_t *ret_region,
	      uint64_t *ret_index)
{
	struct page_hit hit = pagemap_find(&heap->map, at);
	uint64_t index = UINT64_C(64) * hit.word + hit.bit;
	if (!hit.any)
		return false;
	__builtin_prefetch(&heap->allocated[hit.word]);
	if (heap->types)
		__builtin_prefetch(&heap->types[index]);
	*ret_region = heap->map.region_of[hit.page];
	*ret_index = index;
	return true;
}

uint32_t most_words(const struct heap *heap)
{
	uint32_t most = 1;
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		uint32_t words = region_words(&heap->regions[i]);
		most = words > most ? words : most;
	}
	return most;
}

uint64_t heap_edges_followed(const struct heap *heap)
{
	return heap->edges;
}

void heap_scan(const struct heap *heap, uint32_t region, const uint64_t *slots,
	       struct edge_sink *sink)
{
	const struct heap_region *r = &heap->regions[region];
	if (r->flags & HEAP_NOSCAN)
		return;
	if (!slots)
		slots = heap->allocated + r->first_word;
	heap->reader->edges(heap->self, region, slots, sink);
}

const char *heap_root_kind_name(enum heap_root_kind kind)
{
	static const char *const name[] = {
#define X(NAME, text) text,
		HEAP_ROOT_KINDS(X)
#undef X
	};
	return kind < HEAP_N_ROOT_KINDS ? name[kind] : "unknown";
}

void heap_tell(const struct heap *heap, const char *phase, uint64_t work,
	       const char *unit)
{
	if (heap->options.phase)
		heap->options.phase(heap->options.phase_ctx, phase, work, unit);
}
