// spans.c: mheap_.allspans, read and checked; see spans.h.
#include "libheap/go/heap/spans.h"

#include "libheap/go/heap/allocbits.h"
#include "libheap/go/heap/arenas.h"

#include "libcore/base/limits.h"
#include "libcore/base/search.h"

#include <stdlib.h>

static const enum go_field mspan_fields[] = {
	F_mspan_startAddr, F_mspan_npages,    F_mspan_freeindex,
	F_mspan_nelems,	   F_mspan_allocBits, F_mspan_gcmarkBits,
	F_mspan_sweepgen,  F_mspan_spanclass, F_mspan_state,
	F_mspan_elemsize,  F_mspan_limit,     F_mspan_specials,
	F_mspan_largeType, F_mspan_isUserArenaChunk,
};

// mspan_view points *ret at the bytes of the mspan at `at`.
static bool mspan_view(const struct go_process *process, taddr at,
		       const uint8_t **ret)
{
	return at && core_view(process->core, at,
			       process->layout.size[S_mspan], ret,
			       NULL) == HC_OK;
}

// span_ptrmap says where the pointer map of a heap span is.
// Source: runtime/mbitmap*.go, heapBitsInSpan: up to 512 bytes on 64-bit.
static enum go_ptrmap span_ptrmap(const struct go_process *process,
				  const struct go_span *s)
{
	unsigned minor = process->version.minor;
	if (s->noscan)
		return GO_PTRMAP_NONE;
	if (minor < 20)
		return GO_PTRMAP_ARENA2;
	if (minor < 22)
		return GO_PTRMAP_ARENA1;
	if (s->user_arena)
		return GO_PTRMAP_USERARENA;
	if (s->elemsize <= 512)
		return GO_PTRMAP_INSPAN;
	return s->sizeclass ? GO_PTRMAP_HEADER : GO_PTRMAP_LARGE;
}

// span_has_inline_marks asks the arena's metadata, which knows per page.
// Source: runtime/mheap.go, heapArena.pageUseSpanInlineMarkBits (1.25+).
static bool span_has_inline_marks(const struct go_process *process, taddr base)
{
	const struct go_layout *l = &process->layout;
	const struct go_arena *arena = go_arena_of(process, base);
	if (!go_has(l, F_heapArena_pageUseSpanInlineMarkBits) || !arena ||
	    !arena->view ||
	    !go_fits(l, F_heapArena_pageUseSpanInlineMarkBits, S_heapArena))
		return false;
	uint64_t page = (base - arena->base) / GO_PAGE;
	if (page / 8 >= l->field[F_heapArena_pageUseSpanInlineMarkBits].size)
		return false;
	return arena->view[go_off(l, F_heapArena_pageUseSpanInlineMarkBits) +
			   page / 8] >>
		       (page % 8) &
	       1;
}

// span_why_bad returns what is impossible about a span, or NULL.
static const char *span_why_bad(const struct go_span *s)
{
	if (s->base % GO_PAGE || !s->npages)
		return "starts inside a page or has none";
	if (go_span_len(s) > UINT64_MAX - s->base)
		return "passes the end of memory";
	if (s->state == GO_SPAN_MANUAL)
		return NULL;
	if (!s->elemsize || !s->nelems)
		return "holds objects of no size or none";
	if (s->nelems > go_span_len(s) / s->elemsize)
		return "holds more objects than fit";
	if (s->limit < s->base || s->limit - s->base > go_span_len(s))
		return "ends outside its pages";
	return NULL;
}

