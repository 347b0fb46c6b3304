// value.c: see value.h. A value in a value waits on a stack, so that neither
// depth nor rings of the dead heap matter.
#include "libheap/go/values/value.h"

#include "libheap/go/values/mapiter.h"
#include "libheap/go/values/timetext.h"
#include "libheap/go/types/typetable.h"
#include "libheap/go/values/valuetext.h"

#define ELEMENTS 8u      // of one slice, array, map or struct
#define GROUPS 4096u     // of a map, looked at to find that many
#define PENDING 256u     // values and texts waiting
#define POINTER_DEPTH 4u // of structs and containers in each other

// struct piece is a value to write, or text when type is 0.
struct piece {
	const char *text;
	const uint8_t *mem;
	taddr at;
	go_typeid type;
	unsigned depth;
};

struct writer {
	struct go_types *types;
	const struct core *core;
	struct pool *pool; // the caller's, names too
	struct piece stack[PENDING];
	unsigned n;
	struct go_text line;
};

static void push(struct writer *w, struct piece p)
{
	if (w->n < PENDING)
		w->stack[w->n++] = p;
	else
		w->line.cut = true;
}

static void push_text(struct writer *w, const char *text)
{
	push(w, (struct piece){ .text = text });
}

static void put_string(struct writer *w, const uint8_t *mem)
{
	uint64_t len = get_u64(mem + 8);
	const uint8_t *s;
	uint64_t shown = len < GO_STRING_LEN ? len : GO_STRING_LEN;
	if (!len)
		go_text_put(&w->line, "\"\"", 2);
	else if (core_view(w->core, get_u64(mem), shown, &s, NULL))
		go_text_printf(&w->line, "(%" PRIu64 " bytes not in the core)",
			       len);
	else
		go_text_quoted(&w->line, s, len);
}

// push_run puts up to ELEMENTS values of one type on the stack, last first.
static void push_run(struct writer *w, const struct piece *p, go_typeid elem,
		     const uint8_t *mem, taddr at, uint64_t n,
		     const char *close)
{
	uint64_t size = go_type_get(w->types, elem)->size;
	uint64_t shown = n < ELEMENTS ? n : ELEMENTS;
	push_text(w, close);
	if (shown < n)
		push_text(w, " …");
	for (uint64_t i = shown; i-- > 0;) {
		push(w, (struct piece){ NULL, mem + i * size, at + i * size,
					elem, p->depth + 1 });
		if (i)
			push_text(w, " ");
	}
}

// write_slice writes a slice's length, capacity and first elements.
static void write_slice(struct writer *w, const struct piece *p,
			const struct go_type *r)
{
	taddr at = get_u64(p->mem);
	uint64_t len = get_u64(p->mem + 8), cap = get_u64(p->mem + 16);
	uint64_t size = go_type_get(w->types, r->elem)->size;
	uint64_t shown = len < ELEMENTS ? len : ELEMENTS;
	const uint8_t *mem;
	if (!at) {
		go_text_put(&w->line, "nil", 3);
		return;
	}
	go_text_printf(&w->line, "len %" PRIu64 " cap %" PRIu64, len, cap);
	if (!size || !len || p->depth >= POINTER_DEPTH)
		return;
	if (size > UINT64_C(1) << 20 ||
	    core_view(w->core, at, shown * size, &mem, NULL)) {
		go_text_put(&w->line, " (not in the core)", 18);
		return;
	}
	if (go_type_get(w->types, r->elem)->kind == GO_KIND_UINT8 &&
	    len <= cap && !core_view(w->core, at,
				     len < GO_STRING_LEN ? len : GO_STRING_LEN,
				     &mem, NULL)) {
		go_text_put(&w->line, " ", 1);
		go_text_quoted(&w->line, mem, len);
		return;
	}
	go_text_put(&w->line, " [", 2);
	push_run(w, p, r->elem, mem, at, len, "]");
}

