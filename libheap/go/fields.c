// fields.c: see fields.h.
#include "libheap/go/fields.h"

#include "libheap/go/mapiter.h"
#include "libheap/go/value.h"

#define PARTS 4096u     // fields waiting
#define FIELD_DEPTH 6u  // of structs shown field by field

// struct part is a value still to be shown.
struct part {
	const char *name;
	const uint8_t *mem;
	taddr at;
	go_typeid type;
	unsigned depth;
};

struct show {
	struct go_process *process;
	struct go_types *types;
	heap_field_fn *fn;
	void *ctx;
	struct pool *pool; // rewound after each field
	char *mark;
	taddr base;        // of the slot
	struct part *parts;
	unsigned n;
	uint32_t left;     // fields that may still be shown
	bool stop;
};

// show_row hands out one field.
static void show_row(struct show *s, const char *name, const char *type,
		     const char *value, taddr at, unsigned depth)
{
	struct heap_field f = { name, type, value, at - s->base, depth };
	if (s->stop || !s->left--)
		s->stop = true;
	else
		s->stop = !s->fn(s->ctx, &f);
}

// show_value hands out a typed value.
static void show_value(struct show *s, const struct part *p)
{
	char *mark = pool_mark(s->pool);
	show_row(s, p->name, go_type_name(s->types, p->type, s->pool),
		 go_value_text(s->types, p->type, p->mem, p->at, s->pool),
		 p->at, p->depth);
	pool_rewind(s->pool, mark);
}

// push_fields puts a struct's fields on the stack, the last one first.
static void push_fields(struct show *s, const struct part *p,
			const struct go_type *r)
{
	for (uint32_t i = r->n_fields; i-- > 0;) {
		const struct go_type_field *f =
			go_type_field_at(s->types, r, i);
		uint64_t size = go_type_get(s->types, f->type)->size;
		if (s->n == PARTS || size > r->size || f->off > r->size - size)
			continue;
		s->parts[s->n++] = (struct part){ f->name, p->mem + f->off,
						  p->at + f->off, f->type,
						  p->depth + 1 };
	}
}

// show_parts hands out what is on the stack, structs field by field.
static void show_parts(struct show *s)
{
	while (s->n && !s->stop) {
		struct part p = s->parts[--s->n];
		const struct go_type *r = go_type_get(s->types, p.type);
		show_value(s, &p);
		if (r->kind == GO_KIND_STRUCT && p.depth < FIELD_DEPTH &&
		    strcmp(go_type_name(s->types, p.type, s->pool),
			   "time.Time"))
			push_fields(s, &p, r);
	}
}

// show_array hands out n values of a type.
static void show_array(struct show *s, const uint8_t *mem, taddr at,
		       go_typeid type, uint64_t n)
{
	uint64_t size = go_type_get(s->types, type)->size;
	for (uint64_t i = 0; i < n && !s->stop; i++) {
		char *mark = pool_mark(s->pool);
		const char *name = pool_printf(s->pool, "[%" PRIu64 "]", i);
		struct part p = { name ? name : "", mem + i * size,
				  at + i * size, type, 0 };
		show_value(s, &p);
		pool_rewind(s->pool, mark);
	}
}

// show_entry hands out one entry of a map.
static bool show_entry(void *ctx, const struct go_map_entry *e)
{
	struct show *s = ctx;
	const struct go_type *map = go_type_get(s->types, s->parts[0].type);
	char *mark = pool_mark(s->pool);
	const char *key = go_value_text(s->types, map->key, e->key, e->key_at,
					s->pool);
	const char *name = pool_printf(s->pool, "[%s]", key);
	show_row(s, name ? name : "",
		 go_type_name(s->types, map->elem, s->pool),
		 go_value_text(s->types, map->elem, e->elem, e->elem_at,
			       s->pool),
		 s->base, 0);
	pool_rewind(s->pool, mark);
	return !s->stop;
}

static void show_map(struct show *s, taddr at, go_typeid map)
{
	char *mark = pool_mark(s->pool);
	const char *len = pool_printf(s->pool, "%" PRIu64,
				      go_map_len(s->types, at));
	show_row(s, "len", "int", len ? len : "", at, 0);
	pool_rewind(s->pool, mark);
	s->parts[0].type = map;
	(void)go_map_each(s->types, map, at, show_entry, s);
}

