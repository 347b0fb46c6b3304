// moar3.c: MoarVM's heap snapshot of version 3: columns, each one zstd frame,
// found through tables of contents.
#include "libheap/dump/moar.h"

#include "libcore/base/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 9  // as MoarVM packs
#define TOP 40u  // of each leaderboard
#define COLUMN_BUF 8192u

enum column { COL_KIND, COL_SIZE, COL_INDEX, COL_N_REFS, COL_FIRST, COL_REST,
	      COL_DESCR, COL_TARGET };

struct entry {
	char kind[9];
	uint64_t start, end;
};

// struct moar3 is the file.
// Shape: toc are the blocks of the snapshot m so far, outer those of the file.
//        strings_at and the rows below n_types and n_frames are what earlier
//        snapshots wrote of the tables; began is when the first was taken.
struct moar3 {
	struct moar_file *file;
	struct moar *m;
	uint64_t strings_at, n_types, n_frames, began;
	struct packer zstd;
	enum column column;
	uint8_t buf[COLUMN_BUF];
	size_t n;
	bool failed;
	struct hc_err err;
	struct entry toc[24], *outer;
	unsigned n_toc, n_outer;
};

static enum hc to_wire(void *ctx, const void *bytes, uint64_t len,
		       struct hc_err *err)
{
	struct moar3 *v = ctx;
	(void)err;
	wire_bytes(v->file->w, bytes, len);
	return HC_OK;
}

static void put_kind(struct wire *w, const char *kind)
{
	char name[8] = { 0 };
	memcpy(name, kind, strnlen(kind, 8));
	wire_bytes(w, name, 8);
}

static void toc_add(struct moar3 *v, const char *kind, uint64_t start)
{
	struct entry *e = &v->toc[v->n_toc++];
	*e = (struct entry){ .start = start, .end = v->file->w->len };
	memcpy(e->kind, kind, strnlen(kind, 8));
}

static void spill(struct moar3 *v)
{
	if (!v->failed && v->n)
		v->failed = zstd_more(&v->zstd, v->buf, v->n, &v->err) != HC_OK;
	v->n = 0;
}

static void value(struct moar3 *v, uint64_t x, unsigned width)
{
	if (v->n + width > COLUMN_BUF)
		spill(v);
	memcpy(v->buf + v->n, &x, width);
	v->n += width;
}

static uint64_t column_begin(struct moar3 *v, const char *kind, unsigned width)
{
	uint64_t start = v->file->w->len;
	put_kind(v->file->w, kind);
	if (width)
		wire_u16(v->file->w, (uint16_t)width);
	// The packed length is not known yet; readers use the toc.
	wire_u64(v->file->w, 0);
	v->failed = v->failed || zstd_begin(&v->zstd, LEVEL, &v->err) != HC_OK;
	return start;
}

static void column_end(struct moar3 *v, const char *kind, uint64_t start)
{
	spill(v);
	if (zstd_end(&v->zstd, !v->failed, &v->err))
		v->failed = true;
	toc_add(v, kind, start);
}

static void on_node(void *ctx, const struct moar_node *n)
{
	struct moar3 *v = ctx;
	switch (v->column) {
	case COL_KIND:
		value(v, n->kind, 2);
		break;
	case COL_SIZE:
		value(v, moar_small(n->size), 2);
		break;
	case COL_INDEX:
		value(v, n->index, 4);
		break;
	case COL_N_REFS:
		value(v, n->n_refs, 4);
		break;
	case COL_FIRST:
		value(v, n->first_ref, 8);
		break;
	case COL_REST:
		value(v, moar_rest(n->size), 8);
		break;
	case COL_DESCR:
	case COL_TARGET:
		break;
	}
}

static void on_ref(void *ctx, struct word_name name, uint64_t to)
{
	struct moar3 *v = ctx;
	value(v, v->column == COL_TARGET ? to :
		 name.value << 2 | (name.is_index ? 1 : 2), 8);
}

static void write_columns(struct moar3 *v)
{
	static const struct {
		const char *kind;
		unsigned width;
	} table[] = {
		[COL_KIND] = { "colkind", 2 },	  [COL_SIZE] = { "colsize", 2 },
		[COL_INDEX] = { "coltofi", 4 },	  [COL_N_REFS] = { "colrfcnt", 4 },
		[COL_FIRST] = { "colrfstr", 8 },  [COL_REST] = { "colusize", 8 },
		[COL_DESCR] = { "refdescr", 8 },  [COL_TARGET] = { "reftrget", 8 },
	};
	for (unsigned i = 0; i <= COL_TARGET && !v->file->w->failed; i++) {
		v->column = (enum column)i;
		uint64_t start = column_begin(v, table[i].kind, table[i].width);
		if (i < COL_DESCR)
			moar_nodes(v->m);
		else
			moar_refs(v->m);
		column_end(v, table[i].kind, start);
	}
}

