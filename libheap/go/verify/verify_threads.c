// verify_threads.c: goroutines, the runtime's threads, and whose stack is
// whose.
//
// A goroutine that is being parked, started or freed is in two states for a
// moment; each rule here holds through those moments.
// Source: runtime/proc.go, runtime/stack.go (1.18–1.27).
#include "libheap/go/verify/verify.h"

#include "libheap/go/heap/chain.h"
#include "libheap/go/stacks/threads.h"

#include <stdlib.h>

#define STACK_MIN 2048u // runtime/stack.go: stackMin, _FixedStack on Linux

// struct stack is one goroutine's, for the check that none share.
struct stack {
	taddr lo, hi, g;
};
struct stacks {
	VEC(struct stack);
};

static bool is_status(uint32_t status)
{
	return status <= GO_WAITING || status == GO_DEAD ||
	       (status >= GO_COPYSTACK && status <= GO_DEADEXTRA);
}

// check_bounds checks where a goroutine's stack is, and that it is within.
static void check_bounds(struct go_verify *v, const struct go_g *g)
{
	const struct go_process *p = v->process;
	uint64_t len = g->hi - g->lo;
	const struct go_span *s = go_span_of(p, g->lo);
	uint64_t sp = go_rec(p, g->record, F_g_sched_sp);
	uint64_t call = go_rec(p, g->record, F_g_syscallsp);

	if (g->lo >= g->hi || len < STACK_MIN || (len & (len - 1))) {
		verify_note(v, g->record.at, "goroutine %" PRIu64
			    " has an impossible stack: 0x%" PRIx64 " to 0x%"
			    PRIx64, g->id, g->lo, g->hi);
		return;
	}
	if (!s || s->state != GO_SPAN_MANUAL ||
	    g->hi - s->base > go_span_len(s))
		verify_note(v, g->record.at, "the stack of goroutine %" PRIu64
			    ", 0x%" PRIx64 " to 0x%" PRIx64 ", is in no span "
			    "for stacks", g->id, g->lo, g->hi);
	// The scheduler's copy of sp is stale while the goroutine runs.
	if (g->status != GO_RUNNING && g->status != GO_COPYSTACK &&
	    (sp < g->lo || sp > g->hi))
		verify_note(v, g->record.at, "goroutine %" PRIu64 " stopped "
			    "with its stack at 0x%" PRIx64 ", which is outside "
			    "0x%" PRIx64 " to 0x%" PRIx64, g->id, sp, g->lo,
			    g->hi);
	if (call && (call < g->lo || call > g->hi))
		verify_note(v, g->record.at, "goroutine %" PRIu64 " is in a "
			    "system call with its stack at 0x%" PRIx64
			    ", which is outside 0x%" PRIx64 " to 0x%" PRIx64,
			    g->id, call, g->lo, g->hi);
}

// check_link checks the thread that a goroutine says it is on.
static void check_link(struct go_verify *v, const struct go_g *g)
{
	const struct go_thread *t = go_thread_of_m(v->process, g->m);
	if (g->m && !t) {
		verify_note(v, g->record.at, "goroutine %" PRIu64 " is on a "
			    "thread (0x%" PRIx64 ") that the runtime does not "
			    "have", g->id, g->m);
		return;
	}
	if (g->status == GO_RUNNING && !t)
		verify_note(v, g->record.at, "goroutine %" PRIu64
			    " runs on no thread", g->id);
	else if (t && t->curg != g->record.at &&
		 (g->status == GO_RUNNING || g->status == GO_SYSCALL))
		verify_note(v, g->record.at, "goroutine %" PRIu64 " is on "
			    "thread 0x%" PRIx64 ", which runs 0x%" PRIx64,
			    g->id, g->m, t->curg);
}

// check_goroutine checks one and remembers its stack. It returns false when
// memory is short.
static bool check_goroutine(struct go_verify *v, struct pool *pool, uint32_t i,
			    struct stacks *stacks)
{
	const struct go_process *p = v->process;
	uint64_t status;
	struct go_g g;

	if (go_field(p, go_g_at(p, i), F_g_atomicstatus, &status, NULL)) {
		verify_note(v, go_g_at(p, i), "the record of goroutine number "
			    "%" PRIu32 " of the list is nowhere", i);
		return true;
	}
	if (!is_status((uint32_t)status & ~GO_SCAN_BIT)) {
		verify_note(v, go_g_at(p, i), "goroutine number %" PRIu32
			    " of the list is in state 0x%" PRIx64
			    ", which is none", i, status);
		return true;
	}
	if (go_g_open(p, i, &g, NULL))
		return true;
	check_bounds(v, &g);
	check_link(v, &g);
	struct stack *one = vec_push(pool, stacks);
	if (one)
		*one = (struct stack){ g.lo, g.hi, g.record.at };
	return one != NULL;
}

static int by_address(const void *x, const void *y)
{
	const struct stack *a = x, *b = y;
	return (a->lo > b->lo) - (a->lo < b->lo);
}

static void check_shared(struct go_verify *v, struct stacks *stacks)
{
	if (stacks->n)
		qsort(stacks->at, stacks->n, sizeof(*stacks->at), by_address);
	for (uint64_t i = 1; i < stacks->n; i++)
		if (stacks->at[i].lo < stacks->at[i - 1].hi)
			verify_note(v, stacks->at[i].g, "two goroutines have "
				    "one stack: 0x%" PRIx64 " and 0x%" PRIx64,
				    stacks->at[i - 1].g, stacks->at[i].g);
}

// check_thread checks one of the runtime's threads and what belongs to it.
static void check_thread(struct go_verify *v, const struct go_thread *t)
{
	const struct go_process *p = v->process;
	const taddr own[] = { t->g0, t->gsignal, t->curg };
	static const char *const names[] = { "scheduler", "signal",
					     "current" };
	for (unsigned i = 0; i < 3; i++) {
		uint64_t m;
		if (!own[i])
			continue;
		if (go_field(p, own[i], F_g_m, &m, NULL) || m != t->m)
			verify_note(v, t->m, "the %s goroutine of thread 0x%"
				    PRIx64 " (0x%" PRIx64 ") is not on it",
				    names[i], t->m, own[i]);
	}
	if (t->g0 && t->g0_lo == 0 && t->g0_hi == 0 && t->lwp)
		verify_note(v, t->m, "thread 0x%" PRIx64
			    " has a scheduler stack that ends before it starts",
			    t->m);
}

void verify_threads(struct go_verify *v)
{
	struct go_process *p = v->process;
	struct pool *pool = &p->threads->scratch;
	char *mark = pool_mark(pool);
	struct stacks stacks = { 0 };

	for (uint32_t i = 0; i < p->threads->n_gs; i++)
		if (!check_goroutine(v, pool, i, &stacks))
			break;
	check_shared(v, &stacks);
	for (uint32_t i = 0; i < p->threads->n; i++)
		check_thread(v, &p->threads->at[i]);
	pool_rewind(pool, mark);
}
