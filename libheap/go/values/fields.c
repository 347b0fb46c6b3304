// fields.c: see fields.h.
#include "libheap/go/values/fields.h"

#include "libheap/go/values/fieldshow.h"
#include "libheap/go/values/value.h"

#define PARTS 4096u    // fields waiting
#define SCRATCH (UINT64_C(64) << 20)
#define FIELD_DEPTH 6u // of structs shown field by field

void go_show_row(struct go_show *s, const char *name, const char *type,
		 const char *value, taddr at, unsigned depth)
{
	taddr offset = at - s->base;
	struct heap_field f = { name, type, value,
				offset < s->slot ? offset : 0, depth };
	if (s->stop || !s->left--)
		s->stop = true;
	else
		s->stop = !s->fn(s->ctx, &f);
}

// show_value hands out a typed value.
static void show_value(struct go_show *s, const struct go_part *p)
{
	char *mark = pool_mark(s->pool);
	go_show_row(s, p->name, go_type_name(s->types, p->type, s->pool),
		    go_value_text(s->types, p->type, p->mem, p->at, s->pool),
		    p->at, p->depth);
	pool_rewind(s->pool, mark);
}

// push_fields puts a struct's fields on the stack, the last one first.
static void push_fields(struct go_show *s, const struct go_part *p,
			const struct go_type *r)
{
	for (uint32_t i = r->n_fields; i-- > 0;) {
		const struct go_type_field *f =
			go_type_field_at(s->types, r, i);
		uint64_t size = go_type_get(s->types, f->type)->size;
		if (s->n == PARTS || size > r->size || f->off > r->size - size)
			continue;
		s->parts[s->n++] = (struct go_part){ f->name, p->mem + f->off,
						  p->at + f->off, f->type,
						  p->depth + 1 };
	}
}

// is_opened says whether a value is shown field by field, too.
static bool is_opened(struct go_show *s, const struct go_part *p,
		      const struct go_type *r)
{
	if (r->kind != GO_KIND_STRUCT || p->depth >= FIELD_DEPTH)
		return false;
	char *mark = pool_mark(s->pool);
	bool time = !strcmp(go_type_name(s->types, p->type, s->pool),
			    "time.Time");
	pool_rewind(s->pool, mark);
	return !time;
}

// show_parts hands out what is on the stack, structs field by field.
static void show_parts(struct go_show *s)
{
	while (s->n && !s->stop) {
		struct go_part p = s->parts[--s->n];
		const struct go_type *r = go_type_get(s->types, p.type);
		show_value(s, &p);
		if (is_opened(s, &p, r))
			push_fields(s, &p, r);
	}
}

void go_show_part(struct go_show *s, struct go_part part)
{
	s->n = 0;
	s->parts[s->n++] = part;
	show_parts(s);
}

void go_show_array(struct go_show *s, const uint8_t *mem, taddr at,
		   go_typeid type, uint64_t n)
{
	uint64_t size = go_type_get(s->types, type)->size;
	if (go_type_get(s->types, type)->kind == GO_KIND_UINT8) {
		char *mark = pool_mark(s->pool);
		const char *name = pool_printf(s->pool, "[%" PRIu64 "]uint8",
					       n);
		go_show_bytes(s, mem, at, n, name ? name : "[]uint8");
		pool_rewind(s->pool, mark);
		return;
	}
	for (uint64_t i = 0; i < n && !s->stop; i++) {
		char *mark = pool_mark(s->pool);
		const char *name = pool_printf(s->pool, "[%" PRIu64 "]", i);
		go_show_part(s, (struct go_part){ name ? name : "",
						  mem + i * size,
						  at + i * size, type, 0 });
		pool_rewind(s->pool, mark);
	}
}

// show_object hands out the parts of an object of a known type.
static void show_object(struct go_show *s, uint32_t type, const uint8_t *mem,
			taddr at, uint64_t len)
{
	const struct go_type *r = go_type_get(s->types, type >> 1);
	struct go_part p = { "", mem, at, type >> 1, 0 };
	if (r->kind >= GO_KIND_STRING_DATA || !r->kind || !r->size) {
		go_show_special(s, r, mem, at, len);
	} else if (type & GO_TYPE_ARRAY) {
		go_show_array(s, mem, at, type >> 1, len / r->size);
	} else if (r->size > len) {
		go_show_words(s, mem, at, len, 0);
	} else if (r->kind == GO_KIND_STRUCT) {
		p.depth = UINT32_MAX; // its fields are at depth 0
		push_fields(s, &p, r);
		show_parts(s);
	} else if (r->kind == GO_KIND_ARRAY &&
		   go_type_holds(s->types, r, r->elem, r->len)) {
		go_show_array(s, mem, at, r->elem, r->len);
	} else {
		show_value(s, &p);
	}
}

void go_fields(struct go_process *process, struct heap_ref ref,
	       heap_field_fn *fn, void *ctx)
{
	const struct go_spans *spans = process->spans;
	const struct go_span *span = &spans->at[spans->of_region[ref.region]];
	struct pool pool; // names may fill the process's with what stays
	uint64_t len, start = go_object_data(span, &len);
	taddr base = heap_ref_at(process->heap, ref);
	const uint8_t *mem;
	if (!process->types || pool_open(SCRATCH, &pool, NULL))
		return;
	struct go_show s = { .process = process, .types = process->types,
			     .fn = fn, .ctx = ctx, .pool = &pool,
			     .base = base,
			     .slot = heap_ref_size(process->heap, ref),
			     .left = FIELDS_MAX };
	s.parts = pool_new(&pool, struct go_part, PARTS);
	if (s.parts && !core_view(process->core, base + start, len, &mem, NULL))
		show_object(&s, heap_type_of(process->heap, ref), mem,
			    base + start, len);
	pool_close(&pool);
}
