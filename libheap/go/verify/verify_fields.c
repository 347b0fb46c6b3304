// verify_fields.c: the fields of one mspan against each other.
//
// Everything follows from a span's class and its number of pages; what the
// runtime computed once it never changes while the span is in use.
#include "libheap/go/verify/verify.h"

#include "libheap/go/heap/chain.h"
#include "libheap/go/heap/record.h"
#include "libheap/go/heap/sizeclass.h"

#define INLINE_MARK_BYTES 128u // Green Tea's, see spans.h

// objects_of returns how many objects a span of a size class holds.
// Source: runtime/mheap.go, initSpan (1.22–1.27), allocSpan (1.18–1.21).
static uint64_t objects_of(const struct go_span *s)
{
	uint64_t room = go_span_len(s);
	if (s->ptrmap == GO_PTRMAP_INSPAN)
		room -= room / 64;
	if (s->inline_marks)
		room -= INLINE_MARK_BYTES;
	return room / s->elemsize;
}

// check_small checks a span of a size class.
static void check_small(struct go_verify *v, const struct go_span *s,
			const uint8_t *view)
{
	const struct go_layout *l = &v->process->layout;
	uint64_t slot = go_class_slot(s->sizeclass);
	uint64_t magic = go_get(l, view, F_mspan_divMul);

	if (!slot) {
		verify_note(v, s->at, "the span of 0x%" PRIx64 " has the size "
			    "class %u, which is none", s->base, s->sizeclass);
		return;
	}
	if (s->elemsize != slot)
		verify_note(v, s->at, "the span of 0x%" PRIx64 " has slots of "
			    "%" PRIu64 " bytes, its class %" PRIu64, s->base,
			    s->elemsize, slot);
	else if (s->nelems != objects_of(s))
		verify_note(v, s->at, "the span of 0x%" PRIx64 " counts %"
			    PRIu32 " slots, its class and pages make %" PRIu64,
			    s->base, s->nelems, objects_of(s));
	if (s->npages != go_class_pages(s->sizeclass))
		verify_note(v, s->at, "the span of 0x%" PRIx64 " has %" PRIu32
			    " pages, its class %" PRIu32, s->base, s->npages,
			    go_class_pages(s->sizeclass));
	// Up to 1.25 the limit of a span with bitmaps at its end was computed
	// as if it had none. Source: runtime/mcentral.go, grow.
	taddr end = s->base + s->nelems * s->elemsize;
	taddr old = s->base + go_span_len(s) / s->elemsize * s->elemsize;
	if (s->limit != end && s->limit != old &&
	    go_get(l, view, F_mspan_allocCount))
		verify_note(v, s->at, "the objects of the span of 0x%" PRIx64
			    " end at 0x%" PRIx64 ", its limit is 0x%" PRIx64,
			    s->base, end, s->limit);
	// Source: runtime/mksizeclasses.go: ^uint32(0)/size + 1.
	if (go_has(l, F_mspan_divMul) && magic != UINT32_MAX / slot + 1)
		verify_note(v, s->at, "the span of 0x%" PRIx64 " divides by "
			    "0x%" PRIx64 ", its class by 0x%" PRIx64, s->base,
			    magic, UINT32_MAX / slot + 1);
}

// check_large checks a span of one object.
static void check_large(struct go_verify *v, const struct go_span *s,
			const uint8_t *view)
{
	uint64_t len = go_span_len(s), used = s->limit - s->base;

	if (s->nelems != 1)
		verify_note(v, s->at, "the span of 0x%" PRIx64 " is for one "
			    "large object and counts %" PRIu32, s->base,
			    s->nelems);
	if (s->user_arena ? s->elemsize > len : s->elemsize != len)
		verify_note(v, s->at, "the large object at 0x%" PRIx64
			    " has a slot of %" PRIu64 " bytes in %" PRIu64
			    " bytes of pages", s->base, s->elemsize, len);
	// What was asked for fills all pages but part of the last.
	if (!s->user_arena && (used > len || len - used >= GO_PAGE) &&
	    go_get(&v->process->layout, view, F_mspan_allocCount))
		verify_note(v, s->at, "the large object at 0x%" PRIx64
			    " is %" PRIu64 " bytes long in %" PRIu64
			    " bytes of pages", s->base, used, len);
}

// check_specials walks the span's list: in order, and of kinds that there are.
// Source: runtime/mheap.go, addspecial and _KindSpecial… (1.18–1.27).
static void check_specials(struct go_verify *v, const struct go_span *s)
{
	const struct go_process *p = v->process;
	struct go_chain chain = { 0 };
	taddr at = s->specials;
	uint64_t before = 0;

	while (go_chain_on(&chain, at)) {
		struct go_record r;
		if (go_record_view(p, at, S_special, &r, NULL))
			break;
		uint64_t off = go_rec(p, r, F_special_offset);
		uint64_t kind = go_rec(p, r, F_special_kind);
		uint64_t key = off << 8 | kind;
		if (off >= go_span_len(s) || kind == 0 || kind > 32 ||
		    key < before)
			break;
		before = key;
		at = go_rec(p, r, F_special_next);
	}
	if (at)
		verify_note(v, s->at, "the list of specials of the span of 0x%"
			    PRIx64 " is damaged at 0x%" PRIx64, s->base, at);
}

static void check_span(struct go_verify *v, const struct go_span *s)
{
	const struct go_layout *l = &v->process->layout;
	const uint8_t *view;

	if (s->state != GO_SPAN_HEAP || !verify_span(v, s, &view))
		return;
	if (s->sizeclass)
		check_small(v, s, view);
	else
		check_large(v, s, view);
	uint64_t free = go_get(l, view, F_mspan_freeindex);
	uint64_t seen = go_get(l, view, F_mspan_freeIndexForScan);
	uint64_t count = go_get(l, view, F_mspan_allocCount);
	if (free > s->nelems || count > s->nelems)
		verify_note(v, s->at, "the span of 0x%" PRIx64 " has %" PRIu32
			    " slots, but its next free one is %" PRIu64
			    " and its count %" PRIu64, s->base, s->nelems,
			    free, count);
	else if (seen > free)
		verify_note(v, s->at, "the span of 0x%" PRIx64 " shows the "
			    "collector %" PRIu64 " slots, but handed out %"
			    PRIu64, s->base, seen, free);
	check_specials(v, s);
}

// check_states looks at all spans, also those that the heap's list shows in no
// state at all.
static void check_states(struct go_verify *v)
{
	const struct go_process *p = v->process;
	struct go_slice all;

	if (go_slice_field(p, p->globals.at[G_mheap_], F_mheap_allspans, 8,
			   &all, NULL) ||
	    all.len > core_mapped_bytes(p->core, all.at, 8 * all.len) / 8)
		return; // said when the heap was opened
	for (uint64_t i = 0; i < all.len; i++) {
		taddr at;
		uint64_t state;
		if (core_u64(p->core, all.at + 8 * i, &at, NULL) ||
		    go_field(p, at, F_mspan_state, &state, NULL))
			return;
		if ((uint8_t)state > GO_SPAN_MANUAL)
			verify_note(v, at, "span %" PRIu64 " of the heap's "
				    "list is in state %u, which is none", i,
				    (uint8_t)state);
	}
}

void verify_fields(struct go_verify *v)
{
	check_states(v);
	for (size_t i = 0; i < v->process->spans->n; i++)
		check_span(v, &v->process->spans->at[i]);
}
