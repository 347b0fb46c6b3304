// walk.c: see walk.h. Structs within structs are flattened over an explicit
// stack; long arrays stay one item.
#include "libheap/go/types/walk.h"

#define WALK_ITEMS 65536u  // of one type
#define WALK_STACK 1024u   // types being flattened
#define WALK_UNROLL 4u     // arrays up to this length are flattened
#define WALK_TOTAL (1u << 25)

struct walk_entry {
	uint32_t first, n;
	bool made, cut;
};

struct walks {
	struct go_types *types;
	struct pool *pool; // names that were looked up
	struct pool items, entries; // one array each, which never moves
	struct walk_item *item;
	struct walk_entry *entry; // by type id
	uint32_t n_items, n_entries;
};

enum hc walks_open(struct go_types *types, struct pool *pool,
		   struct walks **ret, struct hc_err *err)
{
	struct walks *w = pool_new(pool, struct walks, 1);
	if (!w)
		return hc_nomem(err);
	w->types = types;
	w->pool = pool;
	HC_TRY(pool_open(UINT64_C(1) << 30, &w->items, err));
	enum hc got = pool_open(UINT64_C(1) << 29, &w->entries, err);
	if (got) {
		pool_close(&w->items);
		return got;
	}
	w->item = (struct walk_item *)(void *)w->items.start;
	w->entry = (struct walk_entry *)(void *)w->entries.start;
	*ret = w;
	return HC_OK;
}

void walks_close(struct walks *walks)
{
	if (!walks)
		return;
	pool_close(&walks->items);
	pool_close(&walks->entries);
}

// struct part is a type still to be flattened.
struct part {
	go_typeid type;
	uint64_t off;
};

struct flatten {
	struct walks *w;
	struct walk_entry *entry;
	struct part stack[WALK_STACK];
	uint32_t n;
	uint32_t budget;
};

static void emit(struct flatten *f, enum walk_op op, uint64_t off,
		 go_typeid type, uint64_t n, uint64_t stride)
{
	struct walks *w = f->w;
	struct walk_item *item = NULL;
	if (off <= UINT32_MAX && n <= UINT32_MAX && stride <= UINT32_MAX &&
	    f->entry->n < WALK_ITEMS && w->n_items < WALK_TOTAL)
		item = pool_new(&w->items, struct walk_item, 1);
	if (!item) {
		f->entry->cut = true;
		return;
	}
	*item = (struct walk_item){ (uint32_t)off, (uint32_t)n, type,
				    (uint32_t)stride, (uint8_t)op };
	w->n_items++;
	f->entry->n++;
}

static void push(struct flatten *f, go_typeid type, uint64_t off)
{
	if (f->n == WALK_STACK)
		f->entry->cut = true;
	else
		f->stack[f->n++] = (struct part){ type, off };
}

// trie_part returns the type internal/sync.`part`[K,V] next to node[K,V], 0
// when elem is no such node.
static go_typeid trie_part(struct walks *w, go_typeid elem, const char *part)
{
	static const char *const packages[] = { "internal/sync.",
						"internal/concurrent." };
	const struct go_type *r = go_type_get(w->types, elem);
	if (r->kind != GO_KIND_STRUCT || r->size != 1 || r->n_fields != 1 ||
	    strcmp(go_type_field_at(w->types, r, 0)->name, "isEntry"))
		return 0;
	const char *name = go_type_name(w->types, elem, w->pool);
	for (unsigned i = 0; i < 2; i++) {
		size_t n = strlen(packages[i]);
		if (strncmp(name, packages[i], n) ||
		    strncmp(name + n, "node[", 5))
			continue;
		const char *other = pool_printf(w->pool, "%s%s%s", packages[i],
						part, name + n + 4);
		return other ? go_type_named(w->types, other) : 0;
	}
	return 0;
}

// typed_pointer finds T in struct { _ [0]*T; …; p unsafe.Pointer }, the shape
// of sync/atomic.Pointer[T] since Go 1.19. weak.Pointer has the same, but its
// word, u, points to a handle.
static go_typeid typed_pointer(struct walks *w, const struct go_type *r)
{
	struct go_types *t = w->types;
	if (r->n_fields < 2 || r->n_fields > 3)
		return 0;
	const struct go_type *array =
		go_type_get(t, go_type_field_at(t, r, 0)->type);
	if (array->kind != GO_KIND_ARRAY || array->len)
		return 0;
	const struct go_type *pointer = go_type_get(t, array->elem);
	const struct go_type *last =
		go_type_get(t, go_type_field_at(t, r, r->n_fields - 1)->type);
	if (pointer->kind != GO_KIND_POINTER ||
	    last->kind != GO_KIND_UNSAFE_POINTER ||
	    !strcmp(go_type_field_at(t, r, r->n_fields - 1)->name, "u") ||
	    go_type_field_at(t, r, r->n_fields - 1)->off + 8 > r->size)
		return 0;
	return pointer->elem;
}

