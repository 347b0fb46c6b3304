// verify_counts.c: allocation bits against counts, the allocator's cache of
// them and mark bits.
//
// Not held against a span: the one object that a thread was taking from its
// cached span when the core was taken, and a span that was just being swept.
#include "libheap/go/verify/verify.h"

#include "libheap/go/memory/claims.h"
#include "libheap/go/stacks/threads.h"

#include <stdlib.h>

// struct bitmap is a bitmap of the runtime's, in words as it was allocated.
struct bitmap {
	const uint8_t *bytes; // NULL when it is not in the core
	uint64_t n_words;
};

static struct bitmap bitmap_at(const struct go_verify *v, taddr at,
			       const struct go_span *s)
{
	struct bitmap b = { NULL, (s->nelems + UINT64_C(63)) / 64 };
	if (!at || core_view(v->process->core, at, 8 * b.n_words, &b.bytes,
			     NULL))
		b.bytes = NULL;
	return b;
}

static uint64_t bitmap_word(const struct bitmap *b, uint64_t w)
{
	return b->bytes && w < b->n_words ? get_u64(b->bytes + 8 * w) : 0;
}

// beyond has a 1 for each bit of word w that belongs to no slot.
static uint64_t beyond(const struct go_span *s, uint64_t w)
{
	uint64_t left = s->nelems - 64 * w;
	return left >= 64 ? 0 : ~UINT64_C(0) << left;
}

// check_count holds what is allocated against allocCount.
static void check_count(struct go_verify *v, const struct go_span *s,
			const uint8_t *view, const uint64_t *allocated)
{
	uint64_t count = go_get(&v->process->layout, view, F_mspan_allocCount);
	uint64_t n = 0;
	int32_t d = verify_sweep(v, view);
	for (uint64_t w = 0; w * 64 < s->nelems; w++)
		n += (uint64_t)__builtin_popcountll(allocated[w]);
	bool taking = d == 1 || d == 3 || !s->sizeclass;
	if (n == count || (taking && n == count + 1))
		return;
	verify_note(v, s->at, "the span of 0x%" PRIx64 " has %" PRIu64
		    " allocated slots, its count is %" PRIu64, s->base, n,
		    count);
}

// check_cache holds allocCache against the bits that it is a copy of: those
// from freeindex on, inverted.
// Source: runtime/mbitmap.go, refillAllocCache, nextFreeIndex (1.18–1.27).
static void check_cache(struct go_verify *v, const struct go_span *s,
			const uint8_t *view, const struct bitmap *bits)
{
	const struct go_layout *l = &v->process->layout;
	uint64_t free = go_get(l, view, F_mspan_freeindex);
	uint64_t cache = go_get(l, view, F_mspan_allocCache);
	if (!s->sizeclass || free >= s->nelems ||
	    !go_has(l, F_mspan_allocCache))
		return;
	uint64_t want = ~bitmap_word(bits, free / 64) >> (free % 64);
	int32_t d = verify_sweep(v, view);
	uint64_t step = want ? (uint64_t)__builtin_ctzll(want) + 1 : 64;
	uint64_t next = step < 64 ? want >> step : 0;
	if (cache == want || ((d == 1 || d == 3) && cache == next))
		return;
	verify_note(v, s->at, "the span of 0x%" PRIx64 " has allocation bits "
		    "that its allocator's copy contradicts: free from slot %"
		    PRIu64 " on are 0x%" PRIx64 " and 0x%" PRIx64, s->base,
		    free, want, cache);
}

// check_marks holds mark bits against the phase: none where a sweep took them,
// elsewhere only those of objects.
static void check_marks(struct go_verify *v, const struct go_span *s,
			const uint8_t *view, const struct bitmap *marks,
			const uint64_t *allocated)
{
	int32_t d = verify_sweep(v, view);
	bool none = v->process->spans->gcphase == 0 && (d == 0 || d == 3);
	for (uint64_t w = 0; w < marks->n_words; w++) {
		uint64_t bad = bitmap_word(marks, w) &
			       (none ? ~UINT64_C(0) : ~allocated[w]);
		if (!bad)
			continue;
		uint64_t slot = 64 * w + (uint64_t)__builtin_ctzll(bad);
		verify_note(v, s->at, "the span of 0x%" PRIx64 " has slot %"
			    PRIu64 " marked, %s", s->base, slot,
			    none ? "though it was swept since" :
				   "which is not allocated");
		return;
	}
}

// check_inline does the same for marks kept in the span, which end with its
// class. Source: runtime/mgcmark_greenteagc.go, spanInlineMarkBits (1.25–1.27).
static void check_inline(struct go_verify *v, const struct go_span *s,
			 const uint8_t *view)
{
	if (!s->inline_marks || !s->mem)
		return;
	const uint8_t *end = s->mem + go_span_len(s);
	uint8_t class = (uint8_t)(s->sizeclass << 1 | s->noscan);
	int32_t d = verify_sweep(v, view);
	if (end[-1] != class)
		verify_note(v, s->base + go_span_len(s) - 1,
			    "the span of 0x%" PRIx64 " is of class %u, the "
			    "marks in it say %u", s->base, class, end[-1]);
	if (v->process->spans->gcphase != 0 || (d != 0 && d != 3))
		return;
	for (unsigned i = 0; i < 63; i++) {
		if (!end[-64 + (int)i])
			continue;
		verify_note(v, s->base + go_span_len(s) - 64 + i,
			    "the span of 0x%" PRIx64 " has marks in it, though "
			    "it was swept since", s->base);
		return;
	}
}

