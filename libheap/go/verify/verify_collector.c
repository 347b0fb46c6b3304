// verify_collector.c: where the collector stood, and whether the spans agree.
//
// A core taken while the collector marks or sweeps is no damage: its phase and
// the spans' sweep generations tell that moment. They contradict each other
// when no moment of a collection looks like that.
#include "libheap/go/verify/verify.h"

// Source: runtime/mgc.go, _GCoff, _GCmark, _GCmarktermination (1.18–1.27).
enum { GC_OFF = 0, GC_TERMINATION = 2 };

void verify_collector(struct go_verify *v)
{
	const struct go_process *p = v->process;
	const struct go_spans *spans = p->spans;
	taddr phase_at = p->globals.at[G_gcphase];
	uint64_t unswept = 0;
	const struct go_span *first = NULL;

	if (spans->gcphase > GC_TERMINATION)
		verify_note(v, phase_at, "the collector's phase is %" PRIu32
			    ", which is none", spans->gcphase);
	if (spans->sweepgen % 2)
		verify_note(v, p->globals.at[G_mheap_],
			    "the heap's sweep generation %" PRIu32
			    " is odd; it goes up by two", spans->sweepgen);
	for (size_t i = 0; i < spans->n; i++) {
		const struct go_span *s = &spans->at[i];
		const uint8_t *view;
		if (s->state != GO_SPAN_HEAP || !verify_span(v, s, &view))
			continue;
		int32_t d = verify_sweep(v, view);
		if (d != -2 && d != -1 && d != 0 && d != 1 && d != 3)
			verify_note(v, s->at,
				    "the span of 0x%" PRIx64 " has a sweep "
				    "generation %" PRId32 " away from the "
				    "heap's", s->base, d);
		if (d == -2 || d == -1 || d == 1) {
			first = first ? first : s;
			unswept++;
		}
	}
	// Marking starts only when all spans are swept.
	if (spans->gcphase != GC_OFF && spans->gcphase <= GC_TERMINATION &&
	    unswept)
		verify_note(v, first->at,
			    "the collector marks, but %" PRIu64 " spans are "
			    "not swept yet, that of 0x%" PRIx64 " first",
			    unswept, first->base);
}
