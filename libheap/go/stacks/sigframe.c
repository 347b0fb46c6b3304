// sigframe.c: see sigframe.h.
#include "libheap/go/stacks/sigframe.h"

#include "libheap/go/stacks/unwind.h"

#define MAX_NESTED 16 // signals within signals

static bool on_signal_stack(const struct go_thread *thread, taddr sp)
{
	return sp >= thread->signal_lo && sp < thread->signal_hi;
}

// by_frames walks the handler's frames to its trampoline, at whose start the
// stack pointer was at the kernel's frame.
static enum hc by_frames(const struct go_process *process,
			 const struct go_thread *thread, struct go_regs *io)
{
	struct go_stack stack;
	struct go_unwind u;
	struct hc_err why;

	go_stack_open(process, thread->signal_lo, thread->signal_hi, io->sp,
		      false, &stack);
	go_unwind_begin(&u, process, &stack, io->pc, io->sp, io->lr, true,
			false);
	while (go_unwind_next(&u)) {
		const char *name = u.frame.at->fn.name;

		if (strcmp(name, "runtime.sigtramp") == 0 ||
		    strcmp(name, "runtime.cgoSigtramp") == 0)
			return go_regs_of_frame(process, u.frame.fp, io, &why);
	}
	return HC_NONE;
}

// by_scan looks for the trampoline's return address, which the kernel put
// below its frame: for handlers in which C code was stopped.
static enum hc by_scan(const struct go_process *process,
		       const struct go_thread *thread, struct go_regs *io)
{
	struct go_stack stack;
	struct hc_err why;
	taddr at;

	if (process->threads->sigreturn == 0 ||
	    core_info(process->core)->arch != CORE_AMD64)
		return HC_NONE;
	go_stack_open(process, thread->signal_lo, thread->signal_hi, io->sp,
		      false, &stack);
	for (at = (io->sp + 7) & ~UINT64_C(7); at < thread->signal_hi;
	     at += 8) {
		struct go_regs regs;
		uint64_t word;

		if (go_stack_word(process, &stack, at, &word))
			return HC_NONE;
		if (word != process->threads->sigreturn ||
		    go_regs_of_frame(process, at + 8, &regs, &why))
			continue;
		*io = regs;
		return HC_OK;
	}
	return HC_NONE;
}

enum hc go_signal_regs(const struct go_process *process,
		       const struct go_thread *thread, struct go_regs *io)
{
	struct go_regs regs = *io;
	unsigned i;

	if (!on_signal_stack(thread, regs.sp))
		return HC_NONE;
	for (i = 0; i < MAX_NESTED && on_signal_stack(thread, regs.sp); i++)
		if (by_frames(process, thread, &regs) &&
		    by_scan(process, thread, &regs))
			return HC_NONE;
	if (on_signal_stack(thread, regs.sp))
		return HC_NONE;
	*io = regs;
	return HC_OK;
}
