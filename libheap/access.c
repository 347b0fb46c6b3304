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

unsigned heap_threads(const struct heap *heap)
{
	unsigned most = heap->processors;
	if (heap->options.threads && heap->options.threads < most)
		most = heap->options.threads;
	return most;
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

// aim_slow looks at the region of an address whose slot has no reciprocal.
static void aim_slow(const struct heap *heap, taddr at, uint32_t region,
		     struct heap_aim *ret)
{
	const struct heap_region *r = &heap->regions[region];
	struct page_hit hit = pagemap_slow(&heap->map, region, at);
	*ret = (struct heap_aim){ hit.word, region, (uint8_t)hit.bit,
				  at >= r->base &&
					  (at - r->base) % r->slot == 0 };
}

// aim_one looks one address up. An offset is a multiple of the slot when the
// fraction of its product with the reciprocal is below that: is_plain in
// pagemap.c made sure that no slot number brings the error so far.
static inline __attribute__((always_inline)) void
aim_one(const struct heap *heap, const struct pagemap *map, taddr at,
	struct heap_aim *ret, unsigned page_shift)
{
	uint32_t page = pagemap_page(map, at, page_shift);
	struct page_record rec = map->page[page];
	unsigned class = rec.meta & 255;
	if (__builtin_expect(class == PAGEMAP_SLOW, 0)) {
		aim_slow(heap, at, rec.word, ret);
		return;
	}
	uint64_t reciprocal = map->classes->reciprocal[class];
	uint64_t off = (uint64_t)(rec.meta >> 8) << page_shift |
		       ((at - map->lo) & ((UINT64_C(1) << page_shift) - 1));
	unsigned __int128 product = (unsigned __int128)off * reciprocal;
	uint32_t slot = (uint32_t)(product >> 64);
	ret->word = rec.word + slot / 64;
	ret->region = map->region_of[page];
	ret->bit = slot % 64;
	ret->at_start = (uint64_t)product < reciprocal || off == 0;
}

static inline __attribute__((always_inline)) void
aim_all(const struct heap *heap, const taddr *at, uint32_t n,
	uintptr_t by_word, unsigned log, struct heap_aim *ret,
	unsigned page_shift)
{
	const struct pagemap map = heap->map;
	for (uint32_t i = 0; i < n; i++) {
		aim_one(heap, &map, at[i], &ret[i], page_shift);
		uintptr_t word = (uintptr_t)ret[i].word << log;
		__builtin_prefetch((const void *)(by_word + word), 1);
	}
}

void heap_aim(const struct heap *heap, const taddr *at, uint32_t n,
	      const void *by_word, unsigned log, struct heap_aim *ret)
{
	uintptr_t array = (uintptr_t)by_word;
	if (heap->map.page_shift == 13) // Go's pages: the shifts are constants
		aim_all(heap, at, n, array, log, ret, 13);
	else
		aim_all(heap, at, n, array, log, ret, heap->map.page_shift);
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
