// fieldspecial.c: objects whose type has no Go name: maps, channels, the bytes
// of strings, closures.
#include "libheap/go/values/fieldshow.h"

#include "libheap/go/values/mapiter.h"
#include "libheap/go/values/value.h"
#include "libheap/go/values/valuetext.h"

#define GROUPS (1u << 26) // of a map, looked at

// show_entry hands out one entry of a map.
static bool show_entry(void *ctx, const struct go_map_entry *e)
{
	struct go_show *s = ctx;
	const struct go_type *map = go_type_get(s->types, s->parts[0].type);
	char *mark = pool_mark(s->pool);
	const char *key = go_value_text(s->types, map->key, e->key, e->key_at,
					s->pool);
	const char *name = pool_printf(s->pool, "[%s]", key);
	go_show_row(s, name ? name : "",
		    go_type_name(s->types, map->elem, s->pool),
		    go_value_text(s->types, map->elem, e->elem, e->elem_at,
				  s->pool),
		    s->base, 0);
	pool_rewind(s->pool, mark);
	return !s->stop;
}

static void show_map(struct go_show *s, taddr at, go_typeid map)
{
	char *mark = pool_mark(s->pool);
	const char *len = pool_printf(s->pool, "%" PRIu64,
				      go_map_len(s->types, at));
	go_show_row(s, "len", "int", len ? len : "", at, 0);
	pool_rewind(s->pool, mark);
	s->parts[0].type = map;
	(void)go_map_each(s->types, map, at, GROUPS, show_entry, s);
}

// recvx_of finds where a channel's next value waits.
// Source: runtime/chan.go hchan; recvx moved in 1.23.
static bool recvx_of(struct go_show *s, const uint8_t *mem, uint64_t *ret)
{
	const struct go_type *r = go_type_get(
		s->types, go_type_named(s->types, "runtime.hchan"));
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct go_type_field *f =
			go_type_field_at(s->types, r, i);
		if (strcmp(f->name, "recvx") || f->off > 88)
			continue;
		*ret = get_u64(mem + f->off);
		return true;
	}
	return false;
}

// show_waiting hands out the values in a channel's buffer, the next one first;
// all slots when nobody tells which that is.
static void show_waiting(struct go_show *s, const uint8_t *mem, go_typeid elem)
{
	uint64_t n = get_u64(mem), cap = get_u64(mem + 8), first = 0;
	uint64_t size = go_type_get(s->types, elem)->size;
	taddr at = get_u64(mem + 16);
	const uint8_t *buf;
	if (!size || n > cap || cap > UINT64_MAX / size ||
	    core_view(s->process->core, at, cap * size, &buf, NULL))
		return;
	if (!recvx_of(s, mem, &first) || first >= cap) {
		first = 0;
		n = cap;
	}
	uint64_t head = n < cap - first ? n : cap - first;
	go_show_array(s, buf + first * size, at + first * size, elem, head);
	go_show_array(s, buf, at, elem, n - head);
}

// show_channel hands out a channel's state and what waits in its buffer.
static void show_channel(struct go_show *s, const uint8_t *mem, taddr at,
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
		go_show_row(s, words[i].name, words[i].size == 8 ? "uint" :
								   "uint32",
			    text ? text : "", at + words[i].off, 0);
		pool_rewind(s->pool, mark);
	}
	show_waiting(s, mem, chan->elem);
}

void go_show_bytes(struct go_show *s, const uint8_t *mem, taddr at, uint64_t n,
		   const char *type)
{
	char *mark = pool_mark(s->pool);
	struct go_text line = { .len = 0 };
	go_text_quoted(&line, mem, n);
	const char *text = pool_copy(s->pool, line.text, line.len);
	go_show_row(s, "", type, text ? text : "", at, 0);
	pool_rewind(s->pool, mark);
}

void go_show_words(struct go_show *s, const uint8_t *mem, taddr at,
		   uint64_t len, uint64_t from)
{
	for (uint64_t off = from; off + 8 <= len && !s->stop; off += 8) {
		char *mark = pool_mark(s->pool);
		const char *name = pool_printf(s->pool, "+0x%" PRIx64, off);
		const char *value = pool_printf(s->pool, "0x%" PRIx64,
						get_u64(mem + off));
		go_show_row(s, name ? name : "", "word", value ? value : "",
			    at + off, 0);
		pool_rewind(s->pool, mark);
	}
}

// show_closure hands out a closure's code and what it captured: typed where
// its fields are known, else as words.
static void show_closure(struct go_show *s, const struct go_type *r,
			 const uint8_t *mem, taddr at, uint64_t len)
{
	struct go_func fn;
	if (len < 8)
		return;
	go_show_row(s, "code", "func",
		    go_func_at(s->process, get_u64(mem), &fn) ? "?" : fn.name,
		    at, 0);
	uint64_t end = 8;
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct go_type_field *f =
			go_type_field_at(s->types, r, i);
		uint64_t size = go_type_get(s->types, f->type)->size;
		if (f->off < 8 || size > len || f->off > len - size)
			continue;
		go_show_part(s, (struct go_part){ f->name, mem + f->off,
						  at + f->off, f->type, 0 });
		end = f->off + size > end ? f->off + size : end;
	}
	go_show_words(s, mem, at, len, (end + 7) & ~UINT64_C(7));
}

void go_show_special(struct go_show *s, const struct go_type *r,
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
		while (len && !mem[len - 1]) // its slot may be larger
			len--;
		go_show_bytes(s, mem, at, len, "string");
		break;
	case GO_KIND_CLOSURE:
		show_closure(s, r, mem, at, len);
		break;
	default:
		go_show_words(s, mem, at, len, 0);
		break;
	}
}
