// typespecial.c: see typespecial.h.
#include "libheap/go/types/typespecial.h"

#include "libheap/go/types/typeclosure.h"

// claim_overflow claims the overflow buckets that an old map's extra record
// lists, which it does when buckets hold no pointers: extra {overflow,
// oldoverflow *[]*bmap, nextOverflow *bmap}.
static void claim_overflow(struct go_typing *t, taddr extra, go_typeid bucket)
{
	const struct core *core = t->process->core;
	go_typing_claim(t, extra,
			go_type_opaque(t->types, "runtime.mapextra", 24), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct go_slice list;
		const uint8_t *v;
		taddr header;
		if (core_u64(core, extra + 8 * i, &header, NULL) || !header ||
		    go_slice_at(t->process, header, 8, &list, NULL) ||
		    core_view(core, list.at, 8 * list.len, &v, NULL))
			continue;
		go_typing_claim(t, header,
				go_type_opaque(t->types, "[]*runtime.bmap",
					       24),
				0);
		go_typing_claim(t, list.at,
				go_type_opaque(t->types, "*runtime.bmap", 8),
				list.cap);
		for (uint64_t k = 0; k < list.len; k++)
			go_typing_claim(t, get_u64(v + 8 * k), bucket, 0);
	}
}

// old_map_len returns the size of an hmap: 1.24 and 1.25 (X:noswissmap) have
// clearSeq before the last word.
static uint64_t old_map_len(const struct go_typing *t)
{
	return t->process->version.minor < 24 ? 48 : 56;
}

// old_map follows an hmap: count@0, flags@8, B@9, buckets@16, oldbuckets@24,
// extra in the last word.
static void old_map(struct go_typing *t, const struct go_type *map,
		    const uint8_t *mem)
{
	uint8_t log = mem[9];
	uint64_t n = log < 40 ? UINT64_C(1) << log : 1;
	bool same_size = mem[8] & 8;
	uint64_t n_old = same_size || !log || log >= 40 ? n : n / 2;
	go_typing_claim(t, get_u64(mem + 16), map->group, n);
	go_typing_claim(t, get_u64(mem + 24), map->group, n_old);
	taddr extra = get_u64(mem + old_map_len(t) - 8);
	if (extra)
		claim_overflow(t, extra, map->group);
}

// swiss_map follows a maps.Map: dirPtr@16, dirLen@24. Without a directory
// dirPtr is the only group.
static void swiss_map(struct go_typing *t, go_typeid id,
		      const struct go_type *map, const uint8_t *mem)
{
	taddr dir = get_u64(mem + 16);
	uint64_t n = get_u64(mem + 24);
	if (!n)
		go_typing_claim(t, dir, map->group, 0);
	else
		go_typing_claim(t, dir,
				go_type_special(t->types, GO_KIND_MAP_DIRECTORY,
						id, 0),
				0);
}

// directory follows a map's table pointers.
static void directory(struct go_typing *t, go_typeid map, const uint8_t *mem,
		      uint64_t len)
{
	go_typeid table = go_type_special(t->types, GO_KIND_MAP_TABLE, map, 0);
	for (uint64_t off = 0; off + 8 <= len; off += 8)
		go_typing_claim(t, get_u64(mem + off), table, 0);
}

// channel follows an hchan: dataqsiz@8, buf@16.
static void channel(struct go_typing *t, const struct go_type *chan,
		    const uint8_t *mem, taddr at, uint64_t len)
{
	taddr buf = get_u64(mem + 16);
	uint64_t n = get_u64(mem + 8);
	if (n && (buf < at || buf - at >= len))
		go_typing_claim(t, buf, chan->elem, n);
}

// closure claims an object by the code that its first word points to, if that
// is where a function begins.
static void closure(struct go_typing *t, taddr code, taddr at)
{
	struct go_known *known = go_known_of(t, false, code);
	struct go_func fn;
	if (known->word != code) {
		*known = (struct go_known){ code, 0 };
		if (!go_func_at(t->process, code, &fn) && fn.entry == code)
			known->type = go_type_special(t->types, GO_KIND_CLOSURE,
						      0, code);
	}
	go_typing_claim(t, at, known->type, 0);
}

void go_typing_special(struct go_typing *t, go_typeid id, const uint8_t *mem,
		       taddr at, uint64_t len)
{
	const struct go_type *type = go_type_get(t->types, id);
	const struct go_type *of = go_type_get(t->types, type->elem);
	switch (type->kind) {
	case GO_KIND_MAP_HEADER:
		if (t->process->version.experiments & GO_X_SWISSMAP) {
			if (len >= 48)
				swiss_map(t, type->elem, of, mem);
		} else if (len >= old_map_len(t)) {
			old_map(t, of, mem);
		}
		return;
	case GO_KIND_MAP_DIRECTORY:
		directory(t, type->elem, mem, len);
		return;
	case GO_KIND_MAP_TABLE:
		// table: groups.data@16, groups.lengthMask@24.
		if (len >= 32)
			go_typing_claim(t, get_u64(mem + 16), of->group,
					get_u64(mem + 24) + 1);
		return;
	case GO_KIND_CLOSURE:
		go_typing_captured(t, id, mem, at, len);
		return;
	case GO_KIND_SOME_CLOSURE:
		if (len >= 8)
			closure(t, get_u64(mem), at);
		return;
	case GO_KIND_TRIE_NODE:
		go_typing_claim(t, at, mem[0] ? type->elem : type->key, 0);
		return;
	case GO_KIND_CHANNEL:
		if (len >= 32)
			channel(t, of, mem, at, len);
		return;
	default:
		return;
	}
}

void go_typing_closure(struct go_typing *t, taddr at)
{
	go_typing_claim(t, at,
			go_type_special(t->types, GO_KIND_SOME_CLOSURE, 0, 0),
			0);
}
