// defers.c: see defers.h.
#include "libheap/go/defers.h"

#include "libcore/base/limits.h"

// A record lies on the heap or in a frame, and the list weaves between both.
// The word at `from` points at it.
static void scan_defer(struct scan *s, struct go_record d, taddr from,
		       uint32_t i)
{
	const struct go_layout *l = &s->process->layout;
	struct scan_what what = { HEAP_ROOT_DEFER, GO_IN_DEFER_FN, 0, i,
				  false };

	scan_value(s, d.at + go_off(l, F_defer_fn),
		   go_rec(s->process, d, F_defer_fn), what);
	what.place = GO_IN_DEFER_LINK;
	scan_value(s, d.at + go_off(l, F_defer_link),
		   go_rec(s->process, d, F_defer_link), what);
	what.place = GO_IN_DEFER;
	if (go_rec(s->process, d, F_defer_heap))
		scan_value(s, from, d.at, what);
}

static void find_panics(struct scan *s, taddr panic)
{
	while (panic != 0 && s->n_panics < SCAN_MAX_PANICS) {
		struct go_record p;

		s->panics[s->n_panics++] = panic;
		if (go_record_view(s->process, panic, S_panic, &p, NULL))
			return;
		panic = go_rec(s->process, p, F_panic_link);
	}
}

void scan_defers(struct scan *s)
{
	const struct go_process *process = s->process;
	struct scan_what what = { HEAP_ROOT_PANIC, GO_IN_PANIC, 0, 0, false };
	taddr d = go_rec(process, s->g->record, F_g_defer);
	taddr panic = go_rec(process, s->g->record, F_g_panic);
	taddr g = s->g->record.at;
	taddr from = g + go_off(&process->layout, F_g_defer);
	uint32_t i;

	for (i = 0; d != 0; i++) {
		struct go_record record;

		if (i > s->budget || i == UINT32_MAX) {
			scan_bad(s, d, "its list of defers does not end");
			break;
		}
		if (go_record_view(process, d, S_defer, &record, NULL)) {
			scan_bad(s, d, "a defer record is not in the core");
			break;
		}
		scan_defer(s, record, from, i);
		from = d + go_off(&process->layout, F_defer_link);
		d = go_rec(process, record, F_defer_link);
	}
	find_panics(s, panic);
	if (panic != 0)
		scan_value(s, g + go_off(&process->layout, F_g_panic), panic,
			   what);
}
