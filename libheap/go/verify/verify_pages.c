// verify_pages.c: which span has which page, as the arenas' tables say, the
// spans themselves and the page allocator.
//
// An empty span may be on its way in or out, so what it has not got yet, or not
// any more, is not reported.
#include "libheap/go/verify/verify.h"

#include "libheap/go/heap/arenas.h"
#include "libheap/go/memory/freepages.h"
#include "libheap/go/stacks/threads.h"

// struct tables are the tables of one arena that a page has an entry in.
struct tables {
	const uint8_t *spans, *in_use, *specials; // the last two may be NULL
	uint64_t n_pages;
};

static const uint8_t *bits_of(const struct go_verify *v,
			      const struct go_arena *a, enum go_field f,
			      uint64_t n_pages)
{
	const struct go_layout *l = &v->process->layout;
	if (!go_has(l, f) || !go_fits(l, f, S_heapArena) ||
	    l->field[f].size < n_pages / 8)
		return NULL;
	return a->view + go_off(l, f);
}

static bool tables_of(const struct go_verify *v, const struct go_arena *a,
		      struct tables *ret)
{
	const struct go_layout *l = &v->process->layout;
	uint64_t n = v->process->arenas->len / GO_PAGE;
	if (!a || !a->view || !go_fits(l, F_heapArena_spans, S_heapArena) ||
	    !go_has(l, F_heapArena_spans) ||
	    l->field[F_heapArena_spans].size < 8 * n)
		return false;
	*ret = (struct tables){
		.spans = a->view + go_off(l, F_heapArena_spans),
		.in_use = bits_of(v, a, F_heapArena_pageInUse, n),
		.specials = bits_of(v, a, F_heapArena_pageSpecials, n),
		.n_pages = n,
	};
	return true;
}

static bool bit_of(const uint8_t *bits, uint64_t i)
{
	return bits[i / 8] >> (i % 8) & 1;
}

// is_empty says whether nothing is allocated in a heap span.
static bool is_empty(const struct go_verify *v, const struct go_span *s)
{
	const uint8_t *view;
	return !verify_span(v, s, &view) ||
	       !go_get(&v->process->layout, view, F_mspan_allocCount);
}

// check_first checks what is known of a span's first page only.
static void check_first(struct go_verify *v, const struct go_span *s,
			const struct tables *t, uint64_t page)
{
	bool heap = s->state == GO_SPAN_HEAP;
	if (t->in_use && bit_of(t->in_use, page) != heap)
		verify_note(v, s->at, "the span of 0x%" PRIx64 " is %s, its "
			    "arena's list of pages says it is %s", s->base,
			    heap ? "in use" : "a stack or buffer",
			    heap ? "not in use" : "in use for objects");
	if (heap && t->specials &&
	    bit_of(t->specials, page) != (s->specials != 0))
		verify_note(v, s->at, "the span of 0x%" PRIx64 " has %s "
			    "specials, its arena's list of pages says %s",
			    s->base, s->specials ? "some" : "no",
			    s->specials ? "none" : "some");
}

// check_span looks up all pages of a span in the arenas' tables.
static void check_span(struct go_verify *v, const struct go_span *s)
{
	struct tables t = { 0 };
	const struct go_arena *arena = NULL;
	if (s->state == GO_SPAN_HEAP && is_empty(v, s))
		return;
	for (uint64_t i = 0; i < s->npages; i++) {
		taddr at = s->base + i * GO_PAGE;
		if (!arena || at - arena->base >= v->process->arenas->len) {
			arena = go_arena_of(v->process, at);
			if (!arena) {
				verify_note(v, s->at, "the span of 0x%" PRIx64
					    " has page 0x%" PRIx64
					    " in no arena", s->base, at);
				return;
			}
			if (!tables_of(v, arena, &t))
				return;
		}
		uint64_t page = (at - arena->base) / GO_PAGE;
		taddr entry = get_u64(t.spans + 8 * page);
		if (entry != s->at) {
			verify_note(v, s->at, "page 0x%" PRIx64 " belongs to "
				    "the span of 0x%" PRIx64 ", its arena "
				    "says to the span record at 0x%" PRIx64,
				    at, s->base, entry);
			return;
		}
		if (i == 0)
			check_first(v, s, &t, page);
	}
}

// check_entry checks an arena's word on a page that no span of ours has. What
// a freed span left behind is fine.
static void check_entry(struct go_verify *v, taddr at, taddr entry,
			bool in_use)
{
	uint64_t base, npages, state;
	if (in_use)
		verify_note(v, at, "page 0x%" PRIx64 " starts a span in use by "
			    "its arena's word, but there is none", at);
	if (!entry || go_field(v->process, entry, F_mspan_state, &state, NULL))
		return;
	if (go_field(v->process, entry, F_mspan_startAddr, &base, NULL) ||
	    go_field(v->process, entry, F_mspan_npages, &npages, NULL) ||
	    ((uint8_t)state != GO_SPAN_HEAP &&
	     (uint8_t)state != GO_SPAN_MANUAL))
		return;
	if (at - base < npages * GO_PAGE && at >= base)
		verify_note(v, entry, "the span record of page 0x%" PRIx64
			    " is in use, but not in the heap's list", at);
}

// check_arena looks at the pages that lie between spans.
static void check_arena(struct go_verify *v, const struct go_arena *a)
{
	struct tables t;
	if (!tables_of(v, a, &t))
		return;
	for (uint64_t page = 0; page < t.n_pages; page++) {
		taddr at = a->base + page * GO_PAGE;
		taddr entry = get_u64(t.spans + 8 * page);
		bool in_use = t.in_use && bit_of(t.in_use, page);
		if (!entry && !in_use)
			continue;
		const struct go_span *s = go_span_of(v->process, at);
		if (!s)
			check_entry(v, at, entry, in_use);
		else if (in_use && s->base != at)
			verify_note(v, at, "page 0x%" PRIx64 " starts a span "
				    "by its arena's word, but lies inside that "
				    "of 0x%" PRIx64, at, s->base);
		if (s && s->base == at)
			page += s->npages - 1;
	}
}

// check_free holds the page allocator's free pages against the spans.
static void check_free(struct go_verify *v)
{
	struct go_process *p = v->process;
	struct go_free_pages free = { 0 };
	struct pool *pool = &p->threads->scratch;
	char *mark = pool_mark(pool);
	size_t i = 0;

	if (go_free_pages_read(p, pool, &free, NULL))
		free.n = 0; // said in stats
	for (uint64_t k = 0; k < free.n; k++) {
		taddr end = free.at[k].base + free.at[k].len;
		while (i < p->spans->n &&
		       p->spans->at[i].base + go_span_len(&p->spans->at[i]) <=
			       free.at[k].base)
			i++;
		for (size_t j = i; j < p->spans->n; j++) {
			const struct go_span *s = &p->spans->at[j];
			if (s->base >= end)
				break;
			if (s->state == GO_SPAN_HEAP && is_empty(v, s))
				continue;
			verify_note(v, s->at, "pages of the span of 0x%" PRIx64
				    " are free for the page allocator: 0x%"
				    PRIx64 " and on", s->base,
				    free.at[k].base);
		}
	}
	pool_rewind(pool, mark);
}

void verify_pages(struct go_verify *v)
{
	const struct go_process *p = v->process;
	for (size_t i = 0; i < p->spans->n; i++)
		check_span(v, &p->spans->at[i]);
	for (size_t i = 0; i < p->arenas->n; i++)
		check_arena(v, &p->arenas->at[i]);
	check_free(v);
}
