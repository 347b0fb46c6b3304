// pagemap.c: see pagemap.h. Builds the records and finds classes for regions.
#include "libheap/pagemap.h"

// region_bytes returns the bytes of all slots; heap_add_region has checked
// that they do not wrap.
static uint64_t region_bytes(const struct heap_region *r)
{
	return r->slot * r->n_slots;
}

// region_pages returns how many pages the region touches.
static uint64_t region_pages(const struct heap_region *r, unsigned shift)
{
	return ((r->base + region_bytes(r) - 1) >> shift) - (r->base >> shift) +
	       1;
}

// is_one says that a region is one slot that fills its pages.
static bool is_one(const struct heap_region *r, unsigned shift)
{
	uint64_t in_page = (UINT64_C(1) << shift) - 1;
	return r->n_slots == 1 && (r->base & in_page) == 0 &&
	       (r->slot & in_page) == 0;
}

// last_slot returns the slot number that the last byte of the region's pages
// would have.
static uint64_t last_slot(const struct heap_region *r, unsigned shift)
{
	if (is_one(r, shift))
		return 0;
	return ((region_pages(r, shift) << shift) - 1) / r->slot;
}

// is_plain says whether the reciprocal gives the right slot of this region's
// own words for every address in its pages. Exact: with r = ceil(2^64 / slot)
// and off * slot < 2^64, the error of off * r >> 64 stays below one slot.
static bool is_plain(const struct heap_region *r, unsigned shift)
{
	uint64_t product, pages = region_pages(r, shift);
	if ((r->base & ((UINT64_C(1) << shift) - 1)) || pages >> 24)
		return false;
	if (is_one(r, shift))
		return true;
	return r->slot >= 2 && r->slot <= UINT32_MAX &&
	       !__builtin_mul_overflow(pages << shift, r->slot, &product) &&
	       last_slot(r, shift) / 64 <= r->n_slots / 64;
}

uint32_t pagemap_words(const struct heap_region *region, unsigned page_shift)
{
	if (is_plain(region, page_shift))
		return (uint32_t)(last_slot(region, page_shift) / 64) + 1;
	return region->n_slots / 64 + 1;
}

// class_of returns the class of a region, a new one if need be, or
// PAGEMAP_SLOW when all are taken. Two for each slot size: scanned and not.
static unsigned class_of(struct pagemap *map, const struct heap_region *r,
			 unsigned last)
{
	struct page_classes *classes = map->classes;
	unsigned noscan = r->flags & HEAP_NOSCAN ? 1 : 0;
	if (!is_plain(r, map->page_shift))
		return PAGEMAP_SLOW;
	uint64_t key = is_one(r, map->page_shift) ? 0 : r->slot;
	if (last != PAGEMAP_SLOW && classes->slot[last] == key)
		return (last & ~1u) | noscan;
	unsigned class = 2;
	while (class < classes->n && classes->slot[class] != key)
		class += 2;
	if (class >= PAGEMAP_CLASSES - 2)
		return PAGEMAP_SLOW;
	if (class == classes->n) {
		uint64_t by = key ? UINT64_MAX / key + 1 : 0;
		classes->slot[class] = classes->slot[class + 1] = key;
		classes->reciprocal[class] = by;
		classes->reciprocal[class + 1] = by;
		classes->n += 2;
	}
	return class | noscan;
}

// chunk_at returns the chunk number of an address inside a region.
static uint64_t chunk_at(const struct pagemap *map, taddr at)
{
	return (at - map->lo) >> (map->page_shift + PAGEMAP_CHUNK_LOG);
}

// pagemap_reserve numbers the chunks that hold regions, in address order, and
// gets the arrays.
static enum hc pagemap_reserve(struct pagemap *map, uint32_t n,
			       struct pool *pool, struct hc_err *err)
{
	uint32_t chunks = 1; // number 0 stays empty
	map->top = pool_new(pool, uint32_t, map->n_top + 1);
	if (!map->top)
		return hc_nomem(err);
	for (uint32_t i = 0; i < n; i++) {
		const struct heap_region *r = &map->regions[i];
		taddr end = r->base + region_bytes(r) - 1;
		for (uint64_t c = chunk_at(map, r->base);
		     c <= chunk_at(map, end); c++)
			if (!map->top[c])
				map->top[c] = chunks++ << PAGEMAP_CHUNK_LOG;
		if (chunks >= 1u << (32 - PAGEMAP_CHUNK_LOG))
			return hc_fail(err, HC_LIMIT, r->base,
				       "the heap is spread over too much memory");
	}
	map->n_pages = chunks << PAGEMAP_CHUNK_LOG;
	map->classes = pool_new(pool, struct page_classes, 1);
	map->page = pool_new(pool, struct page_record, map->n_pages);
	map->region_of = pool_new(pool, uint32_t, map->n_pages);
	if (!map->page || !map->region_of || !map->classes)
		return hc_nomem(err);
	map->classes->n = 2;
	return HC_OK;
}

// pagemap_fill writes the records of all regions. Chunks are numbered in
// address order, so a region's pages follow each other across chunks.
static void pagemap_fill(struct pagemap *map, uint32_t n)
{
	unsigned class = PAGEMAP_SLOW, shift = map->page_shift;
	for (uint32_t i = 0; i < n; i++) {
		const struct heap_region *r = &map->regions[i];
		uint64_t pages = region_pages(r, shift);
		uint32_t at = pagemap_page(map, r->base, shift);
		class = class_of(map, r, class);
		for (uint32_t k = 0; k < pages; k++) {
			map->region_of[at + k] = i;
			map->page[at + k] =
				class == PAGEMAP_SLOW ?
					(struct page_record){ i, class } :
					(struct page_record){ r->first_word,
							      class | k << 8 };
		}
	}
}

enum hc pagemap_build(const struct heap_region *regions, uint32_t n,
		      unsigned page_shift, struct pool *pool,
		      struct pagemap *map, struct hc_err *err)
{
	*map = (struct pagemap){
		.page_shift = page_shift,
		.regions = regions,
	};
	if (n) {
		const struct heap_region *last = &regions[n - 1];
		taddr end = last->base + region_bytes(last) - 1;
		unsigned shift = page_shift + PAGEMAP_CHUNK_LOG;
		map->lo = regions[0].base >> shift << shift;
		map->n_top = chunk_at(map, end) + 1;
	}
	if (map->n_top > UINT64_C(1) << PAGEMAP_TOP_LOG)
		return hc_fail(err, HC_LIMIT, regions[n - 1].base,
			       "the heap is spread over too much memory");
	HC_TRY(pagemap_reserve(map, n, pool, err));
	pagemap_fill(map, n);
	return HC_OK;
}

struct page_hit pagemap_slow(const struct pagemap *map, uint32_t region,
			     taddr at)
{
	// Beside the slots, but in their pages, counts as a slot that is not
	// allocated; pagemap_words left room for one.
	const struct heap_region *r = &map->regions[region];
	uint64_t slot = r->n_slots;
	if (at >= r->base)
		slot = (at - r->base) / r->slot;
	if (slot > r->n_slots && !is_plain(r, map->page_shift))
		slot = r->n_slots;
	return (struct page_hit){
		r->first_word + (uint32_t)(slot / 64),
		pagemap_page(map, r->base, map->page_shift), slot % 64,
		r->flags & HEAP_NOSCAN, true };
}
