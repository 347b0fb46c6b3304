// mapiter.c: see mapiter.h.
#include "libheap/go/values/mapiter.h"

#include "libheap/go/heap/chain.h"
#include "libheap/go/types/typetable.h"

enum { OLD_SAME_SIZE = 8,                  // hmap.flags: growing in place
       TOP_EVACUATED_FIRST = 2, TOP_EVACUATED_LAST = 4, TOP_LIVE = 5 };

struct iter {
	const struct core *core;
	struct go_map_layout l;
	uint64_t key_size, elem_size;
	go_map_fn *fn;
	void *ctx;
	uint64_t n, left; // entries met; groups or buckets still to look at
	bool stop;
};

// enter says whether one more group or bucket may be looked at.
static bool enter(struct iter *it)
{
	if (!it->left)
		it->stop = true;
	else
		it->left--;
	return !it->stop;
}

// value_at finds a slot's key or elem: there, or behind a pointer.
static bool value_at(const struct iter *it, taddr at, bool indirect,
		     uint64_t size, const uint8_t **ret, taddr *ret_at)
{
	if (indirect && core_u64(it->core, at, &at, NULL))
		return false;
	*ret_at = at;
	return core_view(it->core, at, size, ret, NULL) == HC_OK;
}

// slot hands out slot i of the group or bucket at `group`.
static void slot(struct iter *it, taddr group, unsigned i)
{
	struct go_map_entry e;
	if (!value_at(it, group + it->l.keys_off + i * it->l.key_stride,
		      it->l.indirect_key, it->key_size, &e.key, &e.key_at) ||
	    !value_at(it, group + it->l.elems_off + i * it->l.elem_stride,
		      it->l.indirect_elem, it->elem_size, &e.elem, &e.elem_at))
		return;
	it->n++;
	it->stop = !it->fn(it->ctx, &e);
}

// groups hands out the full slots of n Swiss groups.
static void groups(struct iter *it, taddr at, uint64_t n)
{
	for (uint64_t g = 0; g < n && !it->stop && enter(it); g++) {
		const uint8_t *ctrl;
		taddr group = at + g * it->l.group_size;
		if (core_view(it->core, group, 8, &ctrl, NULL))
			return;
		for (unsigned i = 0; i < 8 && !it->stop; i++)
			if (!(ctrl[i] & 0x80))
				slot(it, group, i);
	}
}

// swiss hands out the entries of a maps.Map.
static void swiss(struct iter *it, const uint8_t *map)
{
	taddr dir = get_u64(map + 16), last = 0;
	uint64_t n = get_u64(map + 24);
	if (!n && dir)
		groups(it, dir, 1);
	for (uint64_t i = 0; i < n && !it->stop; i++) {
		taddr table;
		const uint8_t *v;
		if (!enter(it) || core_u64(it->core, dir + 8 * i, &table, NULL))
			return;
		// A table that was split less stands in a row several times.
		if (!table || table == last ||
		    core_view(it->core, table, 32, &v, NULL))
			continue;
		last = table;
		groups(it, get_u64(v + 16), get_u64(v + 24) + 1);
	}
}

// bucket_chain hands out a bucket and its overflow buckets.
static void bucket_chain(struct iter *it, taddr at)
{
	struct go_chain chain = { 0 };
	while (!it->stop && go_chain_on(&chain, at) && enter(it)) {
		const uint8_t *top;
		if (core_view(it->core, at, it->l.group_size, &top, NULL))
			return;
		for (unsigned i = 0; i < 8 && !it->stop; i++)
			if (top[i] >= TOP_LIVE)
				slot(it, at, i);
		at = get_u64(top + it->l.overflow_off);
	}
}

// buckets hands out n buckets; of an old array only what was not moved yet.
static void buckets(struct iter *it, taddr at, uint64_t n, bool is_old)
{
	for (uint64_t b = 0; at && b < n && !it->stop && enter(it); b++) {
		uint8_t top;
		taddr bucket = at + b * it->l.group_size;
		if (core_u8(it->core, bucket, &top, NULL))
			return;
		if (is_old && top >= TOP_EVACUATED_FIRST &&
		    top <= TOP_EVACUATED_LAST)
			continue;
		bucket_chain(it, bucket);
	}
}

// old hands out the entries of an hmap.
static void old(struct iter *it, const uint8_t *map)
{
	uint8_t log = map[9];
	taddr before = get_u64(map + 24);
	if (log >= 48)
		return;
	uint64_t n = UINT64_C(1) << log;
	buckets(it, get_u64(map + 16), n, false);
	if (before)
		buckets(it, before,
			map[8] & OLD_SAME_SIZE || !log ? n : n / 2, true);
}

uint64_t go_map_each(struct go_types *types, go_typeid map, taddr header,
		     uint64_t max, go_map_fn *fn, void *ctx)
{
	const struct go_type *r = go_type_get(types, map);
	const uint8_t *v;
	struct iter it = { .core = types->process->core, .fn = fn,
			   .ctx = ctx, .left = max };
	if (!go_map_layout_of(types, map, &it.l) ||
	    core_view(it.core, header, 48, &v, NULL))
		return 0;
	it.key_size = go_type_get(types, r->key)->size;
	it.elem_size = go_type_get(types, r->elem)->size;
	if (it.l.swiss)
		swiss(&it, v);
	else
		old(&it, v);
	return it.n;
}

uint64_t go_map_len(struct go_types *types, taddr header)
{
	// hmap.count and Map.used are both the first word.
	uint64_t n;
	if (core_u64(types->process->core, header, &n, NULL))
		return 0;
	return n;
}
