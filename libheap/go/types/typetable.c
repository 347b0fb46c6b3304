// typetable.c: numbering types and filling their records; see types.h.
#include "libheap/go/types/typetable.h"

enum hc go_types_open(struct go_process *process, struct dwarf *dwarf,
		      taddr bias, struct pool *pool, struct go_types **ret,
		      struct hc_err *err)
{
	struct go_types *t = pool_new(pool, struct go_types, 1);
	if (!t)
		return hc_nomem(err);
	*t = (struct go_types){ .process = process, .dwarf = dwarf,
				.bias = bias, .pool = &t->own, .n = 1,
				.cap_keys = 1024, .n_state = 1024 };
	if (pool_open(UINT64_C(1) << 31, &t->own, err) ||
	    pool_open(UINT64_C(1) << 31, &t->records, err) ||
	    pool_open(UINT64_C(1) << 31, &t->fields, err)) {
		go_types_close(t);
		return HC_FAIL;
	}
	t->type = pool_new(&t->records, struct go_type, 1);
	t->field = (struct go_type_field *)(void *)t->fields.start;
	t->keys = pool_new(t->pool, struct type_key, t->cap_keys);
	t->state = pool_new(t->pool, uint8_t, t->n_state);
	if (!t->type || !t->keys || !t->state) {
		go_types_close(t);
		return hc_nomem(err);
	}
	*ret = t;
	return HC_OK;
}

void go_types_close(struct go_types *types)
{
	if (!types)
		return;
	pool_close(&types->own);
	pool_close(&types->records);
	pool_close(&types->fields);
}

uint32_t go_type_count(const struct go_types *types)
{
	return types->n;
}

static uint64_t key_hash(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ b << 56) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ h >> 29;
}

// keys_slot returns where a key is or belongs.
static struct type_key *keys_slot(struct type_key *keys, uint64_t cap,
				  uint64_t a, uint64_t b)
{
	for (uint64_t h = key_hash(a, b);; h++) {
		struct type_key *k = &keys[h & (cap - 1)];
		if (!k->id || (k->a == a && k->b == b))
			return k;
	}
}

// keys_room makes room for one more key.
static bool keys_room(struct go_types *t)
{
	if (2 * (t->n_keys + 1) <= t->cap_keys)
		return true;
	uint64_t cap = 4 * t->cap_keys;
	struct type_key *keys = pool_new(t->pool, struct type_key, cap);
	if (!keys)
		return false;
	for (uint64_t i = 0; i < t->cap_keys; i++)
		if (t->keys[i].id)
			*keys_slot(keys, cap, t->keys[i].a, t->keys[i].b) =
				t->keys[i];
	t->keys = keys;
	t->cap_keys = cap;
	return true;
}

// record_new makes a new record and returns its id, 0 when there is no room.
static go_typeid record_new(struct go_types *t)
{
	if (t->n == TYPES_MAX)
		return 0;
	if (t->n == t->n_state) {
		uint8_t *more = pool_grow(t->pool, t->state, 1, 1, t->n_state,
					  UINT64_C(2) * t->n_state);
		if (!more)
			return 0;
		t->state = more;
		t->n_state *= 2;
	}
	if (!pool_new(&t->records, struct go_type, 1))
		return 0;
	return t->n++;
}

go_typeid typetable_find(struct go_types *t, uint64_t a, uint64_t b,
			 bool *ret_new)
{
	struct type_key *k = keys_slot(t->keys, t->cap_keys, a, b);
	*ret_new = false;
	if (k->id)
		return k->id;
	if (!keys_room(t))
		return 0;
	go_typeid id = record_new(t);
	if (!id)
		return 0;
	*keys_slot(t->keys, t->cap_keys, a, b) = (struct type_key){ a, b, id };
	t->n_keys++;
	*ret_new = true;
	return id;
}

void typetable_set(struct go_types *t, uint64_t a, uint64_t b, go_typeid id)
{
	if (!id || !keys_room(t))
		return;
	struct type_key *k = keys_slot(t->keys, t->cap_keys, a, b);
	if (!k->id)
		t->n_keys++;
	*k = (struct type_key){ a, b, id };
}

uint32_t typetable_fields(struct go_types *t, uint32_t n)
{
	uint32_t first = t->n_fields;
	if (n > TYPE_FIELDS_MAX || first > TYPES_MAX - n ||
	    (n && !pool_new(&t->fields, struct go_type_field, n)))
		return UINT32_MAX;
	t->n_fields += n;
	return first;
}

go_typeid go_type_by_rtype(struct go_types *t, taddr rtype)
{
	bool fresh;
	if (!rtype || rtype % 8)
		return 0;
	go_typeid id = typetable_find(t, rtype, TYPE_BY_RTYPE, &fresh);
	if (id && fresh)
		t->type[id].rtype = rtype;
	return go_type_get(t, id)->kind ? id : 0;
}

