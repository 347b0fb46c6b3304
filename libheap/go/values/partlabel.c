// partlabel.c: see partlabel.h.
#include "libheap/go/values/partlabel.h"

#include "libheap/go/types/typetable.h"
#include "libheap/go/values/typetext.h"
#include "libheap/go/values/value.h"

#include <stdarg.h>
#include <stdio.h>

#define LABEL_LEN 256u
#define LABEL_DEPTH 32u // structs and arrays within each other

// struct label is a name being put together.
struct label {
	struct go_types *types;
	struct pool *pool;
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
static go_typeid descend(struct label *l, go_typeid id, uint64_t off)
{
	struct go_types *t = l->types;
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

static const char *label_text(const struct label *l)
{
	const char *text = pool_copy(l->pool, l->text, l->len);
	return text ? text : "";
}

const char *go_part_label(struct go_types *types, go_typeid type, uint64_t off,
			  struct pool *pool, go_typeid *ret_type)
{
	struct label l = { .types = types, .pool = pool };
	*ret_type = descend(&l, type, off);
	return label_text(&l);
}

// in_run says whether off lies in one of 8 values of size bytes, stride apart
// from start on, and in which.
static bool in_run(uint64_t off, uint64_t start, uint64_t stride, uint64_t size,
		   unsigned *ret)
{
	if (off < start || !stride || (off - start) / stride > 7 ||
	    (off - start) % stride >= size)
		return false;
	*ret = (unsigned)((off - start) / stride);
	return true;
}

// add_key adds the text of the key at an address, or behind the pointer there.
static void add_key(struct label *l, go_typeid key, taddr at, bool indirect)
{
	const struct core *core = l->types->process->core;
	const uint8_t *mem;
	if ((indirect && core_u64(core, at, &at, NULL)) ||
	    core_view(core, at, go_type_get(l->types, key)->size, &mem, NULL))
		add(l, "?");
	else
		add(l, "%s", go_value_text(l->types, key, mem, at, l->pool));
}

// group_label names the part at off of the group or bucket of a map at an
// address.
static bool group_label(struct label *l, go_typeid map, taddr at, uint64_t off)
{
	const struct go_type *r = go_type_get(l->types, map);
	struct go_map_layout m;
	unsigned i;
	if (!go_map_layout_of(l->types, map, &m))
		return false;
	uint64_t key = m.indirect_key ? 8 : go_type_get(l->types, r->key)->size;
	uint64_t elem = m.indirect_elem ? 8 :
				   go_type_get(l->types, r->elem)->size;
	if (in_run(off, m.elems_off, m.elem_stride, elem, &i)) {
		add(l, "[");
		add_key(l, r->key, at + m.keys_off + i * m.key_stride,
			m.indirect_key);
		add(l, "]");
		if (!m.indirect_elem)
			(void)descend(l, r->elem, off - m.elems_off -
							  i * m.elem_stride);
		return true;
	}
	if (!in_run(off, m.keys_off, m.key_stride, key, &i))
		return false;
	add(l, "[key ");
	add_key(l, r->key, at + m.keys_off + i * m.key_stride, m.indirect_key);
	add(l, "]");
	if (!m.indirect_key)
		(void)descend(l, r->key, off - m.keys_off - i * m.key_stride);
	return true;
}

// channel_label names a word of a channel: of hchan, or in the buffer when
// that lies behind it.
// Source: runtime/chan.go hchan, makechan (1.18–1.27).
static void channel_label(struct label *l, go_typeid chan, taddr at,
			  uint64_t off)
{
	go_typeid elem = go_type_get(l->types, chan)->elem;
	uint64_t size = go_type_get(l->types, elem)->size;
	taddr buf;
	if (size && !core_u64(l->types->process->core, at + 16, &buf, NULL) &&
	    buf > at && at + off >= buf) {
		off -= buf - at;
		add(l, "[%" PRIu64 "]", off / size);
		(void)descend(l, elem, off % size);
	} else {
		(void)descend(l, go_type_named(l->types, "runtime.hchan"),
			      off);
	}
}

// map_label names a word of a map's header.
// Source: runtime/map.go hmap (1.18–1.23), internal/runtime/maps/map.go Map
//         (1.24–1.27).
static void map_label(struct label *l, go_typeid map, uint64_t off)
{
	struct go_map_layout m;
	if (off == 16 && go_map_layout_of(l->types, map, &m))
		add(l, m.swiss ? ".dirPtr" : ".buckets");
	else if (off == 24 || off == 40)
		add(l, off == 24 ? ".oldbuckets" : ".extra");
}

// special_label names a word of what has no Go type of its own.
static void special_label(struct label *l, const struct go_type *r, taddr at,
			  uint64_t off)
{
	const struct go_type_field *f;
	switch (r->kind) {
	case GO_KIND_MAP_HEADER:
		map_label(l, r->elem, off);
		break;
	case GO_KIND_MAP_TABLE: // internal/runtime/maps/table.go
		if (off == 16)
			add(l, ".groups");
		break;
	case GO_KIND_MAP_DIRECTORY:
		add(l, "[%" PRIu64 "]", off / 8);
		break;
	case GO_KIND_CHANNEL:
		channel_label(l, r->elem, at, off);
		break;
	case GO_KIND_CLOSURE:
		f = off ? field_at(l->types, r, off) : NULL;
		if (!f || off - f->off >= go_type_get(l->types, f->type)->size)
			break;
		add(l, ".%s", f->name);
		(void)descend(l, f->type, off - f->off);
		break;
	default:
		break;
	}
}

const char *go_label(struct go_process *process, struct heap_ref ref,
		     uint64_t offset, bool keys, struct pool *pool)
{
	const struct go_span *span;
	uint32_t type = go_object_number(process, ref, &span);
	struct label l = { .types = process->types, .pool = pool };
	uint64_t len, start = go_object_data(span, &len);
	if (!type || offset < start)
		return "";
	const struct go_type *r = go_type_get(process->types, type >> 1);
	taddr at = heap_ref_at(process->heap, ref) + start;
	offset -= start;
	if (r->kind >= GO_KIND_STRING_DATA) {
		special_label(&l, r, at, offset);
		return label_text(&l);
	}
	uint64_t in = r->size ? offset % r->size : 0;
	if (keys && r->kind == GO_KIND_STRUCT && r->key &&
	    group_label(&l, r->key, at + offset - in, in))
		return label_text(&l);
	if (type & GO_TYPE_ARRAY && r->size) {
		add(&l, "[%" PRIu64 "]", offset / r->size);
		offset = in;
	}
	(void)descend(&l, type >> 1, offset);
	return label_text(&l);
}
