// moar.c: see moar.h.
#include "libheap/dump/moar.h"

#include <string.h>

#define STRING_MAX 4096u
#define HEAPS_MAX 1000u // to open one, those behind it are passed over

// repr_of names the kind of a type, by its name.
static const char *repr_of(const char *type)
{
	static const struct {
		const char *begin, *repr;
	} table[] = {
		{ "map[", "map" },	 { "map.", "map" },
		{ "chan ", "chan" },	 { "hchan ", "chan" },
		{ "closure ", "func" },	 { "func(", "func" },
		{ "string", "string" },	 { "[]", "slice" },
		{ "[", "array" },	 { "*", "pointer" },
		{ "interface ", "iface" }, { "unknown", "unknown" },
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strncmp(type, table[i].begin, strlen(table[i].begin)) == 0)
			return table[i].repr;
	return "struct";
}

// type_of returns the row of an object's type. Types of equal names share one,
// or the readers list that name twice.
static uint32_t type_of(struct moar *m, struct heap_ref ref)
{
	struct moar_file *f = m->file;
	struct export *e = &m->e;
	uint32_t type = heap_type_of(e->heap, ref);
	type = type < e->n_types ? type : 0;
	if (m->type_index[type])
		return m->type_index[type] - 1;
	char *mark = pool_mark(e->names);
	const char *text = export_type(e, type);
	uint64_t n = strings_number(&f->type_keys, text);
	if (n == f->types.n) {
		uint64_t name = strings_number(e->strings, text);
		uint64_t repr = strings_number(e->strings, repr_of(text));
		struct moar_type *t = vec_push(&f->own, &f->types);
		if (t)
			*t = (struct moar_type){ .repr = repr, .name = name };
		e->nomem |= !t;
	}
	pool_rewind(e->names, mark);
	e->nomem |= f->type_keys.failed;
	if (e->nomem)
		return 0;
	m->type_index[type] = (uint32_t)n + 1;
	return (uint32_t)n;
}

static void count_type(void *ctx, uint64_t number, struct heap_ref ref)
{
	struct moar *m = ctx;
	uint32_t i = type_of(m, ref);
	(void)number;
	if (m->e.nomem)
		return;
	m->file->types.at[i].count++;
	m->file->types.at[i].bytes += heap_ref_size(m->e.heap, ref);
}

// make_frames gives equal frames one row.
static void make_frames(struct moar *m)
{
	struct moar_file *file = m->file;
	struct export *e = &m->e;
	for (uint64_t i = 0; i < e->heads.n && !e->nomem; i++) {
		const struct head *h = &e->heads.at[i];
		char *mark = pool_mark(e->names);
		if (h->kind != HEAD_FRAME)
			continue;
		char *key = pool_printf(e->names, "%" PRIu64 " %" PRIu64
					" %" PRIu32 " %" PRIx64, h->name,
					h->file, h->line, h->pc);
		uint64_t n = key ? strings_number(&file->frame_keys, key) : 0;
		if (key && n == file->frames.n) {
			struct moar_frame *f = vec_push(&file->own,
							&file->frames);
			if (f)
				*f = (struct moar_frame){ h->name,
					strings_number(e->strings,
						       strrchr(key, ' ') + 1),
					h->file, h->line, 0, 0 };
			e->nomem |= !f;
		}
		e->nomem |= !key || file->frame_keys.failed;
		if (e->nomem)
			return;
		m->frame_index[i] = (uint32_t)n;
		file->frames.at[n].count++;
		file->frames.at[n].bytes += h->size;
		pool_rewind(e->names, mark);
	}
}

enum hc moar_open(const struct dump_heaps *heaps, const struct dump_sink *sink,
		  struct pool *pool, struct pool *names, struct moar_file *ret,
		  struct hc_err *err)
{
	*ret = (struct moar_file){ .names = names };
	if (heaps->n > HEAPS_MAX)
		return hc_fail(err, HC_LIMIT, 0,
			       "has %u snapshots; up to %u go into one file of "
			       "this format", heaps->n, HEAPS_MAX);
	HC_TRY(wire_open(sink, pool, &ret->w, err));
	HC_TRY(pool_open((uint64_t)(pool->end - pool->next) + 1, &ret->own,
			 err));
	ret->own.fail_after = pool->fail_after;
	ret->strings.pool = &ret->own;
	ret->type_keys.pool = ret->frame_keys.pool = &ret->own;
	return HC_OK;
}

void moar_close(struct moar_file *file)
{
	pool_close(&file->own);
}