// write_struct writes a struct's first fields.
static void write_struct(struct writer *w, const struct piece *p,
			 const struct go_type *r)
{
	uint32_t shown = r->n_fields < ELEMENTS ? r->n_fields : ELEMENTS;
	char text[48];
	const char *name = go_type_name(w->types, p->type, w->pool);
	if (!strcmp(name, "time.Time") && r->size == 24) {
		go_time_text(get_u64(p->mem), (int64_t)get_u64(p->mem + 8),
			     text, sizeof(text));
		go_text_put(&w->line, text, strlen(text));
		return;
	}
	go_text_put(&w->line, "{", 1);
	push_text(w, "}");
	if (p->depth >= POINTER_DEPTH) {
		push_text(w, "…");
		return;
	}
	if (shown < r->n_fields)
		push_text(w, ", …");
	for (uint32_t i = shown; i-- > 0;) {
		const struct go_type_field *f =
			go_type_field_at(w->types, r, i);
		uint64_t size = go_type_get(w->types, f->type)->size;
		if (size > r->size || f->off > r->size - size)
			continue;
		push(w, (struct piece){ NULL, p->mem + f->off,
					p->at + f->off, f->type,
					p->depth + 1 });
		push_text(w, ": ");
		push_text(w, f->name);
		if (i)
			push_text(w, ", ");
	}
}

// struct map_pick gathers the first entries of a map.
struct map_pick {
	struct go_map_entry at[ELEMENTS];
	unsigned n;
};

static bool map_pick(void *ctx, const struct go_map_entry *entry)
{
	struct map_pick *pick = ctx;
	pick->at[pick->n++] = *entry;
	return pick->n < ELEMENTS;
}

// write_map writes a map's length and first entries.
static void write_map(struct writer *w, const struct piece *p,
		      const struct go_type *r, go_typeid map, taddr header)
{
	struct map_pick pick = { .n = 0 };
	if (!header) {
		go_text_put(&w->line, "nil", 3);
		return;
	}
	uint64_t len = go_map_len(w->types, header);
	go_text_printf(&w->line, "len %" PRIu64, len);
	if (!len || p->depth >= POINTER_DEPTH)
		return;
	(void)go_map_each(w->types, map, header, GROUPS, map_pick, &pick);
	go_text_put(&w->line, " {", 2);
	push_text(w, len > pick.n ? ", …}" : "}");
	for (unsigned i = pick.n; i-- > 0;) {
		const struct go_map_entry *e = &pick.at[i];
		push(w, (struct piece){ NULL, e->elem, e->elem_at, r->elem,
					p->depth + 1 });
		push_text(w, ": ");
		push(w, (struct piece){ NULL, e->key, e->key_at, r->key,
					p->depth + 1 });
		if (i)
			push_text(w, ", ");
	}
}

// write_interface writes an interface's dynamic type and value.
static void write_interface(struct writer *w, const struct piece *p,
			    const struct go_type *r)
{
	taddr word = get_u64(p->mem), data = get_u64(p->mem + 8);
	const uint8_t *mem = p->mem + 8;
	if (!word) {
		go_text_put(&w->line, "nil", 3);
		return;
	}
	go_typeid type =
		go_dynamic_type(w->types, word, !r->empty_interface);
	const struct go_type *d = go_type_get(w->types, type);
	const char *name = go_type_name(w->types, type, w->pool);
	go_text_put(&w->line, name, strlen(name));
	if (!type || p->depth >= POINTER_DEPTH)
		return;
	if (d->direct)
		data = p->at + 8;
	else if (core_view(w->core, data, d->size, &mem, NULL))
		return;
	go_text_put(&w->line, "(", 1);
	push_text(w, ")");
	push(w, (struct piece){ NULL, mem, data, type, p->depth + 1 });
}