// span_decode fills *s from the mspan's bytes.
static void span_decode(const struct go_process *process, const uint8_t *view,
			taddr at, struct go_span *s)
{
	const struct go_layout *l = &process->layout;
	uint64_t npages = go_get(l, view, F_mspan_npages);
	uint64_t nelems = go_get(l, view, F_mspan_nelems);
	uint64_t class = go_get(l, view, F_mspan_spanclass);
	*s = (struct go_span){
		.at = at,
		.base = go_get(l, view, F_mspan_startAddr),
		.elemsize = go_get(l, view, F_mspan_elemsize),
		.limit = go_get(l, view, F_mspan_limit),
		.specials = go_get(l, view, F_mspan_specials),
		.type = go_get(l, view, F_mspan_largeType),
		.npages = npages > UINT32_MAX ? 0 : (uint32_t)npages,
		.nelems = nelems > UINT32_MAX ? 0 : (uint32_t)nelems,
		.region = UINT32_MAX,
		.state = (uint8_t)go_get(l, view, F_mspan_state),
		.sizeclass = (uint8_t)(class >> 1),
		.noscan = class & 1,
		.user_arena = go_get(l, view, F_mspan_isUserArenaChunk) != 0,
	};
	if (s->state != GO_SPAN_HEAP)
		return;
	s->ptrmap = (uint8_t)span_ptrmap(process, s);
	s->inline_marks = s->elemsize >= 16 && s->elemsize <= 512 &&
			  span_has_inline_marks(process, s->base);
}

// spans_load decodes every span in use of allspans into process->spans->at,
// as far as the list is in the core.
static void spans_load(struct go_process *process, const struct go_slice *all)
{
	struct go_spans *spans = process->spans;
	for (uint64_t i = 0; i < all->len; i++) {
		taddr at;
		const uint8_t *view;
		struct hc_err err;
		if (core_u64(process->core, all->at + 8 * i, &at, &err)) {
			spans->n_bad += all->len - i;
			findings_add_err(process->findings, "bad spans", &err);
			return;
		}
		if (!mspan_view(process, at, &view)) {
			spans->n_bad++;
			findings_add(process->findings, "bad span", at,
				     "span %" PRIu64 " is not in the core", i);
			continue;
		}
		struct go_span *s = &spans->at[spans->n];
		span_decode(process, view, at, s);
		if (s->state != GO_SPAN_HEAP && s->state != GO_SPAN_MANUAL)
			continue;
		const char *why = span_why_bad(s);
		if (why) {
			spans->n_bad++;
			findings_add(process->findings, "bad span", at,
				     "the span of 0x%" PRIx64 " %s", s->base,
				     why);
			continue;
		}
		spans->n++;
	}
}

