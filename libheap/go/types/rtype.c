// rtype.c: type descriptors in memory (abi.Type and what follows it).
//
// Source: internal/abi/type.go and map_swiss.go, map_noswiss.go (1.21–1.27);
// runtime/type.go and reflect/type.go before. The first 48 bytes are the same
// in all; what follows by kind is read at the offsets given below.
#include "libheap/go/types/typetable.h"

enum { TFLAG_UNCOMMON = 1, TFLAG_EXTRA_STAR = 2, TFLAG_NAMED = 4,
       TFLAG_DIRECT = 32, KIND_BITS = 31, KIND_DIRECT = 32, NAME_MAX = 1024 };

// name_at reads a name: a flag byte, the length as a varint, the bytes.
static bool name_at(const struct go_types *t, taddr at, struct bytes *ret)
{
	struct core_window w;
	uint64_t len;
	if (core_window(t->process->core, at, &w))
		return false;
	uint64_t off = at - w.base;
	struct bytes b = { w.bytes + off, w.len - off, at };
	uint8_t flag;
	// Go 1.18 already has the varint; 1.16's two-byte length is gone.
	return !bytes_u8(&b, &flag, NULL) && !bytes_uleb(&b, &len, NULL) &&
	       len <= NAME_MAX && !bytes_take(&b, len, ret, NULL);
}

// kind_len returns how long the descriptor of a kind is before its uncommon
// part.
static uint64_t kind_len(const struct go_types *t, uint8_t kind)
{
	switch (kind) {
	case GO_KIND_ARRAY:
		return 72;
	case GO_KIND_CHAN:
		return 64;
	case GO_KIND_FUNC:
		return 56;
	case GO_KIND_INTERFACE:
	case GO_KIND_STRUCT:
		return 80;
	case GO_KIND_MAP:
		if (!(t->process->version.experiments & GO_X_SWISSMAP))
			return 88;
		return t->process->version.minor >= 27 ? 136 : 112;
	case GO_KIND_POINTER:
	case GO_KIND_SLICE:
		return 56;
	default:
		return 48;
	}
}

bool rtype_string(struct go_types *t, taddr rtype, struct bytes *ret,
		  struct bytes *ret_path)
{
	const struct go_module *m = go_module_of_type(t->process, rtype);
	const uint8_t *v, *u;
	struct bytes s, path = { 0 };
	if (!m || core_view(t->process->core, rtype, 48, &v, NULL) ||
	    !name_at(t, m->types + get_u32(v + 40), &s))
		return false;
	if ((v[20] & TFLAG_EXTRA_STAR) && s.len) {
		s.at++;
		s.len--;
	}
	if ((v[20] & TFLAG_UNCOMMON) &&
	    !core_view(t->process->core,
		       rtype + kind_len(t, v[23] & KIND_BITS), 16, &u, NULL) &&
	    get_u32(u) && !name_at(t, m->types + get_u32(u), &path))
		path.len = 0;
	*ret = s;
	*ret_path = path;
	return true;
}

// struct_fill reads the fields of a struct type: at 56 a slice of
// {name, type, offset}. Go 1.18 keeps "embedded" in the offset's lowest bit,
// later versions in the name's flags.
static bool struct_fill(struct go_types *t, struct go_type *r, const uint8_t *v)
{
	taddr at = get_u64(v + 56);
	uint64_t n = get_u64(v + 64);
	const uint8_t *f;
	bool old = t->process->version.minor < 19;
	if (n > TYPE_FIELDS_MAX ||
	    (n && core_view(t->process->core, at, 24 * n, &f, NULL)))
		return false;
	uint32_t first = typetable_fields(t, (uint32_t)n);
	if (first == UINT32_MAX)
		return false;
	r->first_field = first;
	r->n_fields = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++, f += 24) {
		struct go_type_field *to = &t->field[first + i];
		struct bytes name;
		uint64_t off = get_u64(f + 16);
		uint8_t flag = 0;
		to->off = old ? off >> 1 : off;
		if (core_u8(t->process->core, get_u64(f), &flag, NULL) ||
		    !name_at(t, get_u64(f), &name))
			name.len = 0;
		to->embedded = old ? off & 1 : (flag & 8) != 0;
		to->name = pool_copy(t->pool, name.len ? name.at : NULL,
				     name.len);
		if (!to->name || to->off > r->size)
			return false;
		bool fresh;
		to->type = typetable_find(t, get_u64(f + 8), TYPE_BY_RTYPE,
					  &fresh);
		if (fresh)
			t->type[to->type].rtype = get_u64(f + 8);
	}
	return true;
}

// part returns the id of the descriptor that a word of v points to, without
// reading that yet.
static go_typeid part(struct go_types *t, const uint8_t *v, unsigned off)
{
	bool fresh;
	taddr at = get_u64(v + off);
	if (!at || at % 8)
		return 0;
	go_typeid id = typetable_find(t, at, TYPE_BY_RTYPE, &fresh);
	if (fresh)
		t->type[id].rtype = at;
	return id;
}