// write_pointer writes an address, and for text in errors what it leads to.
static void write_pointer(struct writer *w, const struct piece *p,
			  const struct go_type *r)
{
	taddr at = get_u64(p->mem);
	const struct go_type *e = go_type_get(w->types, r->elem);
	const uint8_t *mem;
	if (!at) {
		go_text_put(&w->line, "nil", 3);
		return;
	}
	go_text_printf(&w->line, "0x%" PRIx64, at);
	// A pointer in an interface, such as an error: show what it says.
	if (p->depth != 1 || e->kind != GO_KIND_STRUCT || !e->n_fields ||
	    e->size > 256 || core_view(w->core, at, e->size, &mem, NULL))
		return;
	go_text_put(&w->line, " &", 2);
	push(w, (struct piece){ NULL, mem, at, r->elem, POINTER_DEPTH - 1 });
}

static void write_func(struct writer *w, taddr closure)
{
	struct go_func fn;
	taddr code;
	if (!closure)
		go_text_put(&w->line, "nil", 3);
	else if (core_u64(w->core, closure, &code, NULL) ||
		 go_func_at(w->types->process, code, &fn))
		go_text_printf(&w->line, "0x%" PRIx64, closure);
	else
		go_text_put(&w->line, fn.name, strlen(fn.name));
}

static void write_chan(struct writer *w, taddr chan)
{
	const uint8_t *v;
	if (!chan)
		go_text_put(&w->line, "nil", 3);
	else if (core_view(w->core, chan, 32, &v, NULL))
		go_text_printf(&w->line, "0x%" PRIx64, chan);
	else
		go_text_printf(&w->line,
			       "0x%" PRIx64 " len %" PRIu64 " cap %" PRIu64
			       "%s", chan, get_u64(v), get_u64(v + 8),
			       get_u32(v + 28) ? " closed" : "");
}

// write_value writes one value, or what it begins with.
static void write_value(struct writer *w, const struct piece *p)
{
	const struct go_type *r = go_type_get(w->types, p->type);
	if (go_text_number(&w->line, r->kind, p->mem))
		return;
	switch (r->kind) {
	case GO_KIND_STRING:
		put_string(w, p->mem);
		break;
	case GO_KIND_SLICE:
		write_slice(w, p, r);
		break;
	case GO_KIND_ARRAY:
		go_text_put(&w->line, "[", 1);
		if (go_type_holds(w->types, r, r->elem, r->len))
			push_run(w, p, r->elem, p->mem, p->at, r->len,
				 "]");
		break;
	case GO_KIND_STRUCT:
		write_struct(w, p, r);
		break;
	case GO_KIND_MAP:
		write_map(w, p, r, p->type, get_u64(p->mem));
		break;
	case GO_KIND_INTERFACE:
		write_interface(w, p, r);
		break;
	case GO_KIND_POINTER:
		write_pointer(w, p, r);
		break;
	case GO_KIND_UNSAFE_POINTER:
		go_text_printf(&w->line, "0x%" PRIx64, get_u64(p->mem));
		break;
	case GO_KIND_FUNC:
		write_func(w, get_u64(p->mem));
		break;
	case GO_KIND_CHAN:
		write_chan(w, get_u64(p->mem));
		break;
	default:
		go_text_put(&w->line, "?", 1);
		break;
	}
}

const char *go_value_text(struct go_types *types, go_typeid type,
			  const uint8_t *mem, taddr at, struct pool *pool)
{
	struct writer w;
	w.types = types;
	w.core = types->process->core;
	w.pool = pool;
	w.n = 0;
	w.line.len = 0;
	w.line.cut = false;
	push(&w, (struct piece){ NULL, mem, at, type, 0 });
	while (w.n && !w.line.cut) {
		struct piece p = w.stack[--w.n];
		if (p.text)
			go_text_put(&w.line, p.text, strlen(p.text));
		else
			write_value(&w, &p);
	}
	if (w.line.cut) {
		memcpy(w.line.text + w.line.len, "…", 3);
		w.line.len += 3;
	}
	const char *text = pool_copy(pool, w.line.text, w.line.len);
	return text ? text : "";
}
