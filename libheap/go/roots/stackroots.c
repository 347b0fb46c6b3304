// stackroots.c: see stackroots.h.
#include "libheap/go/roots/stackroots.h"

#include "libheap/go/roots/defers.h"

#define SLACK 65536 // words of budget beside the stack's own

// The frame's words without a map: those of asyncPreempt, of what it
// interrupted, and of code that no table describes.
static void scan_unsure(struct scan *s, const struct go_unwind *u,
			const struct go_frame_maps *maps, bool injected)
{
	const struct go_frame *f = &u->frame;
	struct scan_what what = { HEAP_ROOT_CONSERVATIVE, GO_IN_WORDS,
				  (uint32_t)(u->n - 1), 0, true };
	int32_t args = f->at->fn.args;
	uint64_t n = f->varp > f->sp ? (f->varp - f->sp) / s->word : 0;

	if (n > 0 && u->lr_arch && injected)
		n += 16 / s->word; // the link register that was pushed
	scan_words(s, f->sp, n, NULL, what);
	if (f->at->is_reflect)
		n = maps->maps.args.n;
	else
		n = args > 0 ? (uint64_t)args / s->word : 0;
	scan_words(s, f->argp, n, NULL, what);
}

static bool is_injected(const struct go_process *process, uint8_t id)
{
	return go_is_func(process, id, C_FuncID_asyncPreempt) ||
	       go_is_func(process, id, C_FuncID_debugCallV2);
}

// scan_frame takes one frame and says whether its caller's words are unsure,
// because this one is not where a call was made.
static bool scan_frame(struct scan *s, const struct go_unwind *u, bool unsure)
{
	const struct go_process *process = s->process;
	const struct go_frame *f = &u->frame;
	uint32_t number = (uint32_t)(u->n - 1);
	struct scan_what what = { HEAP_ROOT_FRAME, GO_IN_LOCALS, number, 0,
				  false };
	bool injected = is_injected(process, f->at->fn.id);
	struct go_frame_maps maps;

	if (f->continpc == 0 && !unsure && !injected)
		return false; // dead: it faulted, and nothing goes on there
	go_maps_of(process, u, &maps);
	if (unsure || injected) {
		scan_unsure(s, u, &maps, injected ||
			    go_is_func(process, f->at->fn.id,
				       C_FuncID_sigpanic));
		return injected;
	}
	if (maps.bad)
		scan_bad(s, f->pc, "a frame's pointer maps are damaged");
	if (maps.bad || maps.locals_missing || maps.args_missing) {
		scan_unsure(s, u, &maps, false);
		return false;
	}
	scan_words(s, f->varp - (uint64_t)maps.maps.locals.n * s->word,
		   maps.maps.locals.n, maps.maps.locals.bits, what);
	what.place = GO_IN_ARGS;
	scan_words(s, f->argp, maps.maps.args.n, maps.maps.args.bits, what);
	if (!go_stackobjs_take(process, u, &maps, number, s->pool, &s->objects,
			     &s->full))
		scan_bad(s, f->pc, "a frame's variables are out of order");
	return false;
}

static void scan_regs(struct scan *s, const struct go_regs *regs)
{
	struct scan_what what = { HEAP_ROOT_REGISTER, GO_IN_REG, 0, 0, true };

	for (what.number = 0; what.number < regs->n; what.number++)
		scan_value(s, 0, regs->r[what.number], what);
}

// Vector registers of a goroutine that was preempted between two calls.
// Source: runtime/preempt_xreg.go, xRegScan (1.26–1.27).
static void scan_xregs(struct scan *s)
{
	const struct go_process *process = s->process;
	struct scan_what what = { HEAP_ROOT_REGISTER, GO_IN_XREG, 0, 0, true };
	taddr at = go_rec(process, s->g->record, F_g_xRegs);

	if (at != 0 && go_rec(process, s->g->record, F_g_asyncSafePoint))
		scan_words(s, at, process->layout.size[S_xRegs] / s->word,
			   NULL, what);
}

// scan_blind takes every word from the stack pointer up: without functions no
// frame is known (a finding says so once).
static void scan_blind(struct scan *s, const struct go_start *start)
{
	struct scan_what what = { HEAP_ROOT_CONSERVATIVE, GO_IN_WORDS, 0, 0,
				  true };
	taddr from = start->sp & ~(taddr)(s->word - 1);

	scan_words(s, from, (s->g->hi - from) / s->word, NULL, what);
}

static void scan_frames(struct scan *s, const struct go_start *start)
{
	bool unsure = start->from == GO_FROM_REGS;
	struct go_unwind u;

	if (s->process->modules[0].n_funcs == 0) {
		scan_blind(s, start);
		return;
	}
	go_walk_goroutine(s->process, s->g, start, &u);
	while (go_unwind_next(&u) && !s->full && s->budget)
		unsure = scan_frame(s, &u, unsure);
	if (u.end == GO_END_BROKEN)
		scan_bad(s, u.why_at, u.why);
	else if (u.end != GO_END_TOP && start->from == GO_FROM_SCHED &&
		 s->g->status != GO_RUNNING)
		scan_bad(s, u.frame.pc, "it does not end where it began");
}

static void tell(const struct scan *s, const char *why, taddr at)
{
	if (!go_g_told(s->process, s->g->index))
		findings_add(s->process->findings, "bad stack", at,
			     "goroutine %" PRIu64 ": %s", s->g->id, why);
}

static void scan_stack(struct scan *s, const struct go_start *start)
{
	const struct go_layout *l = &s->process->layout;
	struct scan_what context = { HEAP_ROOT_FRAME, GO_IN_CONTEXT, 0, 0,
				     false };
	struct scan_what copy = { HEAP_ROOT_CONSERVATIVE, GO_IN_COPY, 0, 0,
				  true };

	go_stack_open(s->process, s->g->lo, s->g->hi, start->sp, false,
		      &s->stack);
	scan_defers(s); // first: their words lie in frames too
	scan_frames(s, start);
	scan_value(s, s->g->record.at + go_off(l, F_g_sched_ctxt),
		   go_rec(s->process, s->g->record, F_g_sched_ctxt), context);
	if (start->from == GO_FROM_REGS)
		scan_regs(s, &start->regs);
	scan_xregs(s);
	if (s->g->status == GO_COPYSTACK)
		scan_words(s, start->sp & ~UINT64_C(7),
			   (s->g->hi - start->sp) / s->word, NULL, copy);
	scan_objects(s);
}

void go_stack_roots(const struct go_process *process, const struct go_g *g,
		    heap_root_fn *fn, void *ctx)
{
	struct pool *pool = &process->threads->scratch;
	char *mark = pool_mark(pool);
	struct go_start start;
	struct scan s = {
		.process = process,
		.g = g,
		.pool = pool,
		.fn = fn,
		.ctx = ctx,
		.word = core_info(process->core)->word,
	};

	if (go_start_of(process, g, &start)) {
		if (process->modules[0].n_funcs) {
			tell(&s, "its stack pointer is not in its stack",
			     g->lo);
			return;
		}
		start = (struct go_start){ .sp = g->lo,
					   .from = GO_FROM_SCHED };
	}
	s.budget = (g->hi - start.sp) / s.word * 4 + SLACK;
	scan_stack(&s, &start);
	if (s.full)
		tell(&s, "its variables pass the memory limit", g->lo);
	else if (s.bad)
		tell(&s, s.bad, s.bad_at);
	pool_rewind(pool, mark);
}