// begin makes the snapshot of a heap.
static enum hc begin(struct moar_file *file, struct heap *heap,
		     struct pool *pool, struct moar *ret, struct hc_err *err)
{
	struct export *e = &ret->e;
	for (uint64_t i = 0; i < file->types.n; i++) {
		struct moar_type *t = &file->types.at[i];
		t->count = t->bytes = 0;
	}
	for (uint64_t i = 0; i < file->frames.n; i++)
		file->frames.at[i].count = file->frames.at[i].bytes = 0;
	HC_TRY(export_open(heap, &file->strings, pool, file->names, e, err));
	HC_TRY(export_heads(e, false));
	HC_TRY(export_counts(e, &ret->count, &ret->n_edges));
	ret->type_index = pool_new(pool, uint32_t, e->n_types + UINT64_C(1));
	ret->frame_index = pool_new(pool, uint32_t, e->heads.n + 1);
	if (!ret->type_index || !ret->frame_index)
		return hc_nomem(err);
	export_objects(e, count_type, ret);
	make_frames(ret);
	if (e->nomem || e->strings->failed)
		return hc_nomem(err);
	ret->n_nodes = e->heads.n - 1 + e->n_objects;
	ret->n_refs = e->edges.n + ret->n_edges;
	return HC_OK;
}

enum hc moar_each(struct moar_file *file, const struct dump_heaps *heaps,
		  struct pool *pool, moar_fn *fn, void *ctx,
		  struct hc_err *err)
{
	for (unsigned i = 0; i < heaps->n && !file->w->failed; i++) {
		struct heap *heap;
		struct moar m = { .file = file, .number = i, .ctx = ctx };
		char *mark = pool_mark(pool);
		HC_TRY(heaps->open(heaps->ctx, i, &heap, err));
		enum hc got = begin(file, heap, pool, &m, err);
		if (got == HC_OK)
			got = fn(ctx, &m, err);
		if (got == HC_OK && file->strings.failed)
			got = hc_nomem(err);
		heaps->close(heaps->ctx);
		HC_TRY(got);
		pool_rewind(pool, mark);
	}
	return HC_OK;
}

static enum moar_kind kind_of(const struct head *h)
{
	switch (h->kind) {
	case HEAD_GLOBALS:
		return MOAR_PERM_ROOTS;
	case HEAD_OWNERS:
		return MOAR_CALL_STACK_ROOTS;
	case HEAD_OWNER:
		return MOAR_THREAD_ROOTS;
	case HEAD_FRAME:
		return MOAR_FRAME;
	case HEAD_SPECIALS:
	case HEAD_RUNTIME:
	case HEAD_ALL:
		return MOAR_INSTANCE_ROOTS;
	case HEAD_ROOT:
		break;
	}
	return MOAR_ROOT;
}

static void put_node(struct moar *m, struct moar_node *n)
{
	n->first_ref = n->n_refs ? m->first_ref : 0;
	m->first_ref += n->n_refs;
	m->node(m->ctx, n);
}

static void on_object(void *ctx, uint64_t number, struct heap_ref ref)
{
	struct moar *m = ctx;
	struct moar_node n = { MOAR_OBJECT, type_of(m, ref),
			       heap_ref_size(m->e.heap, ref), 0,
			       m->count[number] };
	put_node(m, &n);
}

void moar_nodes(struct moar *m)
{
	const struct export *e = &m->e;
	m->first_ref = 0;
	for (uint64_t i = 0; i < e->heads.n; i++) {
		const struct head *h = &e->heads.at[i];
		struct moar_node n = { kind_of(h), m->frame_index[i], h->size,
				       0, h->n_edges };
		if (h->kind != HEAD_ALL) // which nothing leads to
			put_node(m, &n);
	}
	export_objects(e, on_object, m);
}

static void on_edge(void *ctx, const struct export_edge *x)
{
	struct moar *m = ctx;
	m->ref(m->ctx, export_word(&m->e, x->source, x->offset),
	       m->e.heads.n - 1 + x->to);
}

void moar_refs(struct moar *m)
{
	const struct export *e = &m->e;
	for (uint64_t i = 0; i < e->edges.n; i++) {
		const struct head_edge *x = &e->edges.at[i];
		m->ref(m->ctx, x->name, x->to - (x->to > HEAD_ALL));
	}
	export_edges(e, on_edge, m);
}

uint64_t moar_string_len(const char *text)
{
	uint64_t len = strnlen(text, STRING_MAX + 1);
	if (len <= STRING_MAX)
		return len;
	len = STRING_MAX;
	while (len > 0 && ((uint8_t)text[len] & 0xc0) == 0x80)
		len--;
	return len;
}
