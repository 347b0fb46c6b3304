// read_roots.c: roots and owners.
#include "libheap/dump/read.h"

#include <stdlib.h>

static struct heap_root_text read_text(struct fields *f)
{
	struct heap_root_text text = { .name = fields_text(f) };
	text.owner = fields_text(f);
	text.function = fields_text(f);
	if (!text.name)
		text.name = "?";
	return text;
}

static void read_whole(struct fields *f, struct dump_root *r)
{
	r->number = fields_u(f);
	r->whole = r->root;
	uint64_t kind = fields_u(f);
	if (kind == 0 || kind > HEAP_N_ROOT_KINDS)
		fields_bad(f, "a holder of no kind");
	else
		r->whole.kind = (uint32_t)(kind - 1);
	r->whole.at = unzigzag(r->root.at, fields_u(f));
	r->whole.detail |= DUMP_WHOLE;
	r->whole_text = read_text(f);
}

enum hc read_roots(struct dump *d, struct hc_err *err)
{
	uint64_t kind;
	taddr target = 0, at = 0;
	struct fields f;
	if (d->has_roots)
		return HC_OK;
	HC_TRY(fields_open(d, DUMP_ROOTS, d->pool, &f, err));
	while ((kind = fields_u(&f)) && !f.failed) {
		struct dump_root *r = vec_push(d->pool, &d->roots);
		if (!r)
			return hc_nomem(err);
		if (kind > HEAP_N_ROOT_KINDS)
			fields_bad(&f, "a root of no kind");
		r->root.kind = (uint32_t)(kind - 1);
		target = unzigzag(target, fields_u(&f));
		at = unzigzag(at, fields_u(&f));
		r->root.target = target;
		r->root.at = at;
		uint64_t owner = fields_u(&f);
		r->root.owner = owner && owner <= UINT32_MAX ?
					(uint32_t)(owner - 1) :
					HEAP_NO_OWNER;
		r->root.detail = d->roots.n - 1;
		r->text = read_text(&f);
		r->has_whole = fields_u(&f) != 0;
		if (r->has_whole)
			read_whole(&f, r);
	}
	enum hc got = fields_end(&f, err);
	d->has_roots = got == HC_OK;
	if (got)
		d->roots.n = 0;
	return got;
}

static bool read_labels(struct dump *d, struct fields *f, uint64_t n)
{
	for (uint64_t i = 0; i < n && !f->failed; i++) {
		struct heap_label *l = vec_push(d->pool, &d->labels);
		if (!l)
			return false;
		l->key = fields_text(f);
		l->value = fields_text(f);
		l->key = l->key ? l->key : "";
		l->value = l->value ? l->value : "";
	}
	return true;
}

static void skip_frames(struct fields *f)
{
	while (fields_u(f) && !f->failed)
		for (unsigned i = 0; i < 6; i++)
			(void)fields_u(f);
}

static bool read_owner(struct dump *d, struct fields *f)
{
	struct dump_owner *one = vec_push(d->pool, &d->owners);
	if (!one)
		return false;
	struct heap_owner *o = &one->owner;
	o->index = fields_u32(f);
	o->id = fields_u(f);
	o->noun = fields_text(f);
	o->status = fields_text(f);
	o->wait_reason = fields_text(f);
	o->wait_ns = fields_u(f);
	o->waits_on = fields_u(f);
	o->system = fields_u(f) != 0;
	o->faulting = fields_u(f) != 0;
	o->thread = fields_u32(f);
	o->stack_low = fields_u(f);
	o->stack_high = unzigzag(o->stack_low, fields_u(f));
	o->stack_used = fields_u(f);
	o->created_by = fields_text(f);
	o->created_file = fields_text(f);
	o->created_line = fields_u32(f);
	o->parent = fields_u(f);
	o->n_labels = fields_count(f, 2);
	if (!read_labels(d, f, o->n_labels))
		return false;
	one->frames = (uint64_t)(f->at.at - d->frames.at);
	skip_frames(f);
	return true;
}

// Labels are in one array, which moves while it grows.
static void place_labels(struct dump *d)
{
	uint64_t at = 0;
	for (uint64_t i = 0; i < d->owners.n; i++) {
		struct heap_owner *o = &d->owners.at[i].owner;
		o->labels = d->labels.at ? d->labels.at + at : NULL;
		at += o->n_labels;
	}
}

static int by_index(const void *a, const void *b, void *ctx)
{
	const struct dump *d = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t ix = d->owners.at[x].owner.index;
	uint32_t iy = d->owners.at[y].owner.index;
	if (ix != iy)
		return ix < iy ? -1 : 1;
	return x < y ? -1 : x > y;
}

static enum hc sort_owners(struct dump *d, struct hc_err *err)
{
	d->by_index = pool_new(d->pool, uint32_t, d->owners.n + 1);
	if (!d->by_index)
		return hc_nomem(err);
	for (uint64_t i = 0; i < d->owners.n; i++)
		d->by_index[i] = (uint32_t)i;
	qsort_r(d->by_index, d->owners.n, sizeof(*d->by_index), by_index, d);
	return HC_OK;
}

enum hc read_owners(struct dump *d, struct hc_err *err)
{
	struct fields f;
	if (d->has_owners)
		return HC_OK;
	HC_TRY(fields_open(d, DUMP_OWNERS, d->pool, &f, err));
	d->frames = f.at;
	while (fields_u(&f) && !f.failed)
		if (!read_owner(d, &f))
			return hc_nomem(err);
	if (fields_end(&f, err)) {
		d->owners.n = d->labels.n = 0;
		return HC_FAIL;
	}
	place_labels(d);
	HC_TRY(sort_owners(d, err));
	d->has_owners = true;
	return HC_OK;
}