go_typeid go_type_special(struct go_types *t, enum go_kind kind,
			  go_typeid elem, taddr code)
{
	bool fresh;
	go_typeid id = typetable_find(t, code ? code : elem,
				      TYPE_BY_KIND + (uint64_t)kind, &fresh);
	if (!id || !fresh)
		return id;
	struct go_type *r = &t->type[id];
	r->kind = (uint8_t)kind;
	r->elem = elem;
	r->rtype = code;
	r->size = kind == GO_KIND_STRING_DATA ? 1 : 8;
	t->state[id] = TYPE_READY;
	return id;
}

go_typeid go_type_trie_node(struct go_types *t, go_typeid entry,
			    go_typeid inner)
{
	go_typeid id = go_type_special(t, GO_KIND_TRIE_NODE, entry, 0);
	t->type[id].key = id ? inner : 0;
	return id;
}

go_typeid go_type_pointer_to(struct go_types *t, go_typeid elem)
{
	bool fresh;
	go_typeid id = typetable_find(t, elem, TYPE_POINTER_TO, &fresh);
	if (!id || !fresh)
		return id;
	t->type[id] = (struct go_type){ .kind = GO_KIND_POINTER, .size = 8,
					.ptr_bytes = 8, .elem = elem,
					.direct = true, .align = 8 };
	t->state[id] = TYPE_READY;
	return id;
}

void go_type_learn(struct go_types *t, go_typeid id,
		   const struct go_type_field *fields, uint32_t n)
{
	struct go_type *r = &t->type[id];
	uint32_t first = n ? typetable_fields(t, n) : 0;
	r->learned = true;
	if (!n || first == UINT32_MAX)
		return;
	memcpy(&t->field[first], fields, n * sizeof(*fields));
	r->first_field = first;
	r->n_fields = n;
}

go_typeid go_type_opaque(struct go_types *t, const char *name, uint64_t size)
{
	bool fresh;
	go_typeid id = typetable_find(t, (uintptr_t)name, TYPE_BY_NAME, &fresh);
	if (!id || !fresh)
		return id;
	t->type[id] = (struct go_type){ .kind = GO_KIND_OPAQUE, .name = name,
					.size = size, .ptr_bytes = size,
					.named = true };
	t->state[id] = TYPE_READY;
	return id;
}

// kind_size returns the size that values of a kind must have, 0 when it
// depends on the type.
static uint64_t kind_size(uint8_t kind)
{
	static const uint8_t sizes[] = {
		[GO_KIND_BOOL] = 1,	[GO_KIND_INT] = 8,
		[GO_KIND_INT8] = 1,	[GO_KIND_INT16] = 2,
		[GO_KIND_INT32] = 4,	[GO_KIND_INT64] = 8,
		[GO_KIND_UINT] = 8,	[GO_KIND_UINT8] = 1,
		[GO_KIND_UINT16] = 2,	[GO_KIND_UINT32] = 4,
		[GO_KIND_UINT64] = 8,	[GO_KIND_UINTPTR] = 8,
		[GO_KIND_FLOAT32] = 4,	[GO_KIND_FLOAT64] = 8,
		[GO_KIND_COMPLEX64] = 8, [GO_KIND_COMPLEX128] = 16,
		[GO_KIND_CHAN] = 8,	[GO_KIND_FUNC] = 8,
		[GO_KIND_INTERFACE] = 16, [GO_KIND_MAP] = 8,
		[GO_KIND_POINTER] = 8,	[GO_KIND_SLICE] = 24,
		[GO_KIND_STRING] = 16,	[GO_KIND_UNSAFE_POINTER] = 8,
	};
	return kind < sizeof(sizes) ? sizes[kind] : 0;
}

const struct go_type *go_type_get(struct go_types *t, go_typeid id)
{
	if (id >= t->n)
		id = 0;
	struct go_type *r = &t->type[id];
	if (!id || t->state[id] == TYPE_READY)
		return r;
	t->state[id] = TYPE_READY;
	bool ok = r->rtype ? rtype_fill(t, r) : dietype_fill(t, r);
	uint64_t size = kind_size(r->kind);
	if (!ok || (size && size != r->size)) {
		taddr rtype = r->rtype;
		uint32_t die = r->die;
		*r = (struct go_type){ .rtype = rtype, .die = die };
	}
	return r;
}

const struct go_type_field *go_type_field_at(const struct go_types *t,
					     const struct go_type *type,
					     uint32_t i)
{
	return &t->field[type->first_field + i];
}

bool go_type_holds(struct go_types *t, const struct go_type *whole,
		   go_typeid part, uint64_t n)
{
	uint64_t size = go_type_get(t, part)->size;
	return !size || n <= whole->size / size;
}
