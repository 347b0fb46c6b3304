// typename.c: a type's full name, put together from its parts.
//
// A descriptor's own string names packages by their last element only; the
// import path stands in its uncommon part. So named types are put together
// from these two, and what is made of types from the names of its parts. No
// recursion: pieces still to be written wait on a stack.
#include "libheap/go/types/typetable.h"

#include "libdwarfread/dwarfread.h"

#include <stdio.h>

#define PIECES_MAX 512 // waiting at once
#define NAME_LEN 4096  // longer names end in "…"

// struct piece is text to write, or a type when text is NULL.
struct piece {
	const char *text;
	uint64_t len;
	go_typeid type;
};

struct writer {
	struct go_types *types;
	struct piece stack[PIECES_MAX];
	unsigned n;
	char out[NAME_LEN + 8];
	uint64_t len;
	bool cut;
};

static void push_text(struct writer *w, const char *text, uint64_t len)
{
	if (w->n < PIECES_MAX)
		w->stack[w->n++] = (struct piece){ text, len, 0 };
	else
		w->cut = true;
}

static void push_type(struct writer *w, go_typeid type)
{
	if (w->n < PIECES_MAX)
		w->stack[w->n++] = (struct piece){ NULL, 0, type };
	else
		w->cut = true;
}

#define push_literal(w, s) push_text((w), (s), sizeof(s) - 1)

static void put(struct writer *w, const char *text, uint64_t len)
{
	if (len > NAME_LEN - w->len) {
		len = NAME_LEN - w->len;
		w->cut = true;
	}
	if (len)
		memcpy(w->out + w->len, text, len);
	w->len += len;
}

// dwarf_name returns what DWARF calls the type, or NULL.
static const char *dwarf_name(struct go_types *t, const struct go_type *r)
{
	struct dwarf_type d;
	if (r->name || !t->dwarf || !t->process->n_modules)
		return r->name;
	if (r->die && !dwarf_type_at(t->dwarf, r->die, &d, NULL) && d.name)
		return d.name;
	taddr types = t->process->modules[0].types;
	if (r->rtype > types && r->kind < GO_KIND_STRING_DATA &&
	    !dwarf_find_go_type(t->dwarf, r->rtype - types, &d, NULL))
		return d.name;
	return NULL;
}

// drop_noalg takes off the mark of types that need no equality.
static void drop_noalg(struct bytes *s)
{
	if (s->len > 6 && !memcmp(s->at, "noalg.", 6)) {
		s->at += 6;
		s->len -= 6;
	}
}

// put_plain writes a name without the numbers that tell types of functions
// apart: "main.local·1" is main.local to a programmer.
static void put_plain(struct writer *w, const char *text, uint64_t len)
{
	uint64_t from = 0;
	for (uint64_t i = 0; i + 2 < len; i++) {
		if (memcmp(text + i, "\xc2\xb7", 2))
			continue;
		uint64_t end = i + 2;
		while (end < len && text[end] >= '0' && text[end] <= '9')
			end++;
		put(w, text + from, i - from);
		from = end;
		i = end - 1;
	}
	put(w, text + from, len - from);
}

// put_named writes a named type: its import path, and the name behind the
// first dot of its own string.
static void put_named(struct writer *w, struct bytes s, struct bytes path)
{
	drop_noalg(&s);
	uint64_t i = 0;
	while (i < s.len && s.at[i] != '.' && s.at[i] != '[')
		i++;
	if (path.len && i < s.len && s.at[i] == '.') {
		put(w, (const char *)path.at, path.len);
		put_plain(w, (const char *)s.at + i, s.len - i);
	} else {
		put_plain(w, (const char *)s.at, s.len);
	}
}

// put_closure writes "closure " and the function's name.
static void put_closure(struct writer *w, const struct go_type *r)
{
	struct go_func fn;
	put(w, "closure ", 8);
	if (go_func_at(w->types->process, r->rtype, &fn))
		put(w, "(unknown)", 9);
	else
		put(w, fn.name, strlen(fn.name));
}

