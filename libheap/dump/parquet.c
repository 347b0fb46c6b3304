// parquet.c: see parquet.h.
#include "libheap/dump/parquet.h"

#include "libcore/base/codec.h"

#include <string.h>

#define ROWS (1u << 20)            // of a row group
#define COLUMN_MAX (UINT64_C(1) << 28) // bytes of a column in one
#define LEVEL 3

// Thrift's compact protocol: types of fields, and the codes of Parquet.
enum { T_I32 = 5, T_I64 = 6, T_BINARY = 8, T_LIST = 9, T_STRUCT = 12 };
enum { PLAIN = 0, RLE = 3, ZSTD = 6, REQUIRED = 0 };
enum { UTF8 = 0, UINT_32 = 13, UINT_64 = 14 };

// struct thrift writes fields; last is the number of the field before, of each
// struct that is open.
struct thrift {
	struct wire *w;
	unsigned last[8], depth;
};

static void t_field(struct thrift *t, unsigned id, unsigned type)
{
	wire_u8(t->w, (uint8_t)((id - t->last[t->depth]) << 4 | type));
	t->last[t->depth] = id;
}

static void t_begin(struct thrift *t)
{
	t->last[++t->depth] = 0;
}

static void t_end(struct thrift *t)
{
	wire_u8(t->w, 0);
	t->depth--;
}

// t_number writes a number of no less than 0 in zigzag.
static void t_number(struct thrift *t, unsigned id, unsigned type, uint64_t v)
{
	t_field(t, id, type);
	wire_uleb(t->w, v << 1);
}

static void t_text(struct thrift *t, unsigned id, const char *text)
{
	if (id)
		t_field(t, id, T_BINARY);
	wire_uleb(t->w, strlen(text));
	wire_text(t->w, text);
}

static void t_list(struct thrift *t, unsigned id, unsigned type, uint64_t n)
{
	t_field(t, id, T_LIST);
	if (n < 15) {
		wire_u8(t->w, (uint8_t)(n << 4 | type));
		return;
	}
	wire_u8(t->w, (uint8_t)(0xf0 | type));
	wire_uleb(t->w, n);
}

enum hc parquet_begin(struct parquet *p, const char *name,
		      const struct parquet_column *columns, unsigned n_columns,
		      const struct dump_sink *sink, struct pool *pool,
		      struct hc_err *err)
{
	if (!p->w)
		HC_TRY(wire_open(sink, pool, &p->w, err));
	p->w->sink = *sink;
	p->w->len = p->w->n = 0;
	p->w->failed = p->failed = false;
	p->pool = pool;
	p->name = name;
	p->columns = columns;
	p->n_columns = n_columns;
	p->groups.n = 0;
	p->rows = p->in_group = 0;
	for (unsigned i = 0; i < n_columns; i++)
		p->buf[i].n = 0;
	wire_text(p->w, "PAR1");
	return HC_OK;
}

static void fail(struct parquet *p, const struct hc_err *err)
{
	if (!p->failed)
		p->err = *err;
	p->failed = true;
}

static void nomem(struct parquet *p)
{
	struct hc_err err;
	(void)hc_nomem(&err);
	fail(p, &err);
}

// put appends bytes to a column.
static void put(struct parquet *p, unsigned column, const void *bytes,
		uint64_t len)
{
	uint64_t cap = p->buf[column].cap ? p->buf[column].cap : 1 << 12;
	while (cap - p->buf[column].n < len)
		cap *= 2;
	if (cap > p->buf[column].cap) {
		uint8_t *at = pool_grow(p->pool, p->buf[column].at, 1, 1,
					p->buf[column].n, cap);
		if (!at) {
			nomem(p);
			return;
		}
		p->buf[column].at = at;
		p->buf[column].cap = cap;
	}
	memcpy(p->buf[column].at + p->buf[column].n, bytes, len);
	p->buf[column].n += len;
}

void parquet_number(struct parquet *p, unsigned column, uint64_t v)
{
	put(p, column, &v, p->columns[column].kind == PARQUET_I32 ? 4 : 8);
}

void parquet_text(struct parquet *p, unsigned column, const char *text)
{
	uint32_t len = text ? (uint32_t)strnlen(text, 1 << 20) : 0;
	put(p, column, &len, 4);
	put(p, column, text ? text : "", len);
}

static void write_page(struct parquet *p, const uint8_t *packed, uint64_t len,
		       uint64_t raw)
{
	struct thrift t = { .w = p->w };
	t_number(&t, 1, T_I32, 0); // a data page
	t_number(&t, 2, T_I32, raw);
	t_number(&t, 3, T_I32, len);
	t_field(&t, 5, T_STRUCT);
	t_begin(&t);
	t_number(&t, 1, T_I32, p->in_group);
	t_number(&t, 2, T_I32, PLAIN);
	t_number(&t, 3, T_I32, RLE);
	t_number(&t, 4, T_I32, RLE);
	t_end(&t);
	wire_u8(p->w, 0);
	wire_bytes(p->w, packed, len);
}

