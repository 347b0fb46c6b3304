// tables.c: the heap as tables of Parquet files, for DuckDB, Spark and others:
// objects and edges in parts of equal ranges, the rest whole.
#include "libheap/dump/export.h"
#include "libheap/dump/parquet.h"

#include <stdio.h>
#include <string.h>

#define PART (UINT64_C(16) << 20) // objects of one file

enum { OBJ_ID, OBJ_ADDRESS, OBJ_SIZE, OBJ_TYPE, OBJ_IDOM, OBJ_RETAINED,
       OBJ_COLUMNS };
static const struct parquet_column object_columns[] = {
	{ "id", PARQUET_I64, false },	   { "address", PARQUET_I64, true },
	{ "size", PARQUET_I64, false },	   { "type", PARQUET_I32, false },
	{ "idom", PARQUET_I64, false },	   { "retained", PARQUET_I64, false },
};
static const struct parquet_column edge_columns[] = {
	{ "src", PARQUET_I64, false },	  { "dst", PARQUET_I64, false },
	{ "offset", PARQUET_I64, false }, { "field", PARQUET_I32, false },
};
static const struct parquet_column field_columns[] = {
	{ "id", PARQUET_I32, false },
	{ "name", PARQUET_TEXT, false },
};
static const struct parquet_column type_columns[] = {
	{ "id", PARQUET_I32, false },	   { "name", PARQUET_TEXT, false },
	{ "package", PARQUET_TEXT, false }, { "objects", PARQUET_I64, false },
	{ "bytes", PARQUET_I64, false },
};
static const struct parquet_column root_columns[] = {
	{ "target", PARQUET_I64, false },   { "kind", PARQUET_TEXT, false },
	{ "name", PARQUET_TEXT, false },    { "owner", PARQUET_TEXT, false },
	{ "function", PARQUET_TEXT, false }, { "address", PARQUET_I64, true },
};
static const struct parquet_column goroutine_columns[] = {
	{ "id", PARQUET_I64, false },	      { "status", PARQUET_TEXT, false },
	{ "wait_reason", PARQUET_TEXT, false }, { "wait_ns", PARQUET_I64, false },
	{ "system", PARQUET_I32, false },     { "stack_low", PARQUET_I64, true },
	{ "stack_high", PARQUET_I64, true },  { "stack_used", PARQUET_I64, false },
	{ "created_by", PARQUET_TEXT, false }, { "parent", PARQUET_I64, false },
};
static const struct parquet_column frame_columns[] = {
	{ "goroutine", PARQUET_I64, false }, { "depth", PARQUET_I32, false },
	{ "function", PARQUET_TEXT, false }, { "file", PARQUET_TEXT, false },
	{ "line", PARQUET_I32, false },	     { "pc", PARQUET_I64, true },
	{ "sp", PARQUET_I64, true },	     { "inlined", PARQUET_I32, false },
};
static const struct parquet_column meta_columns[] = {
	{ "key", PARQUET_TEXT, false },
	{ "value", PARQUET_TEXT, false },
};

// struct tables is the export. Shape: idom[i] is the object right above object
// i in the tree of keepers, -1 where that is none; NULL without that tree.
struct tables {
	struct export e;
	const struct dump_files *files;
	struct parquet p;
	struct heap_retained *retained;
	int64_t *idom;
	struct { uint64_t objects, bytes; } *of_type;
	uint64_t edge_part, array_field;
	uint64_t goroutine, depth;
	enum hc failed;
};

#define begin(t, name, columns) \
	begin_table(t, name, columns, sizeof(columns) / sizeof(columns[0]))

static enum hc begin_table(struct tables *t, const char *name,
			   const struct parquet_column *columns, size_t n)
{
	struct dump_sink sink;
	char file[64];
	snprintf(file, sizeof(file), "%s.parquet", name);
	HC_TRY(t->files->open(t->files->ctx, file, &sink, t->e.err));
	return parquet_begin(&t->p, "heap", columns, (unsigned)n, &sink,
			     t->e.pool, t->e.err);
}

static enum hc end_table(struct tables *t)
{
	HC_TRY(t->failed);
	HC_TRY(parquet_end(&t->p, t->e.err));
	return t->files->close(t->files->ctx, t->e.err);
}

// next_part ends one part of a table and begins the next.
static enum hc next_part(struct tables *t, const char *name, uint64_t part,
			 const struct parquet_column *columns, size_t n)
{
	char file[64];
	if (part > 0)
		HC_TRY(end_table(t));
	snprintf(file, sizeof(file), "%s-%04" PRIu64, name, part);
	return begin_table(t, file, columns, n);
}

