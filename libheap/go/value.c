// value.c: see value.h. A value in a value waits on a stack, so that neither
// depth nor rings of the dead heap matter.
#include "libheap/go/value.h"

#include "libheap/go/mapiter.h"
#include "libheap/go/timetext.h"
#include "libheap/go/typetable.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE_LEN 400u    // bytes of a value's text
#define STRING_LEN 96u   // of one string in it
#define ELEMENTS 8u      // of one slice, array, map or struct
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
	char out[LINE_LEN + 64];
	size_t len;
	bool cut;
};

static void put(struct writer *w, const char *text, size_t len)
{
	if (len > LINE_LEN - w->len) {
		len = LINE_LEN - w->len;
		w->cut = true;
	}
	memcpy(w->out + w->len, text, len);
	w->len += len;
}

__attribute__((format(printf, 2, 3))) static void putf(struct writer *w,
						       const char *fmt, ...)
{
	char text[160];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		put(w, text, (size_t)n < sizeof(text) ? (size_t)n :
							sizeof(text) - 1);
}

static void push(struct writer *w, struct piece p)
{
	if (w->n < PENDING)
		w->stack[w->n++] = p;
	else
		w->cut = true;
}

static void push_text(struct writer *w, const char *text)
{
	push(w, (struct piece){ .text = text });
}

// put_quoted writes bytes as a Go string literal.
static void put_quoted(struct writer *w, const uint8_t *s, uint64_t len)
{
	uint64_t shown = len < STRING_LEN ? len : STRING_LEN;
	put(w, "\"", 1);
	for (uint64_t i = 0; i < shown; i++) {
		char c = (char)s[i];
		if (c == '"' || c == '\\')
			putf(w, "\\%c", c);
		else if (c == '\n')
			put(w, "\\n", 2);
		else if (c == '\t')
			put(w, "\\t", 2);
		else if ((s[i] >= 0x20 && s[i] < 0x7f) || s[i] >= 0x80)
			put(w, &c, 1);
		else
			putf(w, "\\x%02x", s[i]);
	}
	put(w, "\"", 1);
	if (shown < len)
		putf(w, "… (%" PRIu64 " bytes)", len);
}

static void put_string(struct writer *w, const uint8_t *mem)
{
	uint64_t len = get_u64(mem + 8);
	const uint8_t *s;
	uint64_t shown = len < STRING_LEN ? len : STRING_LEN;
	if (!len)
		put(w, "\"\"", 2);
	else if (core_view(w->core, get_u64(mem), shown, &s, NULL))
		putf(w, "(%" PRIu64 " bytes not in the core)", len);
	else
		put_quoted(w, s, len);
}

static void put_float(struct writer *w, double v)
{
	if (isnan(v))
		put(w, "NaN", 3);
	else if (isinf(v))
		put(w, v < 0 ? "-Inf" : "+Inf", 4);
	else
		putf(w, "%.17g", v);
}

static float get_f32(const uint8_t *mem)
{
	float v;
	memcpy(&v, mem, sizeof(v));
	return v;
}

static double get_f64(const uint8_t *mem)
{
	double v;
	memcpy(&v, mem, sizeof(v));
	return v;
}

