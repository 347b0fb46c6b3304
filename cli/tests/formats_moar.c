// formats_moar.c: readers of MoarVM heap snapshots, versions 2 and 3.
#include "cli/tests/formats.h"

struct moar {
	uint64_t n, n_refs, n_strings, n_types;
	uint64_t *kind, *index, *size, *first, *n_ref, *descr, *value, *to;
	char **string;
	uint64_t *type_name;
};

static void moar_check(struct moar *m)
{
	uint64_t *first = malloc(8 * (m->n + 1)), next = 0;
	for (uint64_t i = 0; i < m->n; i++) {
		want(m->first[i] == (m->n_ref[i] ? next : 0));
		first[i] = next;
		next += m->n_ref[i];
		if (m->kind[i] != 1)
			continue;
		want(m->index[i] < m->n_types);
		count(row_of(m->string[m->type_name[m->index[i]]]), 1,
		      m->size[i]);
	}
	for (uint64_t i = 0; i < m->n_types; i++)
		for (uint64_t j = 0; j < i; j++)
			want(m->type_name[i] != m->type_name[j]);
	first[m->n] = next;
	want(next == m->n_refs && m->kind[0] == 9);
	for (uint64_t i = 0; i < m->n_refs; i++)
		want(m->descr[i] == 1 ||
		     (m->descr[i] == 2 && m->value[i] < m->n_strings));
	reach(m->n, first, m->to);
	print(true);
}

static uint64_t *numbers(uint64_t n)
{
	return calloc(n + 1, 8);
}

static void kind(const char *name, uint64_t *n)
{
	want(memcmp(take(4), name, 4) == 0);
	*n = number(8);
}

void read_moar2(void)
{
	struct moar m = { 0 };
	uint64_t n, width, size[8];
	const uint8_t *whole = end;
	want(memcmp(take(16), "MoarHeapDumpv002", 16) == 0);
	at = whole - 64;
	for (unsigned i = 0; i < 8; i++)
		size[i] = number(8);
	want(size[7] == 1 && size[3] == 0);
	at = start + 16;
	end = whole - 64;
	kind("coll", &m.n);
	want(number(8) == 28);
	m.kind = numbers(m.n), m.index = numbers(m.n), m.size = numbers(m.n);
	m.first = numbers(m.n), m.n_ref = numbers(m.n);
	for (uint64_t i = 0; i < m.n; i++) {
		m.kind[i] = number(2), m.index[i] = number(4);
		m.size[i] = number(2);
		want(m.size[i] < 32768);
		m.size[i] += number(8);
		m.first[i] = number(8), m.n_ref[i] = number(4);
	}
	const uint8_t *refs = at;
	want((uint64_t)(at - start) == 16 + size[0]);
	kind("refs", &m.n_refs);
	want(number(8) == 17);
	m.descr = numbers(m.n_refs), m.value = numbers(m.n_refs);
	m.to = numbers(m.n_refs);
	want(m.n_refs > 1 || size[2] == 20);
	for (uint64_t i = 0; i < m.n_refs; i++) {
		want(i != m.n_refs / 2 || (uint64_t)(at - refs) == size[2]);
		uint64_t tag = number(1);
		m.descr[i] = number(1);
		width = tag == '0' ? 1 : tag == '1' ? 2 : tag == '3' ? 4 : 8;
		want(width < 8 || tag == '6');
		m.value[i] = number((unsigned)width);
		m.to[i] = number((unsigned)width);
	}
	want((uint64_t)(at - refs) == size[1]);
	kind("strs", &m.n_strings);
	m.string = calloc(m.n_strings + 1, sizeof(*m.string));
	for (uint64_t i = 0; i < m.n_strings; i++) {
		n = number(8);
		want(n <= 4096);
		m.string[i] = copy(take(n), n);
	}
	kind("type", &m.n_types);
	want(number(8) == 16);
	m.type_name = numbers(m.n_types);
	for (uint64_t i = 0; i < m.n_types; i++) {
		want(number(8) < m.n_strings);
		m.type_name[i] = number(8);
		want(m.type_name[i] < m.n_strings);
	}
	kind("fram", &n);
	want(number(8) == 32);
	take(32 * n);
	want(at == end);
	moar_check(&m);
}

