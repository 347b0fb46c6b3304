// start.c: see start.h.
#include "libheap/go/stacks/start.h"

#include "libheap/go/stacks/sigframe.h"

static bool on_stack(const struct go_g *g, taddr sp)
{
	return sp >= g->lo && sp < g->hi;
}

// running finds the registers with which a thread ran the goroutine: it runs
// now, or did so when a signal came. Otherwise the thread is on its g0 stack
// and g.sched says where it left.
static bool running(const struct go_process *process, const struct go_g *g,
		    struct go_start *ret)
{
	const struct go_thread *thread = go_thread_of_m(process, g->m);

	if (!thread || !thread->lwp || thread->curg != g->record.at)
		return false;
	ret->thread = thread;
	go_regs_of_lwp(process, thread->lwp, &ret->regs);
	if (!on_stack(g, ret->regs.sp) &&
	    go_signal_regs(process, thread, &ret->regs))
		ret->regs.sp = 0;
	if (on_stack(g, ret->regs.sp)) {
		ret->from = GO_FROM_REGS;
		ret->pc = ret->regs.pc;
		ret->sp = ret->regs.sp;
		ret->lr = ret->regs.lr;
		return true;
	}
	if (thread->vdso_sp == 0 || !on_stack(g, thread->vdso_sp))
		return false;
	ret->from = GO_FROM_VDSO;
	ret->pc = thread->vdso_pc;
	ret->sp = thread->vdso_sp;
	ret->lr = 0;
	return true;
}

enum hc go_start_of(const struct go_process *process, const struct go_g *g,
		    struct go_start *ret)
{
	struct go_start start = { 0 };
	taddr sp = go_rec(process, g->record, F_g_syscallsp);

	if (g->hi == 0)
		return HC_NONE;
	if (sp != 0) {
		start.from = GO_FROM_SYSCALL;
		start.sp = sp;
		start.pc = go_rec(process, g->record, F_g_syscallpc);
		start.thread = go_thread_of_m(process, g->m);
	} else if ((g->status != GO_RUNNING && g->status != GO_COPYSTACK) ||
		   !running(process, g, &start)) {
		start.from = GO_FROM_SCHED;
		start.sp = go_rec(process, g->record, F_g_sched_sp);
		start.pc = go_rec(process, g->record, F_g_sched_pc);
		start.lr = go_rec(process, g->record, F_g_sched_lr);
		start.thread = go_thread_of_m(process, g->m);
	}
	if (start.sp < g->lo || start.sp > g->hi)
		return HC_NONE;
	*ret = start;
	return HC_OK;
}

void go_walk_goroutine(const struct go_process *process, const struct go_g *g,
		       const struct go_start *start, struct go_unwind *ret)
{
	struct go_stack stack;

	go_stack_open(process, g->lo, g->hi, start->sp, false, &stack);
	go_unwind_begin(ret, process, &stack, start->pc, start->sp, start->lr,
			start->from == GO_FROM_REGS,
			start->from == GO_FROM_SYSCALL);
}

void go_walk_regs(const struct go_process *process,
		  const struct go_thread *thread, const struct go_regs *regs,
		  struct go_unwind *ret)
{
	struct go_stack stack;

	// Bounds are not needed here: what is not in the core ends the walk.
	go_stack_open(process, regs->sp, UINT64_MAX, regs->sp, true, &stack);
	go_unwind_begin(ret, process, &stack, regs->pc, regs->sp, regs->lr,
			true, false);
	ret->thread = thread;
}
