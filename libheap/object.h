// object.h: regions of equal slots, the objects in them and the edges between
// them: the words in which readers and questions speak of a heap. Part of
// heap.h.
#pragma once

#include "libcore/core.h"

struct heap;

// ---- regions and objects -----------------------------------------------------

enum { HEAP_NOSCAN = 1 }; // region flag: its objects hold no pointers

// struct heap_region is a run of equal slots, each free or one object.
// Units: slot is bytes between object starts. Slot k is at base + k * slot.
// Shape: regions are sorted by base and disjoint; bit k % 64 of word
//        first_word + k / 64 of every slot bitmap belongs to slot k, so a word
//        never belongs to two regions. base and the next region's base are
//        never in one page of heap_config.page_shift.
struct heap_region {
	taddr base;
	uint64_t slot;
	uint32_t n_slots;
	uint32_t first_word;
	uint32_t flags;
	uint32_t tag; // the reader's own (the Go reader: index of the span)
};

// struct heap_ref names one object: slot `slot` of region `region`.
struct heap_ref {
	uint32_t region, slot;
};

// heap_ref_at returns an object's address, heap_ref_size its slot's size.
taddr heap_ref_at(const struct heap *heap, struct heap_ref ref);
uint64_t heap_ref_size(const struct heap *heap, struct heap_ref ref);

// heap_find sets *ret to the allocated object that holds address at, which may
// be inside it. Fails: NONE when at is in no allocated object.
HC_MUST enum hc heap_find(const struct heap *heap, taddr at,
			  struct heap_ref *ret);

// struct heap_aim is where an address leads, before anything was looked at: bit
// `bit` of bitmap word `word`, of a region.
// Shape: in no region word is 0, where no bitmap has a bit. at_start says that
//        the address is its slot's first byte.
struct heap_aim {
	uint32_t word, region;
	uint8_t bit;
	bool at_start;
};

// heap_aim is the first half of heap_find, for passes over many words: it says
// of n addresses which objects they are in if these are allocated, and sends
// for the lines of an array by word, whose entries are 1 << log bytes. Look at
// what it has of ret->word a while later.
void heap_aim(const struct heap *heap, const taddr *at, uint32_t n,
	      const void *by_word, unsigned log, struct heap_aim *ret);

// struct heap_types says of which type, as a number of the reader, objects are.
// Shape: of_region[i] is that of all allocated objects of region i; where it is
//        HEAP_MIXED, of[64 * first_word + slot] has each object's.
struct heap_types {
	uint32_t *of_region, *of;
};
#define HEAP_MIXED UINT32_MAX

// heap_types_at returns the type of the slot with that index in a region.
static inline uint32_t heap_types_at(const struct heap_types *types,
				     uint32_t region, uint64_t index)
{
	uint32_t type = types->of_region[region];
	return type == HEAP_MIXED ? types->of[index] : type;
}

// heap_threads returns how many threads may run at a time: no more than the
// options ask for (0: any number) and there are processors.
unsigned heap_threads(const struct heap *heap);

// heap_regions returns all regions.
const struct heap_region *heap_regions(const struct heap *heap, size_t *ret_n);

// heap_allocated, heap_live and heap_dead return the bitmaps over slots (see
// heap_region): handed out by the allocator; reachable (heap_mark fills it);
// allocated but found dead by the last finished collection and not swept yet.
const uint64_t *heap_allocated(const struct heap *heap);
const uint64_t *heap_live(const struct heap *heap);
const uint64_t *heap_dead(const struct heap *heap);

// heap_bit says whether the object's bit is set in such a bitmap.
static inline bool heap_bit(const uint64_t *map, const struct heap_region *r,
			    uint32_t slot)
{
	return map[r->first_word + slot / 64] >> (slot % 64) & 1;
}

// ---- edges -------------------------------------------------------------------

// struct edge_source is where a pointer lies: byte offset `offset` of the
// object in slot `slot` of the region being scanned.
struct edge_source {
	uint64_t offset;
	uint32_t slot;
};

// struct edge_sink takes edges in batches from a reader: target addresses,
// not yet looked up (they may point anywhere), and where they lie when the
// caller wants that (source not NULL, as long as target).
struct edge_sink {
	taddr *target;
	struct edge_source *source;
	uint32_t n, cap;
	void (*flush)(struct edge_sink *sink); // must set n to 0
	void *ctx;
};

// edge_put hands one pointer to the sink. with_source is a constant at each
// call, so that a reader compiles its loop twice.
static inline __attribute__((always_inline)) void
edge_put(struct edge_sink *sink, bool with_source, taddr target, uint32_t slot,
	 uint64_t offset)
{
	sink->target[sink->n] = target;
	if (with_source)
		sink->source[sink->n] = (struct edge_source){ offset, slot };
	if (++sink->n == sink->cap)
		sink->flush(sink);
}