static void find_above(void *ctx, uint64_t number, struct heap_ref ref)
{
	struct tables *t = ctx;
	struct heap_keeper k, above;
	t->idom[number] = -1;
	if (t->failed || heap_keeper_of(t->retained, ref, &k) ||
	    k.node == UINT32_MAX)
		return;
	t->failed = heap_keeper_above(t->retained, &k, &above, t->e.err);
	if (!t->failed && above.kind == HEAP_KEEPER_OBJECT)
		t->idom[number] =
			(int64_t)export_number(&t->e, above.object);
}

static void find_leaf(void *ctx, const struct export_edge *edge)
{
	struct tables *t = ctx;
	struct heap_keeper k;
	if (heap_keeper_of(t->retained, edge->target, &k) == HC_OK &&
	    k.node == UINT32_MAX)
		t->idom[edge->to] = (int64_t)edge->from;
}

// find_keepers makes idom; without the memory for it the columns say -1.
static enum hc find_keepers(struct tables *t)
{
	struct hc_err why = { 0 };
	if (heap_retain(t->e.heap, false, &t->retained, &why)) {
		t->retained = NULL;
		return HC_OK;
	}
	t->idom = pool_new(t->e.pool, int64_t, t->e.n_objects + 1);
	if (!t->idom)
		return hc_nomem(t->e.err);
	export_objects(&t->e, find_above, t);
	export_edges(&t->e, find_leaf, t);
	return t->failed;
}

static void on_object(void *ctx, uint64_t number, struct heap_ref ref)
{
	struct tables *t = ctx;
	struct heap_keeper k;
	struct parquet *p = &t->p;
	uint32_t type = heap_type_of(t->e.heap, ref);
	uint64_t size = heap_ref_size(t->e.heap, ref);
	if (!t->failed && number % PART == 0)
		t->failed = next_part(t, "objects", number / PART,
				      object_columns, OBJ_COLUMNS);
	if (t->failed || p->failed)
		return;
	type = type < t->e.n_types ? type : 0;
	t->of_type[type].objects++;
	t->of_type[type].bytes += size;
	parquet_number(p, OBJ_ID, number);
	parquet_number(p, OBJ_ADDRESS, heap_ref_at(t->e.heap, ref));
	parquet_number(p, OBJ_SIZE, size);
	parquet_number(p, OBJ_TYPE, type);
	parquet_number(p, OBJ_IDOM,
		       t->idom ? (uint64_t)t->idom[number] : UINT64_MAX);
	bool is = t->retained &&
		  heap_keeper_of(t->retained, ref, &k) == HC_OK;
	parquet_number(p, OBJ_RETAINED, is ? k.bytes : UINT64_MAX);
	parquet_row(p);
}

static enum hc write_objects(struct tables *t)
{
	if (t->e.n_objects == 0)
		HC_TRY(next_part(t, "objects", 0, object_columns,
				 OBJ_COLUMNS));
	export_objects(&t->e, on_object, t);
	return end_table(t);
}

static void on_edge(void *ctx, const struct export_edge *x)
{
	struct tables *t = ctx;
	while (!t->failed && x->from / PART >= t->edge_part)
		t->failed = next_part(t, "edges", t->edge_part++, edge_columns,
				      4);
	if (t->failed || t->p.failed)
		return;
	struct word_name name = export_word(&t->e, x->source, x->offset);
	parquet_number(&t->p, 0, x->from);
	parquet_number(&t->p, 1, x->to);
	parquet_number(&t->p, 2, x->offset);
	parquet_number(&t->p, 3, name.is_index ? t->array_field : name.value);
	parquet_row(&t->p);
}

static enum hc write_edges(struct tables *t)
{
	t->array_field = strings_number(t->e.strings, "[]");
	export_edges(&t->e, on_edge, t);
	if (t->edge_part == 0 && !t->failed)
		HC_TRY(next_part(t, "edges", 0, edge_columns, 4));
	return end_table(t);
}

static enum hc write_fields(struct tables *t)
{
	uint64_t id = 0;
	const struct strings *s = t->e.strings;
	if (s->failed)
		return hc_nomem(t->e.err);
	HC_TRY(begin(t, "fields", field_columns));
	for (uint64_t at = 1; at < s->n; at += strlen(s->at + at) + 1) {
		parquet_number(&t->p, 0, id++);
		parquet_text(&t->p, 1, s->at + at);
		parquet_row(&t->p);
	}
	return end_table(t);
}

