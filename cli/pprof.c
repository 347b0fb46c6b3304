// pprof.c: see pprof.h.
//
// Source: Go runtime/pprof, pprof.go (printCountProfile), protomem.go
// (writeHeapProto) and proto.go (appendLocsForStack), 1.18 to 1.27.
#include "cli/pprof.h"

#include "cli/allocs.h"
#include "cli/sink.h"

#include <stdlib.h>
#include <string.h>

// struct profile is one profile being put together.
// Shape: published says that the runtime has published any of its memory
//        profile; running that the next frame's pc is where a thread is, no
//        return address.
struct profile {
	struct session *s;
	struct dump_stacks *to;
	uint64_t rate, n;
	bool published, running, nomem;
};

// put_frame adds a frame; the runtime leaves out where goroutines begin.
static bool put_frame(struct profile *p, const struct heap_frame *f,
		      bool is_exact)
{
	if (f->function && strcmp(f->function, "runtime.goexit") == 0)
		return true;
	p->nomem = !dump_stacks_frame(p->to, f, f->pc - (f->pc && !is_exact));
	return !p->nomem;
}

static enum hc finish(struct profile *p, const char *what)
{
	struct session *s = p->s;
	struct dump_sink sink = sink_of(s);
	if (p->nomem)
		return hc_nomem(&s->err);
	HC_TRY(dump_stacks_write(p->to, &sink, &s->err));
	session_phase(s, "write the profile", p->n, what);
	return HC_OK;
}

// ---- allocs ------------------------------------------------------------------

static bool find_published(void *ctx, const struct heap_alloc_site *site)
{
	struct profile *p = ctx;
	p->published = site->alloc_objects || site->free_objects;
	return !p->published;
}

// on_site adds a site. Before the first collection nothing is published, and
// the runtime then takes what there is.
// Source: Go runtime/mprof.go, memProfileInternal (MemProfile up to 1.22).
static bool on_site(void *ctx, const struct heap_alloc_site *site)
{
	struct profile *p = ctx;
	uint64_t allocs = site->alloc_objects, frees = site->free_objects;
	uint32_t hidden = alloc_hidden(site->frames, site->n_frames);
	if (!p->published) {
		allocs = site->pending_alloc_objects;
		frees = site->pending_free_objects;
	}
	if (allocs == 0 || site->size == 0)
		return true;
	struct alloc_count all = alloc_estimate(allocs, site->size, p->rate);
	struct alloc_count inuse = alloc_estimate(
		allocs > frees ? allocs - frees : 0, site->size, p->rate);
	const uint64_t values[] = { all.objects, all.bytes, inuse.objects,
				    inuse.bytes };
	for (uint32_t i = hidden; i < site->n_frames; i++)
		if (!put_frame(p, &site->frames[i], false))
			return false;
	p->n++;
	p->nomem = !dump_stacks_label(p->to, "bytes", NULL, site->size) ||
		   !dump_stacks_end(p->to, values);
	return !p->nomem;
}

enum hc pprof_allocs(struct session *s)
{
	struct dump_stacks_about about = {
		.values = { { "alloc_objects", "count" },
			    { "alloc_space", "bytes" },
			    { "inuse_objects", "count" },
			    { "inuse_space", "bytes" } },
		.n_values = 4,
		.shown = "inuse_space",
		.period_type = { "space", "bytes" },
	};
	struct heap_profile profile;
	struct profile p = { .s = s };
	const struct heap_reader *r = s->reader;
	if (!r->profile || !r->alloc_sites)
		return session_lacks(s, "memory profile");
	HC_TRY(r->profile(s->self, &profile, &s->err));
	about.period = p.rate = profile.rate;
	HC_TRY(dump_stacks_open(s->heap, &about, &s->pool, &p.to, &s->err));
	r->alloc_sites(s->self, find_published, &p);
	r->alloc_sites(s->self, on_site, &p);
	if (p.n == 0 && !p.nomem && !s->o.quiet)
		complain("%s: %s", s->file, alloc_none(&profile));
	return finish(&p, "sites");
}

// ---- goroutines --------------------------------------------------------------

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	struct profile *p = ctx;
	bool is_exact = p->running;
	p->running = p->running && f->inlined;
	return put_frame(p, f, is_exact);
}

static int compare_labels(const void *a, const void *b)
{
	const struct heap_label *x = *(const struct heap_label *const *)a;
	const struct heap_label *y = *(const struct heap_label *const *)b;
	int keys = strcmp(x->key, y->key);
	return keys ? keys : strcmp(x->value, y->value);
}

// put_labels adds the labels by key, because older runtimes keep them in maps.
// One without a value is none to pprof.
static bool put_labels(struct profile *p, const struct heap_owner *o)
{
	struct pool *pool = &p->s->scratch;
	char *mark = pool_mark(pool);
	const struct heap_label **at =
		pool_new(pool, const struct heap_label *, o->n_labels);
	bool ok = at != NULL || o->n_labels == 0;
	size_t n = 0;
	for (size_t i = 0; ok && i < o->n_labels; i++)
		if (o->labels[i].key && o->labels[i].value &&
		    *o->labels[i].value)
			at[n++] = &o->labels[i];
	if (n)
		qsort(at, n, sizeof(*at), compare_labels);
	for (size_t i = 0; ok && i < n; i++)
		ok = dump_stacks_label(p->to, at[i]->key, at[i]->value, 0);
	pool_rewind(pool, mark);
	return ok;
}

static bool on_owner(void *ctx, const struct heap_owner *o)
{
	static const uint64_t one[] = { 1 };
	struct profile *p = ctx;
	if (o->system)
		return true;
	p->n++;
	p->running = o->thread != 0;
	p->s->reader->frames(p->s->self, o->index, on_frame, p);
	p->nomem = p->nomem || !put_labels(p, o) ||
		   !dump_stacks_end(p->to, one);
	return !p->nomem;
}

enum hc pprof_goroutines(struct session *s, struct owners *owners)
{
	static const struct dump_stacks_about about = {
		.values = { { "goroutine", "count" } },
		.n_values = 1,
		.shown = "goroutine",
		.period_type = { "goroutine", "count" },
		.period = 1,
		.sorted = true,
	};
	struct profile p = { .s = s };
	HC_TRY(dump_stacks_open(s->heap, &about, &s->pool, &p.to, &s->err));
	owners_each(owners, on_owner, &p);
	return finish(&p, "goroutines");
}
