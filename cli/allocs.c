// allocs.c: see allocs.h: reading and counting.
#include "cli/allocs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct alloc_count alloc_estimate(uint64_t objects, uint64_t size,
				  uint64_t rate)
{
	double n = (double)objects, bytes = n * (double)size, scale = 1;
	const double most = 9.2e18; // fits
	if (size && rate > 1)
		scale = 1 / (1 - exp(-(double)size / (double)rate));
	n *= scale;
	bytes *= scale;
	return (struct alloc_count){
		.objects = n < most ? (uint64_t)n : (uint64_t)most,
		.bytes = bytes < most ? (uint64_t)bytes : (uint64_t)most,
	};
}

const char *alloc_none(const struct heap_profile *profile)
{
	return !profile->compiled_in ?
		       "no allocation was sampled: the program never reads "
		       "its memory profile, so the linker left it out" :
	       profile->rate == 0 ?
		       "no allocation was sampled: the program set "
		       "runtime.MemProfileRate to 0" :
		       "no allocation was sampled";
}

static bool is_runtime(const char *function)
{
	return function && (strncmp(function, "runtime.", 8) == 0 ||
			    strncmp(function, "internal/runtime/", 17) == 0);
}

uint32_t alloc_hidden(const struct heap_frame *frames, uint32_t n)
{
	uint32_t at = 0;
	while (at < n && is_runtime(frames[at].function))
		at++;
	return at < n ? at : 0;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

struct alloc_count alloc_now(const struct heap_alloc_site *site, uint64_t rate)
{
	return alloc_estimate(
		minus(site->alloc_objects + site->pending_alloc_objects,
		      site->free_objects + site->pending_free_objects),
		site->size, rate);
}

// add_stack puts a site into the tree, its size as the innermost frame.
static bool add_stack(struct alloc_table *t, const struct heap_alloc_site *site,
		      const struct alloc_row *row, uint32_t hidden)
{
	const uint64_t value[STACK_VALUES] = {
		[ALLOC_BYTES] = row->now.bytes,
		[ALLOC_OBJECTS] = row->now.objects,
		[ALLOC_TOTAL_BYTES] = row->total.bytes,
		[ALLOC_TOTAL_OBJECTS] = row->total.objects,
	};
	char size[48];
	snprintf(size, sizeof(size), "[%s]",
		 word_size(site->size, false).at);
	stack_push(t->builder, size, NULL, 0, false);
	for (uint32_t i = hidden; i < site->n_frames; i++)
		if (!stack_push(t->builder, site->frames[i].function,
				site->frames[i].file, site->frames[i].line,
				site->frames[i].inlined))
			return false;
	return stack_end(t->builder, value, row->number);
}

static bool on_site(void *ctx, const struct heap_alloc_site *site)
{
	struct alloc_table *t = ctx;
	uint64_t rate = t->profile.rate, size = site->size;
	uint64_t allocs = site->alloc_objects + site->pending_alloc_objects;
	uint32_t hidden = alloc_hidden(site->frames, site->n_frames);
	struct alloc_row *row = vec_push(&t->s->pool, t);
	if (!row) {
		t->nomem = true;
		return false;
	}
	row->at = site->at;
	row->size = size;
	row->number = t->n - 1;
	row->inuse = alloc_estimate(minus(site->alloc_objects,
					  site->free_objects), size, rate);
	row->now = alloc_now(site, rate);
	row->total = alloc_estimate(allocs, size, rate);
	row->function = intern(&t->texts, "?");
	row->file = intern(&t->texts, NULL);
	if (hidden < site->n_frames) {
		const struct heap_frame *f = &site->frames[hidden];
		row->function = intern(&t->texts, f->function);
		row->file = intern(&t->texts, f->file);
		row->line = f->line;
	}
	t->nomem = !row->function || !row->file ||
		   !add_stack(t, site, row, hidden);
	return !t->nomem;
}

static int compare_at(const void *a, const void *b)
{
	const struct alloc_row *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

struct alloc_row *alloc_table_find(const struct alloc_table *table, taddr at)
{
	struct alloc_row key = { .at = at };
	return table->n ? bsearch(&key, table->at, table->n, sizeof(key),
				  compare_at) :
			  NULL;
}

static void count_sampled(void *ctx, taddr object, taddr site)
{
	struct alloc_table *t = ctx;
	struct heap *heap = t->s->heap;
	struct alloc_row *row = alloc_table_find(t, site);
	struct heap_ref ref;
	size_t n;
	if (!row || heap_find(heap, object, &ref) ||
	    !heap_bit(heap_live(heap), &heap_regions(heap, &n)[ref.region],
		      ref.slot))
		return;
	row->live++;
}

enum hc alloc_table_open(struct session *s, struct alloc_table *ret)
{
	const struct heap_reader *r = s->reader;
	*ret = (struct alloc_table){ .s = s, .texts.pool = &s->pool };
	if (!r->profile || !r->alloc_sites || !r->sampled)
		return session_lacks(s, "allocation sites");
	HC_TRY(session_mark(s));
	HC_TRY(r->profile(s->self, &ret->profile, &s->err));
	HC_TRY(stacktree_begin(s, &ret->tree, &ret->builder));
	r->alloc_sites(s->self, on_site, ret);
	if (ret->nomem)
		return hc_nomem(&s->err);
	HC_TRY(stacktree_finish(ret->builder));
	if (ret->n)
		qsort(ret->at, ret->n, sizeof(*ret->at), compare_at);
	r->sampled(s->self, count_sampled, ret);
	struct heap_totals totals = heap_totals(s->heap);
	ret->live.objects = totals.live_objects;
	ret->live.bytes = totals.live_bytes;
	for (uint64_t i = 0; i < ret->n; i++) {
		const struct alloc_row *row = &ret->at[i];
		struct alloc_count all = alloc_estimate(row->live, row->size,
							ret->profile.rate);
		ret->sampled.objects += row->live;
		ret->sampled.bytes += row->live * row->size;
		ret->estimated.objects += all.objects;
		ret->estimated.bytes += all.bytes;
	}
	session_phase(s, "read the memory profile", ret->n, "sites");
	return HC_OK;
}

// struct wanted looks for one object's site.
struct wanted {
	taddr object, site;
	heap_alloc_site_fn *fn;
	void *ctx;
};

static void match_object(void *ctx, taddr object, taddr site)
{
	struct wanted *w = ctx;
	if (object == w->object)
		w->site = site;
}

static bool match_site(void *ctx, const struct heap_alloc_site *site)
{
	struct wanted *w = ctx;
	if (site->at != w->site)
		return true;
	w->fn(w->ctx, site);
	return false;
}

void alloc_of_object(struct session *s, taddr object, heap_alloc_site_fn *fn,
		     void *ctx)
{
	struct wanted w = { object, 0, fn, ctx };
	if (!s->reader->sampled || !s->reader->alloc_sites)
		return;
	s->reader->sampled(s->self, match_object, &w);
	if (w.site)
		s->reader->alloc_sites(s->self, match_site, &w);
}
