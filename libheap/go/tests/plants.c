// plants.c: what to damage: helpers of the lists of plants.
#include "libheap/go/tests/plants.h"

const struct go_layout *plant_layout(const struct patch *p)
{
	return &p->sound.process->layout;
}

// plant_put writes field f of the structure at an address, plant_got reads it.
bool plant_put(struct patch *p, taddr at, enum go_field f, uint64_t value)
{
	return at && go_has(plant_layout(p), f) &&
	       patch_poke(p, at + go_off(plant_layout(p), f), value,
			  plant_layout(p)->field[f].size);
}

uint64_t plant_got(const struct patch *p, taddr at, enum go_field f)
{
	return go_has(plant_layout(p), f) ?
		       patch_peek(p, at + go_off(plant_layout(p), f),
				  plant_layout(p)->field[f].size) :
		       0;
}

// swept says whether the span is swept and no thread allocates from it.
static bool swept(const struct patch *p, const struct go_span *s)
{
	return plant_got(p, s->at, F_mspan_sweepgen) ==
	       p->sound.process->spans->sweepgen;
}

// plant_small_of finds a span of small objects with pointers, some of them kept
// by the last collection, of which one is live; its first live one is
// *ret_slot. With full, the objects fill its page but for the bitmap.
const struct go_span *plant_small_of(const struct patch *p, bool full,
				     uint32_t *ret_slot)
{
	const struct go_spans *spans = p->sound.process->spans;
	const struct heap *h = p->sound.heap;
	size_t n, i;
	const struct heap_region *r = heap_regions(h, &n);

	for (i = 0; i < n; i++) {
		const struct go_span *s = &spans->at[r[i].tag];
		taddr bits = plant_got(p, s->at, F_mspan_allocBits);
		uint64_t free = plant_got(p, s->at, F_mspan_freeindex);
		uint32_t k;

		if (s->noscan || !s->sizeclass || s->elemsize < 16 ||
		    s->elemsize > 512 || !swept(p, s) ||
		    free + 2 > s->nelems ||
		    (full && go_span_len(s) % s->elemsize))
			continue;
		for (k = (uint32_t)free; k < s->nelems; k++)
			if (patch_peek(p, bits + k / 8, 1) >> (k % 8) & 1 &&
			    heap_bit(heap_live(h), &r[i], k))
				break;
		if (k < s->nelems) {
			*ret_slot = k;
			return s;
		}
	}
	return NULL;
}

const struct go_span *plant_small(const struct patch *p, uint32_t *ret_slot)
{
	return plant_small_of(p, false, ret_slot);
}

// plant_span finds a heap span with live objects and that pointer map, and its
// first live object that was not being made.
const struct go_span *plant_span(const struct patch *p, enum go_ptrmap map,
				 uint32_t *ret_slot)
{
	const struct go_spans *spans = p->sound.process->spans;
	const struct heap *h = p->sound.heap;
	size_t n, i;
	const struct heap_region *r = heap_regions(h, &n);

	for (i = 0; i < n; i++) {
		const struct go_span *s = &spans->at[r[i].tag];
		uint64_t free = plant_got(p, s->at, F_mspan_freeIndexForScan);

		if (s->ptrmap != (uint8_t)map)
			continue;
		for (uint32_t k = 0; k < s->nelems; k++) {
			if (!heap_bit(heap_live(h), &r[i], k) ||
			    (s->sizeclass && k + UINT64_C(1) >= free))
				continue;
			*ret_slot = k;
			return s;
		}
	}
	return NULL;
}