static enum hc write_types(struct tables *t)
{
	struct export *e = &t->e;
	HC_TRY(begin(t, "types", type_columns));
	for (uint32_t i = 0; i < e->n_types; i++) {
		struct heap_type_text text = { "unknown", "" };
		char *mark = pool_mark(e->names);
		if (t->of_type[i].objects == 0)
			continue;
		if (e->reader->type_text)
			HC_TRY(e->reader->type_text(e->self, i, e->names, &text,
						    e->err));
		parquet_number(&t->p, 0, i);
		parquet_text(&t->p, 1, text.name);
		parquet_text(&t->p, 2, text.package);
		parquet_number(&t->p, 3, t->of_type[i].objects);
		parquet_number(&t->p, 4, t->of_type[i].bytes);
		parquet_row(&t->p);
		pool_rewind(e->names, mark);
	}
	return end_table(t);
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct tables *t = ctx;
	struct export *e = &t->e;
	struct heap_root_text text = { 0 };
	struct heap_ref ref;
	if (t->failed || heap_find(e->heap, root->target, &ref) ||
	    !heap_bit(e->live, &e->regions[ref.region], ref.slot))
		return;
	char *mark = pool_mark(e->names);
	t->failed = e->reader->root_text(e->self, root, e->names, &text,
					 e->err);
	parquet_number(&t->p, 0, export_number(e, ref));
	parquet_text(&t->p, 1, heap_root_kind_name(
				       (enum heap_root_kind)root->kind));
	parquet_text(&t->p, 2, text.name);
	parquet_text(&t->p, 3, text.owner);
	parquet_text(&t->p, 4, text.function);
	parquet_number(&t->p, 5, root->at);
	parquet_row(&t->p);
	pool_rewind(e->names, mark);
}

static bool on_goroutine(void *ctx, const struct heap_owner *o)
{
	struct tables *t = ctx;
	struct parquet *p = &t->p;
	parquet_number(p, 0, o->id);
	parquet_text(p, 1, o->status);
	parquet_text(p, 2, o->wait_reason);
	parquet_number(p, 3, o->wait_ns);
	parquet_number(p, 4, o->system);
	parquet_number(p, 5, o->stack_low);
	parquet_number(p, 6, o->stack_high);
	parquet_number(p, 7, o->stack_used);
	parquet_text(p, 8, o->created_by);
	parquet_number(p, 9, o->parent);
	parquet_row(p);
	return !p->failed;
}

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	struct tables *t = ctx;
	struct parquet *p = &t->p;
	parquet_number(p, 0, t->goroutine);
	parquet_number(p, 1, t->depth++);
	parquet_text(p, 2, f->function);
	parquet_text(p, 3, f->file);
	parquet_number(p, 4, f->line);
	parquet_number(p, 5, f->pc);
	parquet_number(p, 6, f->sp);
	parquet_number(p, 7, f->inlined);
	parquet_row(p);
	return !p->failed;
}

static bool on_stack(void *ctx, const struct heap_owner *o)
{
	struct tables *t = ctx;
	t->goroutine = o->id;
	t->depth = 0;
	t->e.reader->frames(t->e.self, o->index, on_frame, t);
	return !t->p.failed;
}

static enum hc write_owners(struct tables *t)
{
	const struct heap_reader *r = t->e.reader;
	HC_TRY(begin(t, "roots", root_columns));
	r->roots(t->e.self, on_root, t);
	HC_TRY(end_table(t));
	HC_TRY(begin(t, "goroutines", goroutine_columns));
	if (r->owners && r->frames)
		r->owners(t->e.self, on_goroutine, t);
	HC_TRY(end_table(t));
	HC_TRY(begin(t, "frames", frame_columns));
	if (r->owners && r->frames)
		r->owners(t->e.self, on_stack, t);
	return end_table(t);
}

static void meta(struct tables *t, const char *key, const char *value)
{
	parquet_text(&t->p, 0, key);
	parquet_text(&t->p, 1, value);
	parquet_row(&t->p);
}

static void meta_number(struct tables *t, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof(text), "%" PRIu64, value);
	meta(t, key, text);
}

static enum hc write_meta(struct tables *t)
{
	struct heap_identity id = { 0 };
	HC_TRY(t->e.reader->identity(t->e.self, &id, t->e.err));
	HC_TRY(begin(t, "meta", meta_columns));
	meta(t, "runtime", id.runtime);
	meta_number(t, "pid", core_info(t->e.core)->pid);
	meta_number(t, "pointer_bytes", core_info(t->e.core)->word);
	meta_number(t, "live_objects", t->e.n_objects);
	meta_number(t, "live_bytes", t->e.n_bytes);
	meta(t, "retained", t->retained ? "computed" : "not computed");
	return end_table(t);
}

enum hc dump_parquet(struct heap *heap, const struct dump_files *files,
		     struct pool *pool, struct pool *names, struct hc_err *err)
{
	struct tables *t = pool_new(pool, struct tables, 1);
	if (!t)
		return hc_nomem(err);
	HC_TRY(export_open(heap, NULL, pool, names, &t->e, err));
	t->files = files;
	t->of_type = pool_alloc(pool, sizeof(*t->of_type), 16,
				t->e.n_types + UINT64_C(1));
	if (!t->of_type)
		return hc_nomem(err);
	HC_TRY(find_keepers(t));
	HC_TRY(write_objects(t));
	HC_TRY(write_edges(t));
	HC_TRY(write_fields(t));
	HC_TRY(write_types(t));
	HC_TRY(write_owners(t));
	return write_meta(t);
}
