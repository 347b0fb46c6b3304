// plants_spans.c: damages to the fields, bits and maps of spans.
#include "libheap/go/tests/plants.h"


static bool alloc_byte(struct patch *p)
{
	SMALL(p);
	taddr at = plant_got(p, s->at, F_mspan_allocBits) + k / 8;
	return patch_poke(p, at, ~patch_peek(p, at, 1), 1);
}

static bool alloc_bit(struct patch *p)
{
	SMALL(p);
	taddr at = plant_got(p, s->at, F_mspan_allocBits) + k / 8;
	return patch_poke(p, at, patch_peek(p, at, 1) & ~(1u << k % 8), 1);
}

static bool alloc_tail(struct patch *p)
{
	SMALL(p);
	if (s->nelems % 64 == 0)
		return false;
	taddr at = plant_got(p, s->at, F_mspan_allocBits) + s->nelems / 64 * 8 + 7;
	return patch_poke(p, at, 0x80, 1);
}

static bool alloc_moved(struct patch *p)
{
	SMALL(p);
	return plant_put(p, s->at, F_mspan_allocBits,
		   plant_got(p, s->at, F_mspan_gcmarkBits));
}

#define SPAN_FIELD(name, field, value)                                 \
	static bool name(struct patch *p)                              \
	{                                                              \
		SMALL(p);                                              \
		uint64_t old = plant_got(p, s->at, field);                   \
		return plant_put(p, s->at, field, (value) + 0 * (old + k)); \
	}

SPAN_FIELD(alloc_nowhere, F_mspan_allocBits, 0xdead0000)
SPAN_FIELD(marks_shared, F_mspan_gcmarkBits,
	   plant_got(p, s->at, F_mspan_allocBits))
SPAN_FIELD(marks_odd, F_mspan_gcmarkBits, old + 1)
SPAN_FIELD(marks_nowhere, F_mspan_gcmarkBits, 0xdead0000)
SPAN_FIELD(count_more, F_mspan_allocCount, old + 1)
SPAN_FIELD(free_more, F_mspan_freeindex, old + 1)
SPAN_FIELD(free_far, F_mspan_freeindex, s->nelems + 1)
SPAN_FIELD(seen_far, F_mspan_freeIndexForScan, s->nelems)
SPAN_FIELD(cache_other, F_mspan_allocCache, old ^ 0x10)
SPAN_FIELD(base_other, F_mspan_startAddr, old + 8192)
SPAN_FIELD(base_odd, F_mspan_startAddr, old + 8)
SPAN_FIELD(pages_more, F_mspan_npages, old + 1)
SPAN_FIELD(slot_other, F_mspan_elemsize, old - 8)
SPAN_FIELD(slots_less, F_mspan_nelems, old - 1)
SPAN_FIELD(limit_other, F_mspan_limit, old - 16)
SPAN_FIELD(class_other, F_mspan_spanclass, old ^ 2)
SPAN_FIELD(class_none, F_mspan_spanclass, 200)
SPAN_FIELD(state_dead, F_mspan_state, 0)
SPAN_FIELD(state_manual, F_mspan_state, 2)
SPAN_FIELD(state_none, F_mspan_state, 7)
SPAN_FIELD(sweepgen_far, F_mspan_sweepgen, old + 40)
SPAN_FIELD(divisor, F_mspan_divMul, old + 2)
SPAN_FIELD(specials_bad, F_mspan_specials, 0xdead0000)

static bool mark_set(struct patch *p)
{
	SMALL(p);
	return p->sound.process->spans->gcphase == 0 &&
	       patch_poke(p, plant_got(p, s->at, F_mspan_gcmarkBits) + k / 8, 0xff,
			  1);
}

static bool noscan_other(struct patch *p)
{
	uint32_t k;
	const struct go_span *s = plant_small_of(p, true, &k);
	return s && p->sound.process->version.minor >= 22 &&
	       plant_put(p, s->at, F_mspan_spanclass,
		   plant_got(p, s->at, F_mspan_spanclass) ^ 1);
}

static bool inline_class(struct patch *p)
{
	SMALL(p);
	return s->inline_marks &&
	       patch_poke(p, s->base + go_span_len(s) - 1, 0xee, 1);
}

static bool map_tail(struct patch *p)
{
	SMALL(p);
	uint64_t len = go_span_len(s), used = s->nelems * s->elemsize / 8;
	if (s->ptrmap != GO_PTRMAP_INSPAN || used + 8 > len / 8)
		return false;
	taddr map = s->base + len - len / 64 - (s->inline_marks ? 128 : 0);
	return patch_poke(p, map + len / 64 - 1, 0x80, 1);
}

static bool large_type(struct patch *p)
{
	uint32_t k;
	const struct go_span *s = plant_span(p, GO_PTRMAP_LARGE, &k);
	return s && s->type && plant_put(p, s->at, F_mspan_largeType, s->type + 8);
}

static bool large_limit(struct patch *p)
{
	uint32_t k;
	const struct go_span *s = plant_span(p, GO_PTRMAP_LARGE, &k);
	return s && plant_put(p, s->at, F_mspan_limit, s->base + 8);
}


const struct plant plants_spans[] = {
	PLANT(alloc_byte, "allocation bits: "),
	PLANT(alloc_bit, "allocated slots, its count is"),
	PLANT(alloc_tail, "allocation bits behind its last slot"),
	PLANT(alloc_moved, "allocation bits: "),
	PLANT(alloc_nowhere, "the allocation bits"),
	PLANT(marks_shared, "have one bitmap"),
	PLANT(marks_odd, "starts inside a word"),
	PLANT(marks_nowhere, "the mark bits"),
	PLANT(mark_set, "marked, though it was swept since"),
	PLANT(count_more, "allocated slots, its count is"),
	PLANT(free_more, "allocation bits: "),
	PLANT(free_far, "but its next free one is"),
	PLANT(seen_far, "shows the collector"),
	PLANT(cache_other, "its allocator's copy contradicts"),
	PLANT(base_other, "span"),
	PLANT(base_odd, "bad span: "),
	PLANT(pages_more, "span"),
	PLANT(slot_other, "its class"),
	PLANT(slots_less, "its class and pages make"),
	PLANT(limit_other, "its limit is"),
	PLANT(class_other, "its class"),
	PLANT(class_none, "size class"),
	PLANT(state_dead, "pages: "),
	PLANT(state_manual, "pages: "),
	PLANT(state_none, "in state 7, which is none"),
	PLANT(sweepgen_far, "sweep generation"),
	PLANT(divisor, "divides by"),
	PLANT(specials_bad, "specials"),
	PLANT(noscan_other, "class"),
	PLANT(inline_class, "the marks in it say 238"),
	PLANT(map_tail, "bits behind its last object"),
	PLANT(large_type, "pointer map: the large object"),
	PLANT(large_limit, "span fields: the large object"),
	{ NULL, NULL, NULL },
};
