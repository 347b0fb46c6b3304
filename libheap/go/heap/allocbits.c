// allocbits.c: see allocbits.h.
//
// A slot is allocated when it is below freeindex or its bit in allocBits is
// set. Whether a span was swept since the last mark is told by its sweepgen
// relative to the heap's, d:
//
//	-2  to be swept      mark bits tell which allocated slots are dead
//	-1  being swept      as -2, unless the bits were already exchanged
//	 0  swept            every allocated slot survived or is younger
//	+1  cached unswept   as -2
//	+3  swept, cached    as 0
#include "libheap/go/heap/allocbits.h"

// INLINE_MARKS is how far before the span's end the marks are: the last 128
// bytes are scans[63], owned, marks[63], class.
// Source: runtime/mgcmark_greenteagc.go, spanInlineMarkBits (1.25–1.27).
#define INLINE_MARKS 64u

// bits_word returns 64 bits from bit 64 * w on of a bitmap of n bytes.
static uint64_t bits_word(const uint8_t *bits, uint64_t n, uint64_t w)
{
	uint64_t word = 0, off = 8 * w;
	if (off < n)
		memcpy(&word, bits + off, n - off < 8 ? n - off : 8);
	return word;
}

// word_mask has a 1 for each of the slots that word w of the span covers.
static uint64_t word_mask(uint64_t nelems, uint64_t w)
{
	uint64_t left = nelems - 64 * w;
	return left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
}

// span_bits points *ret at the n_bytes of a bitmap of the span's, or sets it
// to NULL; at 0 means that there is none.
static bool span_bits(const struct go_process *process, taddr at,
		      uint64_t n_bytes, const uint8_t **ret)
{
	*ret = NULL;
	return !at ||
	       core_view(process->core, at, n_bytes, ret, NULL) == HC_OK;
}

// struct marks are the two places where mark bits may be.
struct marks {
	const uint8_t *out, *in; // gcmarkBits; inside the span
	uint64_t n_bytes;
};

static uint64_t marks_word(const struct marks *m, uint64_t w)
{
	uint64_t word = 0;
	if (m->out)
		word |= bits_word(m->out, m->n_bytes, w);
	if (m->in)
		word |= bits_word(m->in, m->n_bytes < 63 ? m->n_bytes : 63, w);
	return word;
}

// marks_find sets *ret to the span's mark bits when a sweep is pending.
// It returns false when the allocated bits are already what survived.
static bool marks_find(const struct go_process *process,
		       const struct go_span *s, const uint8_t *view,
		       struct marks *ret)
{
	const struct go_layout *l = &process->layout;
	const struct go_spans *spans = process->spans;
	uint32_t gen = (uint32_t)go_get(l, view, F_mspan_sweepgen);
	int32_t d = (int32_t)(gen - spans->sweepgen);
	if (spans->gcphase != 0 || (d != -2 && d != -1 && d != 1))
		return false;
	*ret = (struct marks){ .n_bytes = (s->nelems + UINT64_C(7)) / 8 };
	if (!span_bits(process, go_get(l, view, F_mspan_gcmarkBits),
		       ret->n_bytes, &ret->out))
		return false;
	if (s->inline_marks && s->mem)
		ret->in = s->mem + go_span_len(s) - INLINE_MARKS;
	uint64_t any = go_get(l, view, F_mspan_freeindex);
	for (uint64_t w = 0; w * 64 < s->nelems; w++)
		any |= marks_word(ret, w);
	return d != -1 || any != 0;
}

void go_allocbits_read(struct go_process *process, const struct go_span *s,
		       uint64_t *alloc, uint64_t *dead)
{
	const struct go_layout *l = &process->layout;
	const uint8_t *view, *bits;
	uint64_t n_bytes = (s->nelems + UINT64_C(7)) / 8;
	struct marks marks;

	if (core_view(process->core, s->at, l->size[S_mspan], &view, NULL))
		return;
	if (!span_bits(process, go_get(l, view, F_mspan_allocBits), n_bytes,
		       &bits))
		findings_add(process->findings, "bad span", s->at,
			     "the allocation bits of the span of 0x%" PRIx64
			     " are not in the core",
			     s->base);
	uint64_t freeindex = go_get(l, view, F_mspan_freeindex);
	bool pending = marks_find(process, s, view, &marks);
	for (uint64_t w = 0; w * 64 < s->nelems; w++) {
		uint64_t word = bits ? bits_word(bits, n_bytes, w) : 0;
		if (freeindex >= 64 * (w + 1))
			word = ~UINT64_C(0);
		else if (freeindex > 64 * w)
			word |= (UINT64_C(1) << (freeindex - 64 * w)) - 1;
		alloc[w] = word & word_mask(s->nelems, w);
		if (pending)
			dead[w] = alloc[w] & ~marks_word(&marks, w);
	}
}