// write_strings writes those that no earlier snapshot has.
static void write_strings(struct moar3 *v)
{
	const struct strings *s = &v->file->strings;
	if (v->strings_at == s->n)
		return;
	uint64_t start = column_begin(v, "strings", 0);
	for (uint64_t at = v->strings_at; at < s->n;
	     at += strlen(s->at + at) + 1) {
		uint64_t len = moar_string_len(s->at + at);
		value(v, len, 4);
		spill(v);
		if (!v->failed && len)
			v->failed = zstd_more(&v->zstd, s->at + at, len,
					      &v->err) != HC_OK;
	}
	column_end(v, "strings", start);
	v->strings_at = s->n;
}

static uint64_t type_field(const struct moar_file *file, unsigned field,
			   uint64_t i)
{
	const struct moar_type *t = &file->types.at[i];
	return field == 0 ? t->repr : t->name;
}

static uint64_t frame_field(const struct moar_file *file, unsigned field,
			    uint64_t i)
{
	const struct moar_frame *f = &file->frames.at[i];
	return field == 0 ? f->name : field == 1 ? f->cuid :
	       field == 2 ? f->line : f->file;
}

// write_tables writes the rows that no earlier snapshot has.
static void write_tables(struct moar3 *v)
{
	static const char *const types[] = { "reprname", "typename" };
	static const char *const frames[] = { "sfname", "sfcuid", "sfline",
					      "sffile" };
	const struct moar_file *f = v->file;
	bool first = v->m->number == 0; // readers want types, if none
	for (unsigned k = 0; k < 2 && (first || f->types.n > v->n_types); k++) {
		uint64_t start = column_begin(v, types[k], 4);
		for (uint64_t i = v->n_types; i < f->types.n; i++)
			value(v, type_field(f, k, i), 4);
		column_end(v, types[k], start);
	}
	for (unsigned k = 0; k < 4 && f->frames.n > v->n_frames; k++) {
		uint64_t start = column_begin(v, frames[k], 4);
		for (uint64_t i = v->n_frames; i < f->frames.n; i++)
			value(v, frame_field(f, k, i), 4);
		column_end(v, frames[k], start);
	}
	v->n_types = f->types.n;
	v->n_frames = f->frames.n;
}

// score_of is what row i of leaderboard `board` scores in the snapshot, which
// has *ret_count of it.
static uint64_t score_of(const struct moar_file *f, unsigned board, uint64_t i,
			 uint64_t *ret_count)
{
	uint64_t bytes;
	if (board & 1) {
		*ret_count = f->frames.at[i].count;
		bytes = f->frames.at[i].bytes;
	} else {
		*ret_count = f->types.at[i].count;
		bytes = f->types.at[i].bytes;
	}
	return board < 2 ? *ret_count : bytes;
}

// find_top fills the best TOP rows of a leaderboard, the first of equals
// first.
static void find_top(const struct moar_file *f, unsigned board,
		     uint64_t id[TOP], uint64_t score[TOP])
{
	uint64_t n = board & 1 ? f->frames.n : f->types.n, have = 0, count;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t s = score_of(f, board, i, &count), k = have;
		while (k > 0 && score[k - 1] < s)
			k--;
		if (k == TOP || count == 0)
			continue;
		have += have < TOP;
		memmove(id + k + 1, id + k, (have - 1 - k) * sizeof(*id));
		memmove(score + k + 1, score + k, (have - 1 - k) * sizeof(*id));
		id[k] = i;
		score[k] = s;
	}
}

static void write_boards(struct moar3 *v)
{
	uint64_t id[4][TOP] = { 0 }, score[4][TOP] = { 0 };
	for (unsigned b = 0; b < 4; b++)
		find_top(v->file, b, id[b], score[b]);
	uint64_t start = column_begin(v, "topIDs", 8);
	for (unsigned i = 0; i < 4 * TOP; i++)
		value(v, id[i / TOP][i % TOP], 8);
	column_end(v, "topIDs", start);
	start = column_begin(v, "topscore", 8);
	for (unsigned i = 0; i < 4 * TOP; i++)
		value(v, score[i / TOP][i % TOP], 8);
	column_end(v, "topscore", start);
}

static void write_json(struct wire *w, const char *kind, const char *json)
{
	put_kind(w, kind);
	wire_u64(w, strlen(json) + 1);
	wire_bytes(w, json, strlen(json) + 1);
}

