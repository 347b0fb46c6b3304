// formats_moar.c: readers of MoarVM heap snapshots, versions 2 and 3. What is
// in each snapshot of a file is printed, one after another.
#include "cli/tests/formats.h"

struct moar {
	uint64_t n, n_refs;
	uint64_t *kind, *index, *size, *first, *n_ref, *descr, *value, *to;
};

// What the snapshots share; in version 3 as far as it has been read.
static struct {
	uint64_t n_strings, n_types, n_frames;
	char **string;
	uint64_t *type_name;
} shared;

static void moar_check(const struct moar *m)
{
	uint64_t *first = malloc(8 * (m->n + 1)), next = 0;
	for (uint64_t i = 0; i < m->n; i++) {
		want(m->first[i] == (m->n_ref[i] ? next : 0));
		first[i] = next;
		next += m->n_ref[i];
		want(m->kind[i] != 4 || m->index[i] < shared.n_frames);
		if (m->kind[i] != 1)
			continue;
		want(m->index[i] < shared.n_types);
		count(row_of(shared.string[shared.type_name[m->index[i]]]), 1,
		      m->size[i]);
	}
	for (uint64_t i = 0; i < shared.n_types; i++)
		for (uint64_t j = 0; j < i; j++)
			want(shared.type_name[i] != shared.type_name[j]);
	first[m->n] = next;
	want(next == m->n_refs && m->kind[0] == 9);
	for (uint64_t i = 0; i < m->n_refs; i++)
		want(m->descr[i] == 1 ||
		     (m->descr[i] == 2 && m->value[i] < shared.n_strings));
	reach(m->n, first, m->to);
	print(true);
	free(first);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

// each_once wants no string to be there twice; it changes their order.
static void each_once(void)
{
	if (shared.n_strings)
		qsort(shared.string, shared.n_strings, sizeof(*shared.string),
		      by_text);
	for (uint64_t i = 1; i < shared.n_strings; i++)
		want(strcmp(shared.string[i - 1], shared.string[i]));
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

// read_rows reads a snapshot of version 2, whose place[] the index has.
static void read_rows(struct moar *m, const uint64_t place[4])
{
	const uint8_t *from = at;
	kind("coll", &m->n);
	want(number(8) == 28);
	m->kind = numbers(m->n), m->index = numbers(m->n);
	m->size = numbers(m->n);
	m->first = numbers(m->n), m->n_ref = numbers(m->n);
	for (uint64_t i = 0; i < m->n; i++) {
		m->kind[i] = number(2), m->index[i] = number(4);
		m->size[i] = number(2);
		want(m->size[i] < 32768);
		m->size[i] += number(8);
		m->first[i] = number(8), m->n_ref[i] = number(4);
	}
	want((uint64_t)(at - from) == place[0]);
	from = at;
	kind("refs", &m->n_refs);
	want(number(8) == 17);
	m->descr = numbers(m->n_refs), m->value = numbers(m->n_refs);
	m->to = numbers(m->n_refs);
	want(m->n_refs > 1 || place[2] == 20);
	for (uint64_t i = 0; i < m->n_refs; i++) {
		want(i != m->n_refs / 2 || (uint64_t)(at - from) == place[2]);
		uint64_t tag = number(1);
		m->descr[i] = number(1);
		uint64_t width = tag == '0' ? 1 : tag == '1' ? 2 :
				 tag == '3' ? 4 : 8;
		want(width < 8 || tag == '6');
		m->value[i] = number((unsigned)width);
		m->to[i] = number((unsigned)width);
	}
	want((uint64_t)(at - from) == place[1] && place[3] == 0);
}

// read_tables reads the tables of version 2, whose sizes the trailer has.
static void read_tables(const uint64_t size[3])
{
	const uint8_t *from = at;
	kind("strs", &shared.n_strings);
	shared.string = calloc(shared.n_strings + 1, sizeof(*shared.string));
	for (uint64_t i = 0; i < shared.n_strings; i++) {
		uint64_t n = number(8);
		want(n <= 4096);
		shared.string[i] = copy(take(n), n);
	}
	want((uint64_t)(at - from) == size[0]);
	from = at;
	kind("type", &shared.n_types);
	want(number(8) == 16);
	shared.type_name = numbers(shared.n_types);
	for (uint64_t i = 0; i < shared.n_types; i++) {
		want(number(8) < shared.n_strings);
		shared.type_name[i] = number(8);
		want(shared.type_name[i] < shared.n_strings);
	}
	want((uint64_t)(at - from) == size[1]);
	from = at;
	kind("fram", &shared.n_frames);
	want(number(8) == 32);
	for (uint64_t i = 0; i < shared.n_frames; i++) {
		want(number(8) < shared.n_strings);
		want(number(8) < shared.n_strings);
		(void)number(8);
		want(number(8) < shared.n_strings);
	}
	want((uint64_t)(at - from) == size[2] && at == end);
}

void read_moar2(void)
{
	uint64_t tail[4], place[4];
	const uint8_t *whole = end;
	want(end - start > 64 &&
	     memcmp(take(16), "MoarHeapDumpv002", 16) == 0);
	at = whole - 32;
	for (unsigned i = 0; i < 4; i++)
		tail[i] = number(8);
	uint64_t n = tail[3];
	want(n > 0 && n < (uint64_t)(end - start) / 32);
	struct moar *m = calloc(n, sizeof(*m));
	end = whole - 32 * (n + 1);
	at = start + 16;
	for (uint64_t k = 0; k < n; k++) {
		const uint8_t *was = at, *stop = end;
		at = end + 32 * k;
		end = whole;
		for (unsigned i = 0; i < 4; i++)
			place[i] = number(8);
		at = was;
		end = stop;
		read_rows(&m[k], place);
	}
	read_tables(tail);
	for (uint64_t k = 0; k < n; k++)
		moar_check(&m[k]);
	each_once();
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

// column unpacks a column and returns how many values it has: none if it is
// left out.
static uint64_t column(uint64_t toc, const char *name, unsigned width,
		       struct pool *pool, const uint8_t **ret)
{
	struct codec codec;
	struct hc_err err = { 0 };
	struct block b = toc_find(toc, name, 0);
	*ret = NULL;
	if (b.at == 0)
		return 0;
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

// more_strings adds those of a snapshot to what is shared, more_types and
// more_frames the rows of tables.
static void more_strings(uint64_t toc, struct pool *pool)
{
	const uint8_t *raw, *was = end;
	uint64_t n = column(toc, "strings", 0, pool, &raw);
	for (at = raw, end = raw + n; at < end;) {
		uint64_t len = number(4);
		want(len <= 4096);
		shared.string = realloc(shared.string,
					(shared.n_strings + 1) *
						sizeof(*shared.string));
		shared.string[shared.n_strings++] = copy(take(len), len);
	}
	end = was;
}

static void more_types(uint64_t toc, struct pool *pool)
{
	uint64_t n, n_reprs;
	uint64_t *name = values(toc, "typename", 4, pool, &n);
	uint64_t *repr = values(toc, "reprname", 4, pool, &n_reprs);
	want(n == n_reprs);
	shared.type_name = realloc(shared.type_name,
				   8 * (shared.n_types + n + 1));
	for (uint64_t i = 0; i < n; i++) {
		want(repr[i] < shared.n_strings && name[i] < shared.n_strings);
		shared.type_name[shared.n_types++] = name[i];
	}
}

static void more_frames(uint64_t toc, struct pool *pool)
{
	static const char *const names[] = { "sfname", "sfcuid", "sffile",
					     "sfline" };
	uint64_t n, n_first = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint64_t *v = values(toc, names[k], 4, pool, &n);
		n_first = k ? n_first : n;
		want(n == n_first);
		for (uint64_t i = 0; i < n; i++)
			want(k == 3 || v[i] < shared.n_strings);
	}
	shared.n_frames += n;
}

// check_boards wants the leaderboards to speak of rows that are there.
static void check_boards(uint64_t toc, struct pool *pool)
{
	uint64_t n, *id = values(toc, "topIDs", 8, pool, &n);
	want(n == 160);
	uint64_t *score = values(toc, "topscore", 8, pool, &n);
	want(n == 160);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t rows = i / 40 % 2 ? shared.n_frames : shared.n_types;
		want(score[i] == 0 || id[i] < rows);
		want(i % 40 == 0 || score[i] <= score[i - 1]);
	}
}

static void read_columns(uint64_t toc, struct pool *pool)
{
	struct moar m = { 0 };
	uint64_t n;
	want(toc_find(toc, "snapmeta", 0).at > 0);
	m.kind = values(toc, "colkind", 2, pool, &m.n);
	m.index = values(toc, "coltofi", 4, pool, &n);
	want(n == m.n);
	m.size = values(toc, "colsize", 2, pool, &n);
	want(n == m.n);
	m.n_ref = values(toc, "colrfcnt", 4, pool, &n);
	want(n == m.n);
	m.first = values(toc, "colrfstr", 8, pool, &n);
	want(n == m.n);
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
	more_strings(toc, pool);
	more_types(toc, pool);
	more_frames(toc, pool);
	check_boards(toc, pool);
	moar_check(&m);
}

void read_moar3(struct pool *pool)
{
	want(memcmp(take(16), "MoarHeapDumpv003", 16) == 0);
	at = end - 8;
	uint64_t outer = number(8);
	unsigned k = 0;
	want(toc_find(outer, "filemeta", 0).at == 16);
	for (; toc_find(outer, "toc", k + 1).at; k++)
		read_columns(toc_find(outer, "toc", k).at, pool);
	want(k > 0);
	at = start + toc_find(outer, "toc", k).at + 8; // with nothing in it
	want(number(8) == 0);
	each_once();
}
