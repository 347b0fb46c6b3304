// moar2.c: MoarVM's heap snapshot of version 2: rows, found from the end by
// adding up sizes.
#include "libheap/dump/moar.h"

#include <string.h>

#define HEAD_BYTES 20 // of a block: kind, count, size of an entry

// struct place is a snapshot in the index.
struct place {
	uint64_t nodes_len, refs_len, middle;
};

// struct moar2 is the file. Shape: refs_at, middle and n, of references so far,
// are of the snapshot m.
struct moar2 {
	struct moar *m;
	uint64_t refs_at, middle, n;
	struct { VEC(struct place); } places;
};

static void block(struct wire *w, const char *kind, uint64_t n, uint64_t size)
{
	wire_text(w, kind);
	wire_u64(w, n);
	wire_u64(w, size);
}

static void on_node(void *ctx, const struct moar_node *n)
{
	struct moar2 *v = ctx;
	struct wire *w = v->m->file->w;
	wire_u16(w, (uint16_t)n->kind);
	wire_u32(w, n->index);
	wire_u16(w, moar_small(n->size));
	wire_u64(w, moar_rest(n->size));
	wire_u64(w, n->first_ref);
	wire_u32(w, (uint32_t)n->n_refs);
}

// on_ref writes a reference in the narrowest of four widths.
static void on_ref(void *ctx, struct word_name name, uint64_t to)
{
	struct moar2 *v = ctx;
	struct wire *w = v->m->file->w;
	uint64_t most = (name.value > to ? name.value : to) + 1;
	if (v->n++ == v->m->n_refs / 2)
		v->middle = w->len - v->refs_at;
	wire_u8(w, most >> 32 ? '6' : most >> 16 ? '3' : most >> 8 ? '1' : '0');
	wire_u8(w, name.is_index ? 1 : 2);
	if (most >> 32) {
		wire_u64(w, name.value);
		wire_u64(w, to);
	} else if (most >> 16) {
		wire_u32(w, (uint32_t)name.value);
		wire_u32(w, (uint32_t)to);
	} else if (most >> 8) {
		wire_u16(w, (uint16_t)name.value);
		wire_u16(w, (uint16_t)to);
	} else {
		wire_u8(w, (uint8_t)name.value);
		wire_u8(w, (uint8_t)to);
	}
}

static void write_strings(struct moar_file *f)
{
	struct wire *w = f->w;
	const struct strings *s = &f->strings;
	wire_text(w, "strs");
	wire_u64(w, s->n_used);
	for (uint64_t at = 1; at < s->n; at += strlen(s->at + at) + 1) {
		uint64_t len = moar_string_len(s->at + at);
		wire_u64(w, len);
		wire_bytes(w, s->at + at, len);
	}
}

static void write_tables(struct moar_file *f, uint64_t size[3])
{
	struct wire *w = f->w;
	uint64_t at = w->len;
	write_strings(f);
	size[0] = w->len - at;
	at = w->len;
	block(w, "type", f->types.n, 16);
	for (uint64_t i = 0; i < f->types.n; i++) {
		wire_u64(w, f->types.at[i].repr);
		wire_u64(w, f->types.at[i].name);
	}
	size[1] = w->len - at;
	at = w->len;
	block(w, "fram", f->frames.n, 32);
	for (uint64_t i = 0; i < f->frames.n; i++) {
		wire_u64(w, f->frames.at[i].name);
		wire_u64(w, f->frames.at[i].cuid);
		wire_u64(w, f->frames.at[i].line);
		wire_u64(w, f->frames.at[i].file);
	}
	size[2] = w->len - at;
}

// write_snapshot writes the rows of one heap.
static enum hc write_snapshot(void *ctx, struct moar *m, struct hc_err *err)
{
	struct moar2 *v = ctx;
	struct wire *w = m->file->w;
	struct place *place = vec_push(&m->file->own, &v->places);
	if (!place)
		return hc_nomem(err);
	v->m = m;
	m->node = on_node;
	m->ref = on_ref;
	uint64_t at = w->len;
	block(w, "coll", m->n_nodes, 28);
	moar_nodes(m);
	place->nodes_len = w->len - at;
	v->refs_at = w->len;
	v->n = 0;
	v->middle = HEAD_BYTES;
	block(w, "refs", m->n_refs, 17);
	moar_refs(m);
	place->refs_len = w->len - v->refs_at;
	place->middle = v->middle;
	return HC_OK;
}

// write_end writes what readers begin with: where everything is.
static void write_end(const struct moar2 *v, struct moar_file *f)
{
	uint64_t size[3];
	write_tables(f, size);
	for (uint64_t i = 0; i < v->places.n; i++) {
		wire_u64(f->w, v->places.at[i].nodes_len);
		wire_u64(f->w, v->places.at[i].refs_len);
		wire_u64(f->w, v->places.at[i].middle);
		wire_u64(f->w, 0);
	}
	for (unsigned i = 0; i < 3; i++)
		wire_u64(f->w, size[i]);
	wire_u64(f->w, v->places.n);
}

enum hc dump_moar2(const struct dump_heaps *heaps,
		   const struct dump_sink *sink, struct pool *pool,
		   struct pool *names, struct hc_err *err)
{
	struct moar_file f;
	struct moar2 v = { .n = 0 };
	HC_TRY(moar_open(heaps, sink, pool, names, &f, err));
	wire_text(f.w, "MoarHeapDumpv002");
	enum hc got = moar_each(&f, heaps, pool, write_snapshot, &v, err);
	if (got == HC_OK) {
		write_end(&v, &f);
		got = wire_close(f.w, err);
	}
	moar_close(&f);
	return got;
}