static void write_column(struct parquet *p, unsigned i,
			 struct parquet_chunk *chunk)
{
	struct hc_err err;
	uint64_t len = 0, cap = pack_bound(p->buf[i].n);
	struct bytes raw = { p->buf[i].at, p->buf[i].n, 0 };
	if (cap > p->packed.cap) {
		p->packed.at = pool_alloc(p->pool, 1, 16, cap);
		p->packed.cap = p->packed.at ? cap : 0;
	}
	if (!p->packed.at) {
		nomem(p);
		return;
	}
	if (pack_zstd(raw, LEVEL, p->packed.at, p->packed.cap, &len, &err)) {
		fail(p, &err);
		return;
	}
	chunk->at = p->w->len;
	write_page(p, p->packed.at, len, raw.len);
	chunk->packed = p->w->len - chunk->at;
	chunk->raw = chunk->packed - len + raw.len;
	p->buf[i].n = 0;
}

static void write_group(struct parquet *p)
{
	if (p->in_group == 0 || p->failed)
		return;
	struct parquet_group *g = vec_push(p->pool, &p->groups);
	if (!g) {
		nomem(p);
		return;
	}
	g->rows = p->in_group;
	for (unsigned i = 0; i < p->n_columns && !p->failed; i++)
		write_column(p, i, &g->chunk[i]);
	p->rows += p->in_group;
	p->in_group = 0;
}

void parquet_row(struct parquet *p)
{
	bool full = ++p->in_group == ROWS;
	for (unsigned i = 0; i < p->n_columns; i++)
		full |= p->buf[i].n > COLUMN_MAX;
	if (full)
		write_group(p);
}

static void write_schema(struct parquet *p, struct thrift *t)
{
	t_list(t, 2, T_STRUCT, p->n_columns + 1);
	t_begin(t);
	t_text(t, 4, p->name);
	t_number(t, 5, T_I32, p->n_columns);
	t_end(t);
	for (unsigned i = 0; i < p->n_columns; i++) {
		const struct parquet_column *c = &p->columns[i];
		t_begin(t);
		t_number(t, 1, T_I32, c->kind);
		t_number(t, 3, T_I32, REQUIRED);
		t_text(t, 4, c->name);
		if (c->kind == PARQUET_TEXT)
			t_number(t, 6, T_I32, UTF8);
		else if (c->is_unsigned)
			t_number(t, 6, T_I32, c->kind == PARQUET_I32 ? UINT_32 :
								       UINT_64);
		t_end(t);
	}
}

static void write_chunk(struct parquet *p, struct thrift *t, unsigned i,
			const struct parquet_group *g)
{
	const struct parquet_chunk *c = &g->chunk[i];
	t_begin(t);
	t_number(t, 2, T_I64, c->at);
	t_field(t, 3, T_STRUCT);
	t_begin(t);
	t_number(t, 1, T_I32, p->columns[i].kind);
	t_list(t, 2, T_I32, 2);
	wire_uleb(t->w, PLAIN << 1);
	wire_uleb(t->w, RLE << 1);
	t_list(t, 3, T_BINARY, 1);
	t_text(t, 0, p->columns[i].name);
	t_number(t, 4, T_I32, ZSTD);
	t_number(t, 5, T_I64, g->rows);
	t_number(t, 6, T_I64, c->raw);
	t_number(t, 7, T_I64, c->packed);
	t_number(t, 9, T_I64, c->at);
	t_end(t);
	t_end(t);
}

static void write_footer(struct parquet *p)
{
	struct thrift t = { .w = p->w };
	uint64_t at = p->w->len;
	t_number(&t, 1, T_I32, 1);
	write_schema(p, &t);
	t_number(&t, 3, T_I64, p->rows);
	t_list(&t, 4, T_STRUCT, p->groups.n);
	for (uint64_t k = 0; k < p->groups.n; k++) {
		const struct parquet_group *g = &p->groups.at[k];
		uint64_t raw = 0;
		t_begin(&t);
		t_list(&t, 1, T_STRUCT, p->n_columns);
		for (unsigned i = 0; i < p->n_columns; i++) {
			write_chunk(p, &t, i, g);
			raw += g->chunk[i].raw;
		}
		t_number(&t, 2, T_I64, raw);
		t_number(&t, 3, T_I64, g->rows);
		t_end(&t);
	}
	t_text(&t, 6, "heapcore");
	wire_u8(p->w, 0);
	wire_u32(p->w, (uint32_t)(p->w->len - at));
	wire_text(p->w, "PAR1");
}

enum hc parquet_end(struct parquet *p, struct hc_err *err)
{
	write_group(p);
	if (!p->failed) {
		write_footer(p);
		return wire_close(p->w, err);
	}
	if (err)
		*err = p->err;
	return HC_FAIL;
}
