// zoo_sweep.c: what a span awaiting its sweep says of what is reachable.
//
// Such a span's mark bits are what the last collection kept. They are read here
// from the process by themselves, beside the reader's own bitmaps.
#include "libheap/go/heap/spans.h"
#include "libheap/go/tests/zoo.h"

// awaits_sweep says whether no sweep has come to the span since the marking
// that ended last. Source: runtime/mheap.go, mspan.sweepgen (1.18–1.27).
static bool awaits_sweep(const struct zoo *z, const struct go_span *s)
{
	const struct go_process *p = z->process;
	uint64_t of_span, of_heap, phase = 0;
	int32_t d;

	ck_assert(!go_field(p, s->at, F_mspan_sweepgen, &of_span, NULL));
	ck_assert(!go_field(p, p->globals.at[G_mheap_], F_mheap_sweepgen,
			    &of_heap, NULL));
	if (p->globals.at[G_gcphase])
		ck_assert(!core_u64(z->core, p->globals.at[G_gcphase], &phase,
				    NULL));
	d = (int32_t)(uint32_t)(of_span - of_heap);
	return (uint32_t)phase == 0 && (d == -2 || d == 1);
}

// is_marked reads the slot's mark bit, and with Green Tea the one in the span.
// Source: runtime/mgcmark_greenteagc.go, spanInlineMarkBits (1.25–1.27).
static bool is_marked(const struct zoo *z, const struct go_span *s, uint32_t k)
{
	taddr in = s->base + go_span_len(s) - 64;
	uint64_t bits;
	uint8_t byte, inside = 0;

	ck_assert(!go_field(z->process, s->at, F_mspan_gcmarkBits, &bits,
			    NULL));
	ck_assert(!core_u8(z->core, bits + k / 8, &byte, NULL));
	if (s->inline_marks)
		ck_assert(!core_u8(z->core, in + k / 8, &inside, NULL));
	return (byte | inside) >> (k % 8) & 1;
}

static void every_reachable_object_awaiting_sweep_is_marked(struct zoo *z)
{
	size_t n, i;
	const struct heap_region *r = heap_regions(z->heap, &n);
	unsigned awaiting = 0;
	uint32_t k;

	for (i = 0; i < n; i++) {
		const struct go_span *s = &z->process->spans->at[r[i].tag];

		if (!awaits_sweep(z, s))
			continue;
		awaiting++;
		for (k = 0; k < r[i].n_slots; k++)
			zoo_require(z, !heap_bit(heap_live(z->heap), &r[i], k) ||
					       is_marked(z, s, k),
				    "0x%" PRIx64, r[i].base + k * r[i].slot);
	}
	if (zoo_is(z->i, "gc-sweep"))
		zoo_require(z, awaiting > 8, "%u spans", awaiting);
}

const struct zoo_claim zoo_sweep[] = {
	ZOO_CLAIM(every_reachable_object_awaiting_sweep_is_marked),
	{ NULL, NULL },
};