// show_channel hands out a channel's state and what waits in its buffer.
static void show_channel(struct show *s, const uint8_t *mem, taddr at,
			 uint64_t len, const struct go_type *chan)
{
	static const struct { const char *name; unsigned off, size; } words[] = {
		{ "qcount", 0, 8 }, { "dataqsiz", 8, 8 }, { "closed", 28, 4 },
	};
	if (len < 96)
		return;
	for (unsigned i = 0; i < 3; i++) {
		char *mark = pool_mark(s->pool);
		uint64_t v = words[i].size == 8 ? get_u64(mem + words[i].off) :
						  get_u32(mem + words[i].off);
		const char *text = pool_printf(s->pool, "%" PRIu64, v);
		show_row(s, words[i].name, "uint", text ? text : "",
			 at + words[i].off, 0);
		pool_rewind(s->pool, mark);
	}
	uint64_t n = get_u64(mem + 8);
	uint64_t size = go_type_get(s->types, chan->elem)->size;
	const uint8_t *buf;
	if (n && size && n <= UINT64_MAX / size &&
	    !core_view(s->process->core, get_u64(mem + 16), n * size, &buf,
		       NULL))
		show_array(s, buf, get_u64(mem + 16), chan->elem, n);
}

// show_string hands out a string's bytes.
static void show_string(struct show *s, const uint8_t *mem, taddr at,
			uint64_t len)
{
	struct { taddr at; uint64_t len; } header = { at, len };
	go_typeid string = go_type_named(s->types, "string");
	(void)mem;
	if (!string)
		return;
	show_row(s, "", "string",
		 go_value_text(s->types, string, (const uint8_t *)&header, at,
			       s->pool),
		 at, 0);
}

// show_words hands out the words of an object without fields to name.
static void show_words(struct show *s, const uint8_t *mem, taddr at,
		       uint64_t len, uint64_t from)
{
	for (uint64_t off = from; off + 8 <= len && !s->stop; off += 8) {
		char *mark = pool_mark(s->pool);
		const char *name = pool_printf(s->pool, "+0x%" PRIx64, off);
		const char *value = pool_printf(s->pool, "0x%" PRIx64,
						get_u64(mem + off));
		show_row(s, name ? name : "", "word", value ? value : "",
			 at + off, 0);
		pool_rewind(s->pool, mark);
	}
}

// show_closure hands out a closure's code and captured words.
static void show_closure(struct show *s, const uint8_t *mem, taddr at,
			 uint64_t len)
{
	struct go_func fn;
	if (len < 8)
		return;
	show_row(s, "code", "func",
		 go_func_at(s->process, get_u64(mem), &fn) ? "?" : fn.name, at,
		 0);
	show_words(s, mem, at, len, 8);
}

// show_special hands out an object whose type has no Go name.
static void show_special(struct show *s, const struct go_type *r,
			 const uint8_t *mem, taddr at, uint64_t len)
{
	switch (r->kind) {
	case GO_KIND_MAP_HEADER:
		show_map(s, at, r->elem);
		break;
	case GO_KIND_CHANNEL:
		show_channel(s, mem, at, len, go_type_get(s->types, r->elem));
		break;
	case GO_KIND_STRING_DATA:
		show_string(s, mem, at, len);
		break;
	case GO_KIND_CLOSURE:
		show_closure(s, mem, at, len);
		break;
	default:
		show_words(s, mem, at, len, 0);
		break;
	}
}

// show_object hands out the parts of an object of a known type.
static void show_object(struct show *s, uint32_t type, const uint8_t *mem,
			taddr at, uint64_t len)
{
	const struct go_type *r = go_type_get(s->types, type >> 1);
	struct part p = { "", mem, at, type >> 1, 0 };
	if (r->kind >= GO_KIND_STRING_DATA || !r->kind || !r->size) {
		show_special(s, r, mem, at, len);
	} else if (type & GO_TYPE_ARRAY) {
		show_array(s, mem, at, type >> 1, len / r->size);
	} else if (r->size > len) {
		show_words(s, mem, at, len, 0);
	} else if (r->kind == GO_KIND_STRUCT) {
		p.depth = UINT32_MAX; // its fields are at depth 0
		push_fields(s, &p, r);
		show_parts(s);
	} else if (r->kind == GO_KIND_ARRAY &&
		   go_type_holds(s->types, r, r->elem, r->len)) {
		show_array(s, mem, at, r->elem, r->len);
	} else {
		show_value(s, &p);
	}
}

void go_fields(struct go_process *process, struct heap_ref ref,
	       heap_field_fn *fn, void *ctx)
{
	const struct go_spans *spans = process->spans;
	const struct go_span *span = &spans->at[spans->of_region[ref.region]];
	char *mark = pool_mark(process->pool);
	uint64_t len, start = go_object_data(span, &len);
	taddr base = heap_ref_at(process->heap, ref);
	const uint8_t *mem;
	struct show s = { .process = process, .types = process->types,
			  .fn = fn, .ctx = ctx, .pool = process->pool,
			  .base = base, .left = FIELDS_MAX };
	s.parts = pool_new(process->pool, struct part, PARTS);
	if (s.types && s.parts &&
	    !core_view(process->core, base + start, len, &mem, NULL))
		show_object(&s, heap_type_of(process->heap, ref), mem,
			    base + start, len);
	pool_rewind(process->pool, mark);
}