struct block {
	uint64_t at, end;
};

// toc_find returns where the block of a kind is, by the table at `toc`.
static struct block toc_find(uint64_t toc, const char *name, unsigned which)
{
	char id[8] = { 0 };
	memcpy(id, name, strlen(name));
	at = start + toc;
	want(memcmp(take(8), "toc\0\0\0\0", 8) == 0);
	uint64_t n = number(8);
	for (uint64_t i = 0; i < n; i++) {
		bool same = memcmp(take(8), id, 8) == 0;
		struct block b = { number(8), number(8) };
		if (same && which-- == 0)
			return b;
	}
	return (struct block){ 0, 0 };
}

// column unpacks a column and returns how many values it has.
static uint64_t column(uint64_t toc, const char *name, unsigned width,
		       struct pool *pool, const uint8_t **ret)
{
	struct codec codec;
	struct hc_err err = { 0 };
	struct block b = toc_find(toc, name, 0);
	want(b.at > 0);
	at = start + b.at + 8;
	want(width == 0 || number(2) == width);
	(void)number(8);
	uint64_t cap = 1 << 28;
	uint8_t *out = pool_new(pool, uint8_t, cap);
	struct codec_io io = { at, b.end - (uint64_t)(at - start), out, cap };
	want(out != NULL);
	want(codec_open(&codec_zstd, pool, &codec, &err) == HC_OK);
	want(codec_step(&codec, &io, &err) == HC_NONE && io.in_len == 0);
	codec_close(&codec);
	*ret = out;
	return (cap - io.out_len) / (width ? width : 1);
}

static uint64_t *values(uint64_t toc, const char *name, unsigned width,
			struct pool *pool, uint64_t *ret_n)
{
	const uint8_t *raw, *was = end;
	*ret_n = column(toc, name, width, pool, &raw);
	uint64_t *v = numbers(*ret_n);
	at = raw;
	end = raw + *ret_n * width;
	for (uint64_t i = 0; i < *ret_n; i++)
		v[i] = number(width);
	end = was;
	return v;
}

void read_moar3(struct pool *pool)
{
	struct moar m = { 0 };
	uint64_t n;
	const uint8_t *raw, *was = end;
	want(memcmp(take(16), "MoarHeapDumpv003", 16) == 0);
	at = end - 8;
	uint64_t outer = number(8);
	uint64_t toc = toc_find(outer, "toc", 0).at;
	want(toc_find(outer, "filemeta", 0).at == 16);
	want(toc_find(outer, "toc", 1).at > 0);
	m.kind = values(toc, "colkind", 2, pool, &m.n);
	m.index = values(toc, "coltofi", 4, pool, &n);
	m.size = values(toc, "colsize", 2, pool, &n);
	m.n_ref = values(toc, "colrfcnt", 4, pool, &n);
	m.first = values(toc, "colrfstr", 8, pool, &n);
	uint64_t *rest = values(toc, "colusize", 8, pool, &n);
	want(n == m.n);
	for (uint64_t i = 0; i < n; i++)
		m.size[i] += rest[i];
	m.value = values(toc, "refdescr", 8, pool, &m.n_refs);
	m.to = values(toc, "reftrget", 8, pool, &n);
	want(n == m.n_refs);
	m.descr = numbers(n);
	for (uint64_t i = 0; i < n; i++) {
		m.descr[i] = m.value[i] & 3;
		m.value[i] >>= 2;
	}
	m.type_name = values(toc, "typename", 4, pool, &m.n_types);
	n = column(toc, "strings", 0, pool, &raw);
	for (at = raw, end = raw + n; at < end;) {
		uint64_t len = number(4);
		m.string = realloc(m.string,
				   (m.n_strings + 1) * sizeof(*m.string));
		m.string[m.n_strings++] = copy(take(len), len);
	}
	end = was;
	(void)values(toc, "topIDs", 8, pool, &n);
	want(n == 160);
	moar_check(&m);
}
