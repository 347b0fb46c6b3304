// read_profile.c: the memory profile and what was suspected.
#include "libheap/dump/read.h"

void read_frame(struct fields *f, uint64_t kind, taddr *sp,
		struct heap_frame *ret)
{
	ret->inlined = kind == 2;
	ret->function = fields_text(f);
	ret->file = fields_text(f);
	ret->line = fields_u32(f);
	ret->pc = fields_u(f);
	*sp = unzigzag(*sp, fields_u(f));
	ret->sp = *sp;
	ret->fp = unzigzag(*sp, fields_u(f));
}

static bool read_site(struct dump *d, struct fields *f)
{
	uint64_t kind;
	taddr sp = 0;
	struct heap_alloc_site *s = vec_push(d->pool, &d->sites);
	if (!s)
		return false;
	s->at = fields_u(f);
	s->size = fields_u(f);
	s->alloc_objects = fields_u(f);
	s->alloc_bytes = fields_u(f);
	s->free_objects = fields_u(f);
	s->free_bytes = fields_u(f);
	s->pending_alloc_objects = fields_u(f);
	s->pending_alloc_bytes = fields_u(f);
	s->pending_free_objects = fields_u(f);
	s->pending_free_bytes = fields_u(f);
	while ((kind = fields_u(f)) && !f->failed) {
		struct heap_frame *frame = vec_push(d->pool, &d->site_frames);
		if (!frame)
			return false;
		read_frame(f, kind, &sp, frame);
		s->n_frames++;
	}
	return true;
}

// Frames are in one array, which moves while it grows.
static void place_frames(struct dump *d)
{
	uint64_t at = 0;
	for (uint64_t i = 0; i < d->sites.n; i++) {
		d->sites.at[i].frames = d->site_frames.at ?
						d->site_frames.at + at :
						NULL;
		at += d->sites.at[i].n_frames;
	}
}

enum hc read_profile(struct dump *d, struct hc_err *err)
{
	struct fields f;
	if (d->has_profile)
		return HC_OK;
	HC_TRY(fields_open(d, DUMP_PROFILE, d->pool, &f, err));
	if (f.at.len == 0)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "the dump has no memory profile");
	d->sites.n = d->site_frames.n = d->sampled.n = 0;
	d->profile.compiled_in = fields_u(&f) != 0;
	d->profile.rate = fields_u(&f);
	while (fields_u(&f) && !f.failed)
		if (!read_site(d, &f))
			return hc_nomem(err);
	while (fields_u(&f) && !f.failed) {
		struct dump_weak *one = vec_push(d->pool, &d->sampled);
		if (!one)
			return hc_nomem(err);
		one->at = fields_u(&f);
		one->target = fields_u(&f);
	}
	HC_TRY(fields_end(&f, err));
	place_frames(d);
	d->has_profile = true;
	return HC_OK;
}

enum hc read_suspects(struct dump *d, uint64_t least, heap_suspect_fn *fn,
		      void *ctx, struct hc_err *err)
{
	uint64_t kind;
	struct fields f;
	HC_TRY(fields_open(d, DUMP_SUSPECTS, d->pool, &f, err));
	if (f.at.len == 0)
		return HC_OK;
	while ((kind = fields_u(&f)) && !f.failed) {
		struct heap_reader_suspect s = { .kind = fields_text(&f) };
		s.text = fields_text(&f);
		taddr at = fields_u(&f);
		s.bytes = fields_u(&f);
		s.count = fields_u(&f);
		s.has_object = kind == 2 &&
			       heap_find(d->heap, at, &s.object) == HC_OK;
		if (!s.kind || !s.text)
			fields_bad(&f, "a suspect without words");
		if (!f.failed && s.bytes >= least)
			fn(ctx, &s);
	}
	return fields_end(&f, err);
}