static int span_compare(const void *x, const void *y)
{
	const struct go_span *a = x, *b = y;
	if (a->base != b->base)
		return a->base < b->base ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

// spans_sort puts spans in address order and drops those that overlap.
static void spans_sort(struct go_process *process)
{
	struct go_spans *spans = process->spans;
	bool sorted = true;
	for (size_t i = 1; i < spans->n && sorted; i++)
		sorted = spans->at[i - 1].base < spans->at[i].base;
	if (!sorted)
		qsort(spans->at, spans->n, sizeof(*spans->at), span_compare);
	size_t kept = 0;
	for (size_t i = 0; i < spans->n; i++) {
		const struct go_span *s = &spans->at[i];
		const struct go_span *last = kept ? &spans->at[kept - 1] : NULL;
		if (last && s->base - last->base < go_span_len(last)) {
			spans->n_bad++;
			findings_add(process->findings, "bad span", s->at,
				     "the span of 0x%" PRIx64
				     " overlaps that of 0x%" PRIx64,
				     s->base, last->base);
			continue;
		}
		spans->at[kept++] = *s;
	}
	spans->n = kept;
}

// spans_arenas makes the arenas of user arenas' chunks known.
static HC_MUST enum hc spans_arenas(struct go_process *process,
				    struct hc_err *err)
{
	const struct go_spans *spans = process->spans;
	size_t n = 0;
	for (size_t i = 0; i < spans->n; i++)
		n += spans->at[i].user_arena;
	if (!n)
		return HC_OK;
	taddr *at = pool_new(process->pool, taddr, n);
	if (!at)
		return hc_nomem(err);
	n = 0;
	for (size_t i = 0; i < spans->n; i++)
		if (spans->at[i].user_arena)
			at[n++] = spans->at[i].base;
	return go_arenas_cover(process, at, n, err);
}

// spans_map points each span at its bytes, when the core has them in one run.
static void spans_map(struct go_process *process)
{
	struct core_window w = { 0 };
	for (size_t i = 0; i < process->spans->n; i++) {
		struct go_span *s = &process->spans->at[i];
		uint64_t len = go_span_len(s);
		if (s->base < w.base || s->base - w.base >= w.len) {
			if (core_window(process->core, s->base, &w)) {
				w = (struct core_window){ 0 };
				continue;
			}
		}
		uint64_t off = s->base - w.base;
		if (len <= w.len - off)
			s->mem = w.bytes + off;
	}
}

// spans_regions adds one region to the graph for each heap span.
static HC_MUST enum hc spans_regions(struct go_process *process,
				     struct hc_err *err)
{
	struct go_spans *spans = process->spans;
	uint64_t n_words = 0, n_regions = 0;
	for (size_t i = 0; i < spans->n; i++) {
		if (spans->at[i].state != GO_SPAN_HEAP)
			continue;
		n_regions++;
		n_words += (spans->at[i].nelems + UINT64_C(63)) / 64;
	}
	HC_TRY(heap_begin(process->heap, 13, n_regions, n_words, err));
	spans->of_region = pool_new(process->pool, uint32_t, n_regions);
	if (!spans->of_region)
		return hc_nomem(err);
	for (size_t i = 0; i < spans->n; i++) {
		struct go_span *s = &spans->at[i];
		uint64_t *alloc, *dead;
		if (s->state != GO_SPAN_HEAP)
			continue;
		HC_TRY(heap_add_region(process->heap, s->base, s->elemsize,
				       s->nelems, s->noscan ? HEAP_NOSCAN : 0,
				       (uint32_t)i, &alloc, &dead, err));
		s->region = (uint32_t)spans->n_regions;
		spans->of_region[spans->n_regions++] = (uint32_t)i;
		heap_region_bytes(process->heap, s->mem);
		go_allocbits_read(process, s, alloc, dead);
	}
	return HC_OK;
}

// spans_list reads where allspans is and what the heap's sweepgen is.
static HC_MUST enum hc spans_list(const struct go_process *process,
				  struct go_slice *ret, uint32_t *ret_sweepgen,
				  struct hc_err *err)
{
	taddr mheap = process->globals.at[G_mheap_];
	struct go_slice all;
	uint64_t sweepgen;
	HC_TRY(go_slice_field(process, mheap, F_mheap_allspans, 8, &all, err));
	HC_TRY(go_field(process, mheap, F_mheap_sweepgen, &sweepgen, err));
	if (all.len > core_mapped_bytes(process->core, all.at, 8 * all.len) / 8)
		return hc_fail(err, HC_CORRUPT, all.at,
			       "mheap_ claims %" PRIu64 " spans", all.len);
	*ret = all;
	*ret_sweepgen = (uint32_t)sweepgen;
	return HC_OK;
}

enum hc go_spans_read(struct go_process *process, struct hc_err *err)
{
	const struct go_layout *l = &process->layout;
	struct go_slice all = { 0 };
	struct hc_err why;

	for (size_t i = 0; i < sizeof(mspan_fields) / sizeof(*mspan_fields); i++)
		if (!go_fits(l, mspan_fields[i], S_mspan))
			return hc_fail(err, HC_CORRUPT, 0,
				       "the layout of mspan is damaged");
	struct go_spans *spans = pool_new(process->pool, struct go_spans, 1);
	if (!spans)
		return hc_nomem(err);
	process->spans = spans;
	if (spans_list(process, &all, &spans->sweepgen, &why))
		findings_add_err(process->findings, "bad spans", &why);
	taddr phase = process->globals.at[G_gcphase];
	if (phase && core_u32(process->core, phase, &spans->gcphase, NULL))
		spans->gcphase = 0;
	spans->at = pool_new(process->pool, struct go_span, all.len + 1);
	if (!spans->at)
		return hc_nomem(err);
	spans_load(process, &all);
	spans_sort(process);
	HC_TRY(spans_arenas(process, err));
	spans_map(process);
	return spans_regions(process, err);
}

const struct go_span *go_span_of(const struct go_process *process, taddr at)
{
	const struct go_spans *spans = process->spans;
	size_t low = search_while(i, spans->n, spans->at[i].base <= at);
	if (!low || at - spans->at[low - 1].base >=
			    go_span_len(&spans->at[low - 1]))
		return NULL;
	return &spans->at[low - 1];
}
