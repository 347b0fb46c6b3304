// read_names.c: types in words, and labels.
#include "libheap/dump/read.h"

#include "libcore/base/search.h"

#include <stdlib.h>

static enum hc read_types(struct dump *d, struct hc_err *err)
{
	struct fields f;
	HC_TRY(fields_open(d, DUMP_TYPES, d->pool, &f, err));
	d->n_types = fields_u32(&f);
	uint64_t n = fields_count(&f, 3);
	d->type_at = pool_new(d->pool, uint32_t, d->n_types);
	if (!d->type_at)
		return hc_nomem(err);
	for (uint64_t i = 0; i < n && !f.failed; i++) {
		struct dump_type *t = vec_push(d->pool, &d->types);
		if (!t)
			return hc_nomem(err);
		t->number = fields_u32(&f);
		t->name = fields_text(&f);
		t->package = fields_text(&f);
		if (t->number >= d->n_types)
			fields_bad(&f, "a type's number is too large");
		else
			d->type_at[t->number] = (uint32_t)d->types.n;
	}
	return fields_end(&f, err);
}

static bool read_part(struct dump *d, struct fields *f)
{
	const char *text = fields_text(f);
	const char **one = vec_push(d->pool, &d->parts);
	if (one)
		*one = text ? text : "";
	return one != NULL;
}

// read_piece reads one piece of kind 1 (a word) or 2 (an array).
static bool read_piece(struct dump *d, struct fields *f, uint64_t kind)
{
	struct dump_piece *p = vec_push(d->pool, &d->pieces);
	if (!p)
		return false;
	p->off = fields_u(f);
	p->parts = d->parts.n;
	p->n_words = 1;
	if (kind == 1)
		return read_part(d, f);
	p->stride = fields_u(f);
	p->n = fields_u(f);
	p->index = fields_u(f);
	p->step = fields_u(f);
	p->n_words = fields_count(f, 2);
	if (kind > 2 || p->stride == 0 || p->n == 0 || p->n_words == 0)
		fields_bad(f, "an array that cannot be");
	for (uint64_t i = 0; i < 2 * p->n_words && !f->failed; i++)
		if (!read_part(d, f))
			return false;
	return true;
}

static bool read_layout(struct dump *d, struct fields *f)
{
	uint64_t kind;
	struct dump_layout *l = vec_push(d->pool, &d->layouts);
	if (!l)
		return false;
	l->slot = fields_u(f);
	l->type = fields_u32(f);
	l->flags = fields_u32(f);
	l->name = fields_text(f);
	l->piece = d->pieces.n;
	if (l->type >= d->types.n) {
		fields_bad(f, "a type that is not there");
		return true;
	}
	l->type = d->types.at[l->type].number;
	while ((kind = fields_u(f)) && !f->failed)
		if (!read_piece(d, f, kind))
			return false;
	l->n_pieces = d->pieces.n - l->piece;
	return true;
}

static int by_layout(const void *a, const void *b)
{
	const struct dump_layout *x = a, *y = b;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->flags < y->flags ? -1 : x->flags > y->flags;
}

enum hc read_names(struct dump *d, struct hc_err *err)
{
	struct fields f;
	if (d->has_names)
		return HC_OK;
	HC_TRY(read_types(d, err));
	HC_TRY(fields_open(d, DUMP_LAYOUTS, d->pool, &f, err));
	uint64_t n = fields_count(&f, 5);
	for (uint64_t i = 0; i < n && !f.failed; i++)
		if (!read_layout(d, &f))
			return hc_nomem(err);
	HC_TRY(fields_end(&f, err));
	if (d->layouts.n)
		qsort(d->layouts.at, d->layouts.n, sizeof(*d->layouts.at),
		      by_layout);
	d->has_names = true;
	return HC_OK;
}

static const struct dump_layout *layout_of(struct dump *d, struct heap_ref ref)
{
	size_t n;
	const struct heap_region *r = &heap_regions(d->heap, &n)[ref.region];
	struct dump_layout key = { .slot = r->slot,
				   .type = heap_type_of(d->heap, ref),
				   .flags = r->flags & HEAP_NOSCAN };
	if (!d->has_names || d->layouts.n == 0)
		return NULL;
	return bsearch(&key, d->layouts.at, d->layouts.n,
		       sizeof(*d->layouts.at), by_layout);
}

const char *read_object_type(struct dump *d, struct heap_ref ref)
{
	const struct dump_layout *l = layout_of(d, ref);
	return l && l->name ? l->name : "unknown";
}

const char *read_label(struct dump *d, struct heap_ref ref, uint64_t offset,
		       struct pool *pool)
{
	const struct dump_layout *l = layout_of(d, ref);
	// The last piece that begins at or before offset.
	uint64_t n = search_while(i, l ? l->n_pieces : 0,
				  d->pieces.at[l->piece + i].off <= offset);
	if (n == 0)
		return "";
	const struct dump_piece *p = &d->pieces.at[l->piece + n - 1];
	if (p->n == 0)
		return p->off == offset ? d->parts.at[p->parts] : "";
	uint64_t k = (offset - p->off) / p->stride;
	unsigned width = core_info(d->core)->word;
	uint64_t word = (offset - p->off) % p->stride / width;
	if (k >= p->n || word >= p->n_words)
		return "";
	const char *text = pool_printf(pool, "%s[%" PRIu64 "]%s",
				       d->parts.at[p->parts + 2 * word],
				       p->index + k * p->step,
				       d->parts.at[p->parts + 2 * word + 1]);
	return text ? text : "";
}
