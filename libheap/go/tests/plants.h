// plants.h: damages to plant in a sound core, each with the words that name it.
#pragma once

#include "libheap/go/heap/spans.h"
#include "libheap/go/tests/patch.h"

// struct plant is one.
// Shape: plant does it, or returns false where this core has no such thing;
//        says is part of the finding, kind included. plant is NULL behind the
//        last.
struct plant {
	const char *name;
	bool (*plant)(struct patch *p);
	const char *says;
};
extern const struct plant plants_spans[], plants_rest[];
#define PLANT(name, says) { #name, name, says }

// plant_layout is the layout of the sound process; plant_put writes field f of
// the structure at an address, plant_got reads it.
const struct go_layout *plant_layout(const struct patch *p);
bool plant_put(struct patch *p, taddr at, enum go_field f, uint64_t value);
uint64_t plant_got(const struct patch *p, taddr at, enum go_field f);

// plant_small finds a span of small objects with pointers, some of them kept
// by the last collection, and its first such object that is live. With full
// (plant_small_of), the objects fill the span's page but for its bitmap.
const struct go_span *plant_small_of(const struct patch *p, bool full,
				     uint32_t *ret_slot);
const struct go_span *plant_small(const struct patch *p, uint32_t *ret_slot);

// plant_span finds a heap span with live objects and that pointer map, and its
// first live object that was not being made.
const struct go_span *plant_span(const struct patch *p, enum go_ptrmap map,
				 uint32_t *ret_slot);

// SMALL declares s and k, the span and slot that plant_small finds.
#define SMALL(p)                                      \
	uint32_t k;                                   \
	const struct go_span *s = plant_small(p, &k); \
	if (!s)                                       \
		return false