// is_shape says whether a type stands for many, in code that generic functions
// share: what a pointer of it points to is not known.
// Source: cmd/compile/internal/noder/reader.go, shapify (1.18–1.27).
static bool is_shape(struct walks *w, go_typeid id, const struct go_type *r)
{
	if (!r->named)
		return false;
	char *mark = pool_mark(w->pool);
	bool shape = !strncmp(go_type_name(w->types, id, w->pool), "go.shape.",
			      9);
	pool_rewind(w->pool, mark);
	return shape;
}

// flatten_pointer notes a pointer. Nodes of a HashTrieMap are entries or inner
// nodes, which their first byte tells.
// Source: internal/concurrent (1.23), internal/sync (1.24+) hashtriemap.go.
static void flatten_pointer(struct flatten *f, uint64_t off, go_typeid elem)
{
	struct walks *w = f->w;
	go_typeid inner = trie_part(w, elem, "indirect");
	go_typeid entry = inner ? trie_part(w, elem, "entry") : 0;
	if (entry)
		elem = go_type_trie_node(w->types, entry, inner);
	emit(f, WALK_POINTER, off, elem, 1, 0);
}

// is_pool_slot says whether a struct is sync.eface, the interface that a
// sync.Pool keeps in its queues as two unsafe pointers.
// Source: sync/poolqueue.go (1.18–1.27).
static bool is_pool_slot(const struct go_types *t, const struct go_type *r)
{
	return r->n_fields == 2 && r->size == 16 &&
	       !strcmp(go_type_field_at(t, r, 0)->name, "typ") &&
	       !strcmp(go_type_field_at(t, r, 1)->name, "val") &&
	       go_type_field_at(t, r, 1)->off == 8;
}

// is_bucket says whether a struct is a bucket of an old map, whose last word
// links to the next one: the compiler's type, or the linker's of the DWARF.
// Source: cmd/compile/internal/reflectdata (to 1.23); cmd/link, dwarf.go.
static bool is_bucket(const struct go_types *t, const struct go_type *r)
{
	if (r->n_fields != 4 || r->size < 16)
		return false;
	const char *first = go_type_field_at(t, r, 0)->name;
	return (!strcmp(first, "topbits") || !strcmp(first, "tophash")) &&
	       !strcmp(go_type_field_at(t, r, 3)->name, "overflow") &&
	       go_type_field_at(t, r, 3)->off == r->size - 8;
}

// struct field_rule says what an unsafe.Pointer of the library points to.
// Source: sync/pool.go Pool (1.18–1.27); sync/map.go entry (1.18).
struct field_rule {
	const char *type, *field, *target;
	enum walk_op op;
};
static const struct field_rule field_rules[] = {
	{ "sync.Pool", "local", "sync.poolLocal", WALK_OBJECT },
	{ "sync.Pool", "victim", "sync.poolLocal", WALK_OBJECT },
	{ "sync.entry", "p", "interface {}", WALK_POINTER },
};

// flatten_rule notes field f of the struct if there is a rule for it.
static bool flatten_rule(struct flatten *f, struct part p,
			 const struct go_type_field *field)
{
	struct walks *w = f->w;
	if (go_type_get(w->types, field->type)->kind != GO_KIND_UNSAFE_POINTER)
		return false;
	for (size_t i = 0; i < sizeof(field_rules) / sizeof(*field_rules);
	     i++) {
		const struct field_rule *r = &field_rules[i];
		if (strcmp(field->name, r->field) ||
		    strcmp(go_type_name(w->types, p.type, w->pool), r->type))
			continue;
		go_typeid target = go_type_named(w->types, r->target);
		if (target)
			emit(f, r->op, p.off + field->off, target, 1, 0);
		return target != 0;
	}
	return false;
}

