// randheap.c: see randheap.h.
#include "libheap/tests/randheap.h"

// Source: xorshift64*, Vigna, "An experimental exploration of Marsaglia's
// xorshift generators, scrambled", 2016.
uint64_t rand_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

uint64_t rand_below(uint64_t *state, uint64_t n)
{
	return (rand_next(state) >> 11) % n;
}

static uint64_t rand_slot(uint64_t *s)
{
	static const uint64_t usual[] = { 8,   16,  24,   32,   48,   64,
					  80,  96,  112,  128,  144,  384,
					  704, 1152, 3072, 6784, 8192, 27264 };
	switch (rand_below(s, 8)) {
	case 0: // any at all, odd ones too
		return 1 + rand_below(s, 300);
	case 1: // a large object of whole pages
		return (1 + rand_below(s, 40)) << 13;
	case 2: // a very large one
		return UINT64_C(1) << (20 + rand_below(s, 6));
	default:
		return usual[rand_below(s, sizeof(usual) / sizeof(*usual))];
	}
}

static void rand_region(struct heapwriter *hw, uint64_t *s, taddr *at,
			const struct rand_shape *shape)
{
	uint64_t page = UINT64_C(1) << hw->page_shift;
	uint64_t slot = rand_slot(s), fit = 1;
	if (slot < 8192)
		fit = rand_below(s, 3) ? 8192 * (1 + rand_below(s, 3)) / slot :
					 1 + rand_below(s, shape->max_slots);
	else if (slot < 30000)
		fit = 1 + rand_below(s, 3);
	if (fit > shape->max_slots)
		fit = shape->max_slots;
	if (fit == 0)
		fit = 1;
	if (rand_below(s, 4) == 0) // a gap, sometimes a wide one
		*at += (rand_next(s) >> (64 - shape->spread)) & ~(page - 1);
	taddr base = *at + (rand_below(s, 10) ? 0 : rand_below(s, page));
	uint64_t words = slot / 8 < shape->max_words ? slot / 8 :
						       shape->max_words;
	uint32_t r = hw_region_add(hw, base, slot, (uint32_t)fit,
				   rand_below(s, 4) ? 0 : HEAP_NOSCAN,
				   (uint32_t)words);
	for (uint32_t i = 0; i < fit; i++) {
		if (rand_below(s, 100) >= shape->free_percent)
			hw_alloc(hw, r, i);
		if (rand_below(s, 8) == 0)
			hw_die(hw, r, i);
	}
	*at = (base + slot * fit + page - 1) & ~(page - 1);
}

// rand_target returns an address to point to.
static taddr rand_target(const struct heapwriter *hw, uint64_t *s,
			 const struct rand_shape *shape)
{
	if (rand_below(s, 100) < shape->null_percent)
		return 0;
	if (rand_below(s, 100) < shape->wild_percent)
		return rand_next(s) >> rand_below(s, 60);
	const struct hw_region *r =
		&hw->regions.at[rand_below(s, hw->regions.n)];
	taddr at = r->base + r->slot * rand_below(s, r->n_slots);
	switch (rand_below(s, 4)) {
	case 0:
		return at + rand_below(s, r->slot);
	case 1: // also just before, and past the end
		return r->base - 64 + rand_below(s, r->slot * r->n_slots + 512);
	default:
		return at;
	}
}

void rand_heap(struct heapwriter *hw, uint64_t seed,
	       const struct rand_shape *shape)
{
	uint64_t s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	hw->page_shift = 13;
	taddr at = UINT64_C(0xc000000000) + (rand_next(&s) >> 30 << 13);
	uint64_t n = 1 + rand_below(&s, shape->max_regions);
	for (uint64_t i = 0; i < n; i++)
		rand_region(hw, &s, &at, shape);
	for (uint64_t i = 0; i < n; i++) {
		const struct hw_region *r = &hw->regions.at[i];
		for (uint64_t w = 0; w < (uint64_t)r->n_slots * r->n_words; w++)
			r->at[w] = rand_target(hw, &s, shape);
	}
	for (unsigned i = 0; i < shape->n_roots; i++)
		hw_root(hw, rand_target(hw, &s, shape), 0x1000 + 8 * i);
}