// write_toc writes a table of contents and makes *ret its entry in the next.
static void write_toc(struct wire *w, const struct entry *at, unsigned n,
		      struct entry *ret)
{
	uint64_t start = w->len;
	put_kind(w, "toc");
	wire_u64(w, n);
	for (unsigned i = 0; i < n; i++) {
		put_kind(w, at[i].kind);
		wire_u64(w, at[i].start);
		wire_u64(w, at[i].end);
	}
	// The end in the outer table leaves these last 8 bytes out.
	*ret = (struct entry){ "toc", start, w->len };
	wire_u64(w, start);
}

static void write_snapmeta(struct moar3 *v)
{
	char json[512];
	const struct moar *m = v->m;
	uint64_t start = v->file->w->len, n_frames = 0, time = 0;
	uint64_t written = core_info(m->e.core)->written;
	if (v->began && written > v->began)
		time = (written - v->began) * 1000000;
	for (uint64_t i = 0; i < v->file->frames.n; i++)
		n_frames += v->file->frames.at[i].count;
	snprintf(json, sizeof(json),
		 "{\"snap_time\":%" PRIu64 ",\"gc_seq_num\":0,"
		 "\"total_heap_size\":%" PRIu64 ",\"total_objects\":%" PRIu64
		 ",\"total_typeobjects\":0,\"total_stables\":0,"
		 "\"total_frames\":%" PRIu64 ",\"total_refs\":%" PRIu64 "}",
		 time, m->e.n_bytes, m->e.n_objects, n_frames, m->n_refs);
	write_json(v->file->w, "snapmeta", json);
	toc_add(v, "snapmeta", start);
}

// write_head writes what is of the whole file; of its process the first heap
// tells.
static void write_head(struct moar3 *v, const struct core_info *info)
{
	char json[512];
	struct wire *w = v->file->w;
	struct entry *e = &v->outer[v->n_outer++];
	wire_text(w, "MoarHeapDumpv003");
	snprintf(json, sizeof(json),
		 "{\"subversion\":1,\"start_time\":0,\"pid\":%" PRIu32
		 ",\"highscore_structure\":{\"entry_count\":%u,\"data_order\":"
		 "[\"types_by_count\",\"frames_by_count\",\"types_by_size\","
		 "\"frames_by_size\"]}}",
		 info->pid, TOP);
	*e = (struct entry){ .kind = "filemeta", .start = w->len };
	write_json(w, "filemeta", json);
	e->end = w->len;
	v->began = info->written;
}

static enum hc write_snapshot(void *ctx, struct moar *m, struct hc_err *err)
{
	struct moar3 *v = ctx;
	v->m = m;
	m->node = on_node;
	m->ref = on_ref;
	if (m->number == 0)
		write_head(v, core_info(m->e.core));
	v->n_toc = 0;
	write_snapmeta(v);
	write_columns(v);
	write_strings(v);
	write_tables(v);
	write_boards(v);
	if (v->failed && err)
		*err = v->err;
	if (v->failed)
		return HC_FAIL;
	write_toc(v->file->w, v->toc, v->n_toc, &v->outer[v->n_outer++]);
	return HC_OK;
}

static enum hc write_file(struct moar3 *v, const struct dump_heaps *heaps,
			  struct pool *pool, struct hc_err *err)
{
	struct wire *w = v->file->w;
	struct entry last;
	v->outer = pool_new(&v->file->own, struct entry,
			    heaps->n + UINT64_C(2));
	if (!v->outer)
		return hc_nomem(err);
	v->strings_at = 1; // where the first one is
	HC_TRY(moar_each(v->file, heaps, pool, write_snapshot, v, err));
	// One reader passes over the last entry of the table.
	write_toc(w, NULL, 0, &v->outer[v->n_outer++]);
	write_toc(w, v->outer, v->n_outer, &last);
	return wire_close(w, err);
}

enum hc dump_moar3(const struct dump_heaps *heaps,
		   const struct dump_sink *sink, struct pool *pool,
		   struct pool *names, struct hc_err *err)
{
	struct moar_file f;
	struct moar3 *v = pool_new(pool, struct moar3, 1);
	if (!v)
		return hc_nomem(err);
	HC_TRY(moar_open(heaps, sink, pool, names, &f, err));
	v->file = &f;
	v->zstd.write = to_wire;
	v->zstd.ctx = v;
	enum hc got = write_file(v, heaps, pool, err);
	enum hc ended = zstd_end(&v->zstd, false, NULL);
	moar_close(&f);
	return got ? got : ended;
}
