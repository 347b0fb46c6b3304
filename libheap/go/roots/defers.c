// defers.c: see defers.h.
#include "libheap/go/roots/defers.h"

#include "libheap/go/heap/chain.h"

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

// A panic's record is live as long as the goroutine has it, so its value is a
// root whatever leads to the record.
static void scan_panic(struct scan *s, struct go_record p)
{
	struct scan_what what = { HEAP_ROOT_PANIC, GO_IN_PANIC, 0, 0, false };
	uint64_t off = go_off(&s->process->layout, F_panic_arg) + s->word;

	if (off <= p.len - s->word)
		scan_value(s, p.at + off, go_word(p.bytes + off, s->word),
			   what);
}

static void scan_panics(struct scan *s)
{
	struct scan_what what = { HEAP_ROOT_PANIC, GO_IN_PANIC, 0, 0, false };
	taddr at = go_rec(s->process, s->g->record, F_g_panic);

	scan_value(s, s->g->record.at + go_off(&s->process->layout, F_g_panic),
		   at, what);
	while (at != 0 && s->n_panics < SCAN_MAX_PANICS) {
		struct go_record p;

		s->panics[s->n_panics++] = at;
		if (go_record_view(s->process, at, S_panic, &p, NULL))
			return;
		scan_panic(s, p);
		at = go_rec(s->process, p, F_panic_link);
	}
}

void scan_defers(struct scan *s)
{
	const struct go_process *process = s->process;
	struct go_chain chain = { 0 };
	taddr d = go_rec(process, s->g->record, F_g_defer);
	taddr from = s->g->record.at + go_off(&process->layout, F_g_defer);
	uint32_t i;

	for (i = 0; go_chain_on(&chain, d) && i < UINT32_MAX; i++) {
		struct go_record record;

		if (go_record_view(process, d, S_defer, &record, NULL))
			break;
		scan_defer(s, record, from, i);
		from = d + go_off(&process->layout, F_defer_link);
		d = go_rec(process, record, F_defer_link);
	}
	if (d != 0)
		scan_bad(s, d, "its list of deferred calls is damaged");
	scan_panics(s);
}