// kind_fill reads what follows the common part.
static bool kind_fill(struct go_types *t, struct go_type *r)
{
	const uint8_t *v;
	if (core_view(t->process->core, r->rtype, kind_len(t, r->kind), &v,
		      NULL))
		return false;
	switch (r->kind) {
	case GO_KIND_ARRAY:
		r->elem = part(t, v, 48);
		r->len = get_u64(v + 64);
		return true;
	case GO_KIND_CHAN:
	case GO_KIND_POINTER:
	case GO_KIND_SLICE:
		r->elem = part(t, v, 48);
		return true;
	case GO_KIND_MAP:
		r->key = part(t, v, 48);
		r->elem = part(t, v, 56);
		r->group = part(t, v, 64);
		// The way back: from a bucket or group to its map.
		if (r->group)
			t->type[r->group].key = (go_typeid)(r - t->type);
		return true;
	case GO_KIND_INTERFACE:
		r->empty_interface = get_u64(v + 64) == 0;
		return true;
	case GO_KIND_STRUCT:
		return struct_fill(t, r, v);
	default:
		return true;
	}
}

bool rtype_fill(struct go_types *t, struct go_type *r)
{
	const uint8_t *v;
	if (core_view(t->process->core, r->rtype, 48, &v, NULL))
		return false;
	uint8_t kind = v[23] & KIND_BITS, align = v[21];
	r->size = get_u64(v);
	r->ptr_bytes = get_u64(v + 8);
	r->kind = kind;
	r->align = align;
	r->named = v[20] & TFLAG_NAMED;
	r->direct = t->process->version.minor >= 26 ? v[20] & TFLAG_DIRECT :
						      v[23] & KIND_DIRECT;
	if (kind == 0 || kind > GO_KIND_UNSAFE_POINTER ||
	    r->ptr_bytes > r->size || r->ptr_bytes % 8 || !align || align > 64)
		return false;
	return kind_fill(t, r);
}

// swiss_layout reads a Swiss map's layout.
// Source: internal/abi/map_swiss.go (1.24–1.25), map.go (1.26–1.27).
static bool swiss_layout(const struct go_types *t, const uint8_t *v,
			 struct go_map_layout *ret)
{
	bool strides = t->process->version.minor >= 27;
	uint32_t flags = get_u32(v + (strides ? 128 : 104));
	ret->swiss = true;
	ret->group_size = get_u64(v + 80);
	ret->indirect_key = flags & 4;
	ret->indirect_elem = flags & 8;
	if (strides) {
		ret->keys_off = get_u64(v + 88);
		ret->key_stride = get_u64(v + 96);
		ret->elems_off = get_u64(v + 104);
		ret->elem_stride = get_u64(v + 112);
	} else {
		ret->keys_off = 8;
		ret->key_stride = ret->elem_stride = get_u64(v + 88);
		ret->elems_off = 8 + get_u64(v + 96);
	}
	return true;
}

// old_layout reads an hmap's. Source: runtime/map.go, type.go (1.18–1.23).
static bool old_layout(const uint8_t *v, struct go_map_layout *ret)
{
	uint32_t flags = get_u32(v + 84);
	ret->swiss = false;
	ret->key_stride = v[80];
	ret->elem_stride = v[81];
	ret->group_size = get_u16(v + 82);
	ret->indirect_key = flags & 1;
	ret->indirect_elem = flags & 2;
	ret->keys_off = 8;
	ret->elems_off = 8 + 8 * ret->key_stride;
	ret->overflow_off = ret->group_size - 8;
	return ret->group_size >= 16;
}

bool go_map_layout_of(struct go_types *t, go_typeid map,
		      struct go_map_layout *ret)
{
	const struct go_type *r = go_type_get(t, map);
	const uint8_t *v;
	struct go_map_layout l = { 0 };
	if (r->kind != GO_KIND_MAP || !r->rtype ||
	    core_view(t->process->core, r->rtype, kind_len(t, GO_KIND_MAP), &v,
		      NULL))
		return false;
	bool ok = t->process->version.experiments & GO_X_SWISSMAP ?
			  swiss_layout(t, v, &l) :
			  old_layout(v, &l);
	uint64_t size = l.group_size;
	if (!ok || size > UINT64_C(1) << 24 || l.keys_off > size ||
	    l.key_stride > size || l.elems_off > size || l.elem_stride > size ||
	    l.keys_off + 7 * l.key_stride > size ||
	    l.elems_off + 7 * l.elem_stride > size)
		return false;
	*ret = l;
	return true;
}

go_typeid go_dynamic_type(struct go_types *t, taddr word, bool is_itab)
{
	// itab {Inter, Type, Hash, Fun…}: Type is at 8 in 1.18–1.27.
	if (is_itab && core_u64(t->process->core, word + 8, &word, NULL))
		return 0;
	return go_type_by_rtype(t, word);
}

bool go_is_type_address(const struct go_types *t, taddr at)
{
	return at % 8 == 0 && go_module_of_type(t->process, at) != NULL;
}

bool go_is_itab(struct go_types *t, taddr at)
{
	taddr inter, type;
	const struct go_type *r;
	if (at % 8 || core_u64(t->process->core, at, &inter, NULL) ||
	    !go_is_type_address(t, inter) ||
	    core_u64(t->process->core, at + 8, &type, NULL) ||
	    !go_is_type_address(t, type))
		return false;
	r = go_type_get(t, go_type_by_rtype(t, inter));
	return r->kind == GO_KIND_INTERFACE && !r->empty_interface;
}
