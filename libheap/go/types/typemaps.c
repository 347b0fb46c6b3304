// typemaps.c: see typemaps.h.
#include "libheap/go/types/typemaps.h"

#define DEPTH_MAX 40u // of a directory, and of log2 of buckets

// struct heap_object is an object that a map's word points to the start of.
struct heap_object {
	uint64_t slot;
	uint64_t mask; // of its pointers, when it is small
	bool noscan;
	go_typeid type;
};

static bool object_at(const struct go_typing *t, taddr at,
		      struct heap_object *ret)
{
	struct heap_ref ref;
	size_t n;
	if (heap_find(t->process->heap, at, &ref))
		return false;
	const struct heap_region *r =
		&heap_regions(t->process->heap, &n)[ref.region];
	// Behind a type header is the start of the values, too.
	if (at - heap_ref_at(t->process->heap, ref) > 8)
		return false;
	ret->slot = r->slot;
	ret->noscan = r->flags & HEAP_NOSCAN;
	ret->mask = go_object_mask(t->process, ref.region, ref.slot);
	ret->type = go_typing_of(t, ref.region, r->first_word + ref.slot / 64,
				 ref.slot % 64) >> 1;
	return true;
}

// map_of_groups finds the map type from what its n groups or buckets are.
static go_typeid map_of_groups(struct go_typing *t,
			       const struct go_shapes *shapes,
			       const struct heap_object *groups, uint64_t n)
{
	const struct go_type *r = go_type_get(t->types, groups->type);
	if (r->kind == GO_KIND_STRUCT && r->key &&
	    go_type_get(t->types, r->key)->kind == GO_KIND_MAP)
		return r->key;
	if (groups->type || (!groups->noscan && !groups->mask))
		return 0;
	return go_shape_map(shapes, groups->slot, n, groups->mask);
}

static void claim_opaque(struct go_typing *t, taddr at, const char *name)
{
	go_typing_claim(t, at, go_type_opaque(t->types, name, 8), 1);
}

static void claim_map(struct go_typing *t, taddr at, go_typeid map)
{
	go_typing_claim(
		t, at, go_type_special(t->types, GO_KIND_MAP_HEADER, map, 0),
		0);
}

// swiss_tables claims a map with a directory of n tables.
static bool swiss_tables(struct go_typing *t, const struct go_shapes *shapes,
			 taddr at, taddr dir, uint64_t n)
{
	const struct core *core = t->process->core;
	const uint8_t *tables, *v;
	struct heap_object groups;
	if (core_view(core, dir, 8 * n, &tables, NULL) ||
	    core_view(core, get_u64(tables), 32, &v, NULL) ||
	    !object_at(t, get_u64(v + 16), &groups))
		return false;
	uint64_t n_groups = get_u64(v + 24) + 1;
	go_typeid map = map_of_groups(t, shapes, &groups, n_groups);
	if (map) {
		claim_map(t, at, map);
		return true;
	}
	claim_opaque(t, at, "internal/runtime/maps.Map");
	claim_opaque(t, dir, "*internal/runtime/maps.table");
	for (uint64_t i = 0; i < n; i++) {
		taddr table = get_u64(tables + 8 * i), data;
		claim_opaque(t, table, "internal/runtime/maps.table");
		if (!core_u64(core, table + 16, &data, NULL))
			claim_opaque(t, data, "map groups (unknown type)");
	}
	return true;
}

// is_swiss looks for a maps.Map: used, seed, dirPtr, dirLen, globalDepth,
// globalShift (64 - depth, 0 in small maps that never grew), writing.
// Source: internal/runtime/maps/map.go (1.24–1.27).
static bool is_swiss(struct go_typing *t, const struct go_shapes *shapes,
		     const uint8_t *mem, taddr at)
{
	taddr dir = get_u64(mem + 16);
	uint64_t used = get_u64(mem), n = get_u64(mem + 24);
	uint8_t depth = mem[32], shift = mem[33];
	struct heap_object group;
	if (!dir || mem[34] > 1 || depth > DEPTH_MAX ||
	    used > UINT64_C(1) << 48)
		return false;
	if (n)
		return n == UINT64_C(1) << depth && shift == 64 - depth &&
		       swiss_tables(t, shapes, at, dir, n);
	if (depth || (shift && shift != 64) || used > 8 ||
	    !object_at(t, dir, &group))
		return false;
	go_typeid map = map_of_groups(t, shapes, &group, 1);
	if (map) {
		claim_map(t, at, map);
		return true;
	}
	claim_opaque(t, at, "internal/runtime/maps.Map");
	claim_opaque(t, dir, "map groups (unknown type)");
	return true;
}

// is_old looks for an hmap: count, flags, B, noverflow, hash0, buckets,
// oldbuckets, nevacuate, extra. From 2^4 buckets on the array has 1/16 more.
// Source: runtime/map.go, hmap and makeBucketArray (1.18–1.23).
static bool is_old(struct go_typing *t, const struct go_shapes *shapes,
		   const uint8_t *mem, taddr at)
{
	taddr array = get_u64(mem + 16), old = get_u64(mem + 24);
	uint8_t log = mem[9];
	struct heap_object buckets;
	if (mem[8] > 15 || log > DEPTH_MAX || !array || array == old ||
	    get_u64(mem) > UINT64_C(16) << log ||
	    get_u64(mem + 32) > UINT64_C(1) << log ||
	    !object_at(t, array, &buckets))
		return false;
	uint64_t n = UINT64_C(1) << log;
	if (buckets.slot / n < 16)
		return false;
	go_typeid map = map_of_groups(t, shapes, &buckets,
				      log < 4 ? n : n + n / 16);
	if (map) {
		claim_map(t, at, map);
		return true;
	}
	// An hmap alone is not telling enough to name it without its buckets.
	return false;
}

bool go_typing_map(struct go_typing *t, const struct go_shapes *shapes,
		   const uint8_t *mem, taddr at)
{
	bool swiss = t->process->version.experiments & GO_X_SWISSMAP;
	return swiss ? is_swiss(t, shapes, mem, at) :
		       is_old(t, shapes, mem, at);
}
