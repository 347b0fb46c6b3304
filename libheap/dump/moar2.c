// moar2.c: MoarVM's heap snapshot of version 2: rows, found from the end by
// adding up sizes.
#include "libheap/dump/moar.h"

#include <string.h>

#define HEAD_BYTES 20 // of a block: kind, count, size of an entry

struct moar2 {
	struct moar *m;
	uint64_t refs_at, middle, n;
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
	struct wire *w = v->m->w;
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
	struct wire *w = v->m->w;
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

static void write_strings(struct moar *m)
{
	struct wire *w = m->w;
	const struct strings *s = m->e.strings;
	wire_text(w, "strs");
	wire_u64(w, s->n_used);
	for (uint64_t at = 1; at < s->n; at += strlen(s->at + at) + 1) {
		uint64_t len = moar_string_len(s->at + at);
		wire_u64(w, len);
		wire_bytes(w, s->at + at, len);
	}
}

static void write_tables(struct moar *m, uint64_t size[3])
{
	struct wire *w = m->w;
	uint64_t at = w->len;
	write_strings(m);
	size[0] = w->len - at;
	at = w->len;
	block(w, "type", m->types.n, 16);
	for (uint64_t i = 0; i < m->types.n; i++) {
		wire_u64(w, m->types.at[i].repr);
		wire_u64(w, m->types.at[i].name);
	}
	size[1] = w->len - at;
	at = w->len;
	block(w, "fram", m->frames.n, 32);
	for (uint64_t i = 0; i < m->frames.n; i++) {
		wire_u64(w, m->frames.at[i].name);
		wire_u64(w, m->frames.at[i].cuid);
		wire_u64(w, m->frames.at[i].line);
		wire_u64(w, m->frames.at[i].file);
	}
	size[2] = w->len - at;
}

enum hc dump_moar2(struct heap *heap, const struct dump_sink *sink,
		   struct pool *pool, struct pool *names, struct hc_err *err)
{
	struct moar m;
	struct moar2 v = { .m = &m, .middle = HEAD_BYTES };
	uint64_t size[3], nodes_at, refs_len;
	HC_TRY(moar_open(heap, sink, pool, names, &m, err));
	m.node = on_node;
	m.ref = on_ref;
	m.ctx = &v;
	wire_text(m.w, "MoarHeapDumpv002");
	nodes_at = m.w->len;
	block(m.w, "coll", m.n_nodes, 28);
	moar_nodes(&m);
	v.refs_at = m.w->len;
	block(m.w, "refs", m.n_refs, 17);
	moar_refs(&m);
	refs_len = m.w->len - v.refs_at;
	if (m.e.strings->failed)
		return hc_nomem(err);
	write_tables(&m, size);
	wire_u64(m.w, v.refs_at - nodes_at);
	wire_u64(m.w, refs_len);
	wire_u64(m.w, v.middle);
	wire_u64(m.w, 0);
	for (unsigned i = 0; i < 3; i++)
		wire_u64(m.w, size[i]);
	wire_u64(m.w, 1);
	return wire_close(m.w, err);
}
