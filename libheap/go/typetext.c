// typetext.c: see typetext.h.
#include "libheap/go/typetext.h"

#include <stdarg.h>
#include <stdio.h>

#define LABEL_LEN 256u
#define LABEL_DEPTH 32u // structs and arrays within each other

// package_of cuts the import path off a full name: what comes before the first
// dot behind the last slash, type arguments aside.
static const char *package_of(struct pool *pool, const char *name)
{
	const char *end = strchr(name, '['), *slash = name;
	if (!end)
		end = name + strlen(name);
	for (const char *p = name; p < end; p++)
		if (*p == '/')
			slash = p;
	const char *dot = memchr(slash, '.', (size_t)(end - slash));
	const char *got = dot ? pool_copy(pool, name, (uint64_t)(dot - name)) :
				NULL;
	return got ? got : "";
}

// named_part follows elements to a type that has a package.
static go_typeid named_part(struct go_types *t, go_typeid id)
{
	for (unsigned i = 0; i < LABEL_DEPTH; i++) {
		const struct go_type *r = go_type_get(t, id);
		bool through = r->kind == GO_KIND_POINTER ||
			       r->kind == GO_KIND_SLICE ||
			       r->kind == GO_KIND_ARRAY ||
			       r->kind == GO_KIND_MAP ||
			       r->kind == GO_KIND_CHAN ||
			       r->kind == GO_KIND_MAP_HEADER ||
			       r->kind == GO_KIND_CHANNEL;
		if (!through || r->named || !r->elem)
			break;
		id = r->elem;
	}
	return id;
}

enum hc go_type_text(struct go_process *process, uint32_t type,
		     struct pool *pool, struct heap_type_text *ret,
		     struct hc_err *err)
{
	go_typeid id = type >> 1;
	if (!process->types || !id) {
		*ret = (struct heap_type_text){ "unknown", "" };
		return HC_OK;
	}
	const char *name = go_type_name(process->types, id, pool);
	const char *named = go_type_name(
		process->types, named_part(process->types, id), pool);
	if (!strncmp(named, "closure ", 8))
		named += 8;
	if (type & GO_TYPE_ARRAY)
		name = pool_printf(pool, "[]%s (backing)", name);
	*ret = (struct heap_type_text){ name, package_of(pool, named) };
	return name ? HC_OK : hc_nomem(err);
}

// object_of finds the span and type number of an object.
static uint32_t object_of(const struct go_process *process,
			  struct heap_ref ref, const struct go_span **ret)
{
	const struct go_spans *spans = process->spans;
	*ret = &spans->at[spans->of_region[ref.region]];
	return process->types ? heap_type_of(process->heap, ref) : 0;
}

const char *go_object_type(struct go_process *process, struct heap_ref ref,
			   struct pool *pool)
{
	const struct go_span *span;
	uint32_t type = object_of(process, ref, &span);
	if (!type)
		return "unknown";
	const char *name = go_type_name(process->types, type >> 1, pool);
	uint64_t size = go_type_get(process->types, type >> 1)->size, len;
	(void)go_object_data(span, &len);
	if (!(type & GO_TYPE_ARRAY) || !size)
		return name;
	const char *array = pool_printf(pool, "[%" PRIu64 "]%s", len / size,
					name);
	return array ? array : name;
}

// struct label is a name being put together.
struct label {
	char text[LABEL_LEN];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct label *l,
						      const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(l->text + l->len, sizeof(l->text) - l->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->len += (size_t)n;
	if (l->len >= sizeof(l->text))
		l->len = sizeof(l->text) - 1;
}

// field_at finds the last field that begins at or before off.
static const struct go_type_field *
field_at(const struct go_types *t, const struct go_type *r, uint64_t off)
{
	const struct go_type_field *best = NULL;
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct go_type_field *f = go_type_field_at(t, r, i);
		if (f->off <= off && (!best || f->off >= best->off))
			best = f;
	}
	return best;
}

// descend adds the names of the parts that lead to off; it returns the type
// of the last one.
static go_typeid descend(struct go_types *t, go_typeid id, uint64_t off,
			 struct label *l)
{
	for (unsigned i = 0; i < LABEL_DEPTH; i++) {
		const struct go_type *r = go_type_get(t, id);
		if (r->kind == GO_KIND_STRUCT ||
		    (r->kind == GO_KIND_CLOSURE && r->n_fields)) {
			const struct go_type_field *f = field_at(t, r, off);
			if (!f)
				return id;
			add(l, ".%s", f->name);
			off -= f->off;
			id = f->type;
		} else if (r->kind == GO_KIND_ARRAY) {
			uint64_t size = go_type_get(t, r->elem)->size;
			if (!size)
				return id;
			add(l, "[%" PRIu64 "]", off / size);
			off %= size;
			id = r->elem;
		} else {
			return id;
		}
	}
	return id;
}

static const char *label_text(struct label *l, struct pool *pool)
{
	const char *text = pool_copy(pool, l->text, l->len);
	return text ? text : "";
}

const char *go_part_label(struct go_types *types, go_typeid type, uint64_t off,
			  struct pool *pool, go_typeid *ret_type)
{
	struct label l = { .len = 0 };
	*ret_type = descend(types, type, off, &l);
	return label_text(&l, pool);
}

const char *go_label(struct go_process *process, struct heap_ref ref,
		     uint64_t offset, struct pool *pool)
{
	const struct go_span *span;
	uint32_t type = object_of(process, ref, &span);
	struct label l = { .len = 0 };
	uint64_t len, start = go_object_data(span, &len);
	if (!type || offset < start)
		return "";
	offset -= start;
	uint64_t size = go_type_get(process->types, type >> 1)->size;
	if (type & GO_TYPE_ARRAY && size) {
		add(&l, "[%" PRIu64 "]", offset / size);
		offset %= size;
	}
	(void)descend(process->types, type >> 1, offset, &l);
	return label_text(&l, pool);
}
