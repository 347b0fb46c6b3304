// pagemap.h: from any address to the slot that holds it, in a few loads.
//
//	address - lo = [ chunk | page in chunk | offset ]
//	                   |          |            |
//	                top[chunk]    |            |  * reciprocal of the slot
//	                   '----> page[chunk + .]  |          |
//	                          {word, class, pages back} --'--> word, bit
//
// A page record has 8 bytes. An address in no region meets a zeroed record,
// class 0, and so bit 0 of word 0, which no region owns and which markers
// keep set: no lookup needs a branch.
#pragma once

#include "libheap/heap.h"

#define PAGEMAP_CHUNK_LOG 13 // pages of one chunk: 64 MiB of Go's pages
#define PAGEMAP_TOP_LOG 24   // chunks between the lowest and highest region
#define PAGEMAP_CLASSES 256u

// Classes: 0 is no region, odd ones are noscan, PAGEMAP_SLOW needs its region.
enum { PAGEMAP_NONE = 0, PAGEMAP_SLOW = 255 };

// struct page_record says what one page holds.
// Shape: meta is class | pages back to the region's first << 8. For
//        PAGEMAP_SLOW, word is the region's index instead.
struct page_record {
	uint32_t word, meta;
};

// struct page_classes are the kinds of regions.
// Units: reciprocal[class] is 2^64 / slot, rounded up; 0 for a region of one
//        slot that fills its pages, whose slot here is 0 too.
struct page_classes {
	uint64_t reciprocal[PAGEMAP_CLASSES];
	uint64_t slot[PAGEMAP_CLASSES];
	unsigned n;
};

// struct pagemap covers all regions of a heap.
// Shape: page[0 ..] is the empty chunk; region_of[p] is page p's.
struct pagemap {
	taddr lo;
	uint64_t n_top;
	unsigned page_shift;
	uint32_t n_pages;
	uint32_t *top;
	struct page_record *page;
	uint32_t *region_of;
	struct page_classes *classes;
	const struct heap_region *regions;
};

// pagemap_words returns how many bitmap words a region needs so that every
// address in its pages has a bit of its own region, at most one word more
// than its slots fill.
uint32_t pagemap_words(const struct heap_region *region, unsigned page_shift);

// pagemap_build fills *map from n regions in ascending order.
// Owns:  its arrays live in pool; regions must outlive it.
// Fails: LIMIT when they are too far apart; NOMEM.
HC_MUST enum hc pagemap_build(const struct heap_region *regions, uint32_t n,
			      unsigned page_shift, struct pool *pool,
			      struct pagemap *map, struct hc_err *err);

// struct page_hit is where an address leads: bit `bit` of bitmap word `word`,
// and the first page of its region.
// Shape: in no region's pages, any is false, and word and bit are 0. Beside
//        the slots, but in their pages, the bit is never set in a slot bitmap.
struct page_hit {
	uint32_t word, page;
	unsigned bit;
	bool noscan, any;
};

// pagemap_slow answers for regions that fit no class.
struct page_hit pagemap_slow(const struct pagemap *map, uint32_t region,
			     taddr at);

// pagemap_page returns the number of the page that holds address at, or one
// of the empty chunk.
static inline __attribute__((always_inline)) uint32_t
pagemap_page(const struct pagemap *map, taddr at, unsigned page_shift)
{
	uint64_t chunk = (at - map->lo) >> (page_shift + PAGEMAP_CHUNK_LOG);
	chunk = chunk < map->n_top ? chunk : map->n_top;
	return map->top[chunk] |
	       ((uint32_t)((at - map->lo) >> page_shift) &
		((1u << PAGEMAP_CHUNK_LOG) - 1));
}

// pagemap_find_in is pagemap_find for hot loops, which keep *map in registers
// and may know page_shift when they are compiled.
static inline __attribute__((always_inline)) struct page_hit
pagemap_find_in(const struct pagemap *map, taddr at, unsigned page_shift)
{
	uint32_t page = pagemap_page(map, at, page_shift);
	struct page_record rec = map->page[page];
	unsigned class = rec.meta & 255;
	if (__builtin_expect(class == PAGEMAP_SLOW, 0))
		return pagemap_slow(map, rec.word, at);
	uint64_t back = rec.meta >> 8;
	uint64_t off = back << page_shift |
		       ((at - map->lo) & ((UINT64_C(1) << page_shift) - 1));
	uint64_t slot = (uint64_t)((unsigned __int128)off *
				   map->classes->reciprocal[class] >> 64);
	return (struct page_hit){ rec.word + (uint32_t)(slot / 64),
				  page - (uint32_t)back, slot % 64, class & 1,
				  class != PAGEMAP_NONE };
}

// pagemap_find looks address at up. A hit may be of a slot that is free.
static inline struct page_hit pagemap_find(const struct pagemap *map, taddr at)
{
	return pagemap_find_in(map, at, map->page_shift);
}