// put_number writes the kinds that are one or two numbers. It returns false
// for the others.
static bool put_number(struct writer *w, uint8_t kind, const uint8_t *mem)
{
	switch (kind) {
	case GO_KIND_BOOL:
		putf(w, "%s", *mem == 0 ? "false" : *mem == 1 ? "true" :
								"(damaged)");
		return true;
	case GO_KIND_INT8:
		putf(w, "%d", (int8_t)*mem);
		return true;
	case GO_KIND_UINT8:
		putf(w, "%u", *mem);
		return true;
	case GO_KIND_INT16:
		putf(w, "%d", (int16_t)get_u16(mem));
		return true;
	case GO_KIND_UINT16:
		putf(w, "%u", get_u16(mem));
		return true;
	case GO_KIND_INT32:
		putf(w, "%" PRId32, (int32_t)get_u32(mem));
		return true;
	case GO_KIND_UINT32:
		putf(w, "%" PRIu32, get_u32(mem));
		return true;
	case GO_KIND_INT:
	case GO_KIND_INT64:
		putf(w, "%" PRId64, (int64_t)get_u64(mem));
		return true;
	case GO_KIND_UINT:
	case GO_KIND_UINT64:
		putf(w, "%" PRIu64, get_u64(mem));
		return true;
	case GO_KIND_UINTPTR:
		putf(w, "0x%" PRIx64, get_u64(mem));
		return true;
	case GO_KIND_FLOAT32:
		put_float(w, (double)get_f32(mem));
		return true;
	case GO_KIND_FLOAT64:
		put_float(w, get_f64(mem));
		return true;
	case GO_KIND_COMPLEX64:
		putf(w, "(%g%+gi)", (double)get_f32(mem),
		     (double)get_f32(mem + 4));
		return true;
	case GO_KIND_COMPLEX128:
		putf(w, "(%g%+gi)", get_f64(mem), get_f64(mem + 8));
		return true;
	default:
		return false;
	}
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
		put(w, "nil", 3);
		return;
	}
	putf(w, "len %" PRIu64 " cap %" PRIu64, len, cap);
	if (!size || !len || p->depth >= POINTER_DEPTH)
		return;
	if (size > UINT64_C(1) << 20 ||
	    core_view(w->core, at, shown * size, &mem, NULL)) {
		put(w, " (not in the core)", 18);
		return;
	}
	if (go_type_get(w->types, r->elem)->kind == GO_KIND_UINT8 &&
	    len <= cap && !core_view(w->core, at,
				     len < STRING_LEN ? len : STRING_LEN, &mem,
				     NULL)) {
		put(w, " ", 1);
		put_quoted(w, mem, len);
		return;
	}
	put(w, " [", 2);
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
		put(w, text, strlen(text));
		return;
	}
	put(w, "{", 1);
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
		put(w, "nil", 3);
		return;
	}
	uint64_t len = go_map_len(w->types, header);
	putf(w, "len %" PRIu64, len);
	if (!len || p->depth >= POINTER_DEPTH)
		return;
	(void)go_map_each(w->types, map, header, map_pick, &pick);
	put(w, " {", 2);
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
		put(w, "nil", 3);
		return;
	}
	go_typeid type =
		go_dynamic_type(w->types, word, !r->empty_interface);
	const struct go_type *d = go_type_get(w->types, type);
	const char *name = go_type_name(w->types, type, w->pool);
	put(w, name, strlen(name));
	if (!type || p->depth >= POINTER_DEPTH)
		return;
	if (d->direct)
		data = p->at + 8;
	else if (core_view(w->core, data, d->size, &mem, NULL))
		return;
	put(w, "(", 1);
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
		put(w, "nil", 3);
		return;
	}
	putf(w, "0x%" PRIx64, at);
	// A pointer in an interface, such as an error: show what it says.
	if (p->depth != 1 || e->kind != GO_KIND_STRUCT || !e->n_fields ||
	    e->size > 256 || core_view(w->core, at, e->size, &mem, NULL))
		return;
	put(w, " &", 2);
	push(w, (struct piece){ NULL, mem, at, r->elem, POINTER_DEPTH - 1 });
}

static void write_func(struct writer *w, taddr closure)
{
	struct go_func fn;
	taddr code;
	if (!closure)
		put(w, "nil", 3);
	else if (core_u64(w->core, closure, &code, NULL) ||
		 go_func_at(w->types->process, code, &fn))
		putf(w, "0x%" PRIx64, closure);
	else
		put(w, fn.name, strlen(fn.name));
}

static void write_chan(struct writer *w, taddr chan)
{
	const uint8_t *v;
	if (!chan)
		put(w, "nil", 3);
	else if (core_view(w->core, chan, 32, &v, NULL))
		putf(w, "0x%" PRIx64, chan);
	else
		putf(w, "0x%" PRIx64 " len %" PRIu64 " cap %" PRIu64 "%s",
		     chan, get_u64(v), get_u64(v + 8),
		     get_u32(v + 28) ? " closed" : "");
}

// write_value writes one value, or what it begins with.
static void write_value(struct writer *w, const struct piece *p)
{
	const struct go_type *r = go_type_get(w->types, p->type);
	if (put_number(w, r->kind, p->mem))
		return;
	switch (r->kind) {
	case GO_KIND_STRING:
		put_string(w, p->mem);
		break;
	case GO_KIND_SLICE:
		write_slice(w, p, r);
		break;
	case GO_KIND_ARRAY:
		put(w, "[", 1);
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
		putf(w, "0x%" PRIx64, get_u64(p->mem));
		break;
	case GO_KIND_FUNC:
		write_func(w, get_u64(p->mem));
		break;
	case GO_KIND_CHAN:
		write_chan(w, get_u64(p->mem));
		break;
	default:
		put(w, "?", 1);
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
	w.len = 0;
	w.cut = false;
	push(&w, (struct piece){ NULL, mem, at, type, 0 });
	while (w.n && !w.cut) {
		struct piece p = w.stack[--w.n];
		if (p.text)
			put(&w, p.text, strlen(p.text));
		else
			write_value(&w, &p);
	}
	if (w.cut) {
		memcpy(w.out + w.len, "…", 3);
		w.len += 3;
	}
	const char *text = pool_copy(pool, w.out, w.len);
	return text ? text : "";
}