// flatten_struct puts a struct's fields on the stack, the last one first.
static void flatten_struct(struct flatten *f, struct part p,
			   const struct go_type *r)
{
	struct go_types *t = f->w->types;
	go_typeid target = typed_pointer(f->w, r);
	if (target) {
		flatten_pointer(f,
				p.off + go_type_field_at(t, r,
							 r->n_fields - 1)
						->off,
				target);
		return;
	}
	if (is_pool_slot(t, r)) {
		emit(f, WALK_EFACE, p.off, 0, 1, 0);
		return;
	}
	uint32_t n = r->n_fields;
	if (is_bucket(t, r)) {
		emit(f, WALK_POINTER, p.off + r->size - 8, p.type, 1, 0);
		n--;
	}
	for (uint32_t i = n; i-- > 0;) {
		const struct go_type_field *field = go_type_field_at(t, r, i);
		uint64_t size = go_type_get(t, field->type)->size;
		if (size > r->size || field->off > r->size - size)
			continue;
		if (!flatten_rule(f, p, field))
			push(f, field->type, p.off + field->off);
	}
}

// flatten_array unrolls a short array and notes a long one.
static void flatten_array(struct flatten *f, struct part p,
			  const struct go_type *r)
{
	const struct go_type *e = go_type_get(f->w->types, r->elem);
	if (!e->ptr_bytes || !e->size || !r->len ||
	    !go_type_holds(f->w->types, r, r->elem, r->len))
		return;
	if (r->len > WALK_UNROLL) {
		emit(f, WALK_ARRAY, p.off, r->elem, r->len, e->size);
		return;
	}
	for (uint64_t i = r->len; i-- > 0;)
		push(f, r->elem, p.off + i * e->size);
}

// flatten_part lists one type at its offset.
static void flatten_part(struct flatten *f, struct part p)
{
	const struct go_type *r = go_type_get(f->w->types, p.type);
	if (!r->ptr_bytes)
		return;
	switch (r->kind) {
	case GO_KIND_POINTER:
		if (is_shape(f->w, p.type, r))
			emit(f, WALK_UNSAFE, p.off, 0, 1, 0);
		else
			flatten_pointer(f, p.off, r->elem);
		break;
	case GO_KIND_SLICE:
		emit(f, WALK_SLICE, p.off, r->elem, 1, 0);
		break;
	case GO_KIND_STRING:
		emit(f, WALK_STRING, p.off,
		     go_type_special(f->w->types, GO_KIND_STRING_DATA, 0, 0), 1,
		     0);
		break;
	case GO_KIND_MAP:
		emit(f, WALK_POINTER, p.off,
		     go_type_special(f->w->types, GO_KIND_MAP_HEADER, p.type,
				     0),
		     1, 0);
		break;
	case GO_KIND_CHAN:
		emit(f, WALK_POINTER, p.off,
		     go_type_special(f->w->types, GO_KIND_CHANNEL, p.type, 0),
		     1, 0);
		break;
	case GO_KIND_FUNC:
		emit(f, WALK_POINTER, p.off,
		     go_type_special(f->w->types, GO_KIND_SOME_CLOSURE, 0, 0),
		     1, 0);
		break;
	case GO_KIND_INTERFACE:
		emit(f, r->empty_interface ? WALK_EFACE : WALK_IFACE, p.off, 0,
		     1, 0);
		break;
	case GO_KIND_UNSAFE_POINTER:
		emit(f, WALK_UNSAFE, p.off, 0, 1, 0);
		break;
	case GO_KIND_STRUCT:
		flatten_struct(f, p, r);
		break;
	case GO_KIND_ARRAY:
		flatten_array(f, p, r);
		break;
	default:
		break;
	}
}

// walk_make lists a type for the first time.
static void walk_make(struct walks *w, go_typeid type,
		      struct walk_entry *entry)
{
	struct flatten f = { .w = w, .entry = entry, .budget = 1u << 20 };
	entry->made = true;
	entry->first = w->n_items;
	push(&f, type, 0);
	while (f.n && f.budget--)
		flatten_part(&f, f.stack[--f.n]);
	entry->cut |= f.n != 0;
}

struct walk walk_of(struct walks *w, go_typeid type)
{
	if (type >= w->n_entries) {
		uint32_t more = type + 1 - w->n_entries;
		if (!pool_new(&w->entries, struct walk_entry, more))
			return (struct walk){ 0 };
		w->n_entries += more;
	}
	struct walk_entry *e = &w->entry[type];
	if (!e->made)
		walk_make(w, type, e);
	return (struct walk){ w->item + e->first, e->n,
			      go_type_get(w->types, type)->size, e->cut };
}