// push_fields puts the fields of a struct without a name on the stack: one that
// reflect made, whose descriptor has no string that we can find.
static void push_fields(struct writer *w, const struct go_type *r)
{
	push_text(w, r->n_fields ? " }" : "}", r->n_fields ? 2 : 1);
	for (uint32_t i = r->n_fields; i-- > 0;) {
		const struct go_type_field *f =
			go_type_field_at(w->types, r, i);
		push_type(w, f->type);
		push_literal(w, " ");
		push_text(w, f->name, strlen(f->name));
		if (i)
			push_literal(w, "; ");
	}
	put(w, r->n_fields ? "struct { " : "struct {", r->n_fields ? 9 : 8);
}

// push_entry_type puts "NAME[KEY]ELEM" of a map on the stack.
static void push_entry_type(struct writer *w, const struct go_type *map,
			    const char *name)
{
	push_type(w, map->elem);
	push_literal(w, "]");
	push_type(w, map->key);
	put(w, name, strlen(name));
	put(w, "[", 1);
}

// push_struct puts a struct without a name on the stack: the groups or
// buckets of a map, which the compiler makes, as such.
static void push_struct(struct writer *w, const struct go_type *r)
{
	const struct go_type *map = go_type_get(w->types, r->key);
	bool bucket = r->n_fields &&
		      !strcmp(go_type_field_at(w->types, r, 0)->name,
			      "topbits");
	if (r->key && map->kind == GO_KIND_MAP)
		push_entry_type(w, map, bucket ? "map.bucket" : "map.group");
	else
		push_fields(w, r);
}

// push_parts puts what a type is made of on the stack, last piece first. It
// returns false for a type that has no such form.
static bool push_parts(struct writer *w, const struct go_type *r)
{
	char len[32];
	switch (r->kind) {
	case GO_KIND_STRUCT:
		push_struct(w, r);
		return true;
	case GO_KIND_POINTER:
		push_type(w, r->elem);
		put(w, "*", 1);
		return true;
	case GO_KIND_SLICE:
		push_type(w, r->elem);
		put(w, "[]", 2);
		return true;
	case GO_KIND_ARRAY:
		push_type(w, r->elem);
		snprintf(len, sizeof(len), "[%" PRIu64 "]", r->len);
		put(w, len, strlen(len));
		return true;
	case GO_KIND_MAP:
		push_entry_type(w, r, "map");
		return true;
	case GO_KIND_MAP_HEADER:
	case GO_KIND_CHANNEL:
		push_type(w, r->elem);
		return true;
	case GO_KIND_MAP_TABLE:
		put(w, "internal/runtime/maps.table", 27);
		return true;
	case GO_KIND_MAP_DIRECTORY:
		put(w, "*internal/runtime/maps.table", 28);
		return true;
	case GO_KIND_STRING_DATA:
		put(w, "string (data)", 13);
		return true;
	case GO_KIND_CLOSURE:
		put_closure(w, r);
		return true;
	default:
		return false;
	}
}

// write_type writes one type, or what it begins with.
static void write_type(struct writer *w, go_typeid id)
{
	struct go_types *t = w->types;
	const struct go_type *r = go_type_get(t, id);
	struct bytes s, path;
	const char *name = dwarf_name(t, r);
	if (!id || !r->kind) {
		put(w, "unknown", 7);
		return;
	}
	if (name) {
		s = (struct bytes){ (const uint8_t *)name, strlen(name), 0 };
		drop_noalg(&s);
		put_plain(w, (const char *)s.at, s.len);
		return;
	}
	bool own = r->kind < GO_KIND_STRING_DATA && r->rtype &&
		   rtype_string(t, r->rtype, &s, &path);
	if (own && r->named)
		put_named(w, s, path);
	else if (!push_parts(w, r) && own) {
		drop_noalg(&s);
		put(w, (const char *)s.at, s.len);
	} else if (r->kind == GO_KIND_FUNC && !own) {
		put(w, "func(…)", 9);
	}
}

const char *go_type_name(struct go_types *types, go_typeid id,
			 struct pool *pool)
{
	struct writer w;
	w.types = types;
	w.n = 0;
	w.len = 0;
	w.cut = false;
	push_type(&w, id);
	while (w.n && !w.cut) {
		struct piece p = w.stack[--w.n];
		if (p.text)
			put(&w, p.text, p.len);
		else
			write_type(&w, p.type);
	}
	if (w.cut) {
		memcpy(w.out + w.len, "…", 3);
		w.len += 3;
	}
	const char *name = pool_copy(pool, w.out, w.len);
	return name ? name : "unknown";
}