// check_dead holds what the last collection marked against what is reachable:
// in a span that awaits its sweep all of that is marked, but for a little that
// only a guess keeps alive.
static void check_dead(struct go_verify *v, const struct go_span *s,
		       const struct heap_region *r)
{
	const struct heap *h = v->process->heap;
	uint64_t n_live = 0, n_dead = 0;
	for (uint64_t w = r->first_word; w < r->first_word +
	     (s->nelems + UINT64_C(63)) / 64; w++) {
		uint64_t live = heap_live(h)[w] & heap_allocated(h)[w];
		n_live += (uint64_t)__builtin_popcountll(live);
		n_dead += (uint64_t)__builtin_popcountll(live &
							 heap_dead(h)[w]);
	}
	if (n_live >= 3 && n_dead > n_live / 2)
		verify_note(v, s->at, "the span of 0x%" PRIx64 " is not swept "
			    "by its sweep generation, but the last collection "
			    "marked only %" PRIu64 " of %" PRIu64 " reachable "
			    "objects", s->base, n_live - n_dead, n_live);
}

static int by_base(const void *x, const void *y)
{
	const struct claim *a = x, *b = y;
	return (a->base > b->base) - (a->base < b->base);
}

// check_shared reports bitmaps that two spans have.
static void check_shared(struct go_verify *v, struct claims *bits)
{
	if (bits->n > 1)
		qsort(bits->at, bits->n, sizeof(*bits->at), by_base);
	for (uint64_t i = 1; i < bits->n; i++) {
		const struct claim *a = &bits->at[i - 1], *b = &bits->at[i];
		const struct go_spans *spans = v->process->spans;
		if (b->base - a->base < a->len)
			verify_note(v, spans->at[b->item].at, "the spans of 0x%"
				    PRIx64 " and 0x%" PRIx64
				    " have one bitmap", spans->at[a->item].base,
				    spans->at[b->item].base);
	}
}

// take_bits remembers where a span's bitmaps are, for check_shared.
static void take_bits(struct go_verify *v, const struct go_span *s,
		      uint32_t item, struct claims *bits)
{
	static const enum go_field which[] = { F_mspan_allocBits,
					       F_mspan_gcmarkBits };
	const uint8_t *view;
	if (!verify_span(v, s, &view))
		return;
	for (unsigned i = 0; i < 2; i++) {
		taddr at = go_get(&v->process->layout, view, which[i]);
		if (at % 8)
			verify_note(v, s->at, "the bitmap of the span of 0x%"
				    PRIx64 " starts inside a word: 0x%" PRIx64,
				    s->base, at);
		if (!claims_add(&v->process->threads->scratch, bits, at,
				(s->nelems + UINT64_C(63)) / 64 * 8, 0, item))
			return;
	}
}

static void check_span(struct go_verify *v, const struct go_span *s,
		       const struct heap_region *r)
{
	const struct go_layout *l = &v->process->layout;
	const uint64_t *allocated = heap_allocated(v->process->heap) +
				    r->first_word;
	const uint8_t *view;
	if (!verify_span(v, s, &view) || verify_sweep(v, view) == -1)
		return;
	struct bitmap bits = bitmap_at(v, go_get(l, view, F_mspan_allocBits),
				       s);
	struct bitmap marks = bitmap_at(v, go_get(l, view, F_mspan_gcmarkBits),
					s);
	uint64_t last = (s->nelems - UINT64_C(1)) / 64;
	if (!bits.bytes || !marks.bytes) {
		verify_note(v, s->at, "the %s bits of the span of 0x%" PRIx64
			    " are nowhere", bits.bytes ? "mark" : "allocation",
			    s->base);
		return;
	}
	if (bitmap_word(&bits, last) & beyond(s, last))
		verify_note(v, s->at, "the span of 0x%" PRIx64 " has "
			    "allocation bits behind its last slot", s->base);
	check_count(v, s, view, allocated);
	check_cache(v, s, view, &bits);
	check_marks(v, s, view, &marks, allocated);
	check_inline(v, s, view);
	check_dead(v, s, r);
}

void verify_counts(struct go_verify *v)
{
	size_t n;
	const struct heap_region *r = heap_regions(v->process->heap, &n);
	struct pool *pool = &v->process->threads->scratch;
	char *mark = pool_mark(pool);
	struct claims bits = { 0 };
	for (size_t i = 0; i < n; i++) {
		const struct go_span *s = &v->process->spans->at[r[i].tag];
		check_span(v, s, &r[i]);
		take_bits(v, s, r[i].tag, &bits);
	}
	check_shared(v, &bits);
	pool_rewind(pool, mark);
}
