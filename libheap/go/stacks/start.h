// start.h: where a goroutine's stack starts.
#pragma once

#include "libheap/go/stacks/regs.h"
#include "libheap/go/stacks/unwind.h"

enum go_start_from {
	GO_FROM_SCHED,   // it was switched away from
	GO_FROM_SYSCALL, // it is in a system call or in C
	GO_FROM_VDSO,    // it asked the kernel's clock
	GO_FROM_REGS,    // it ran on a processor
};

// struct go_start is where the walk begins.
// Shape: regs is set for GO_FROM_REGS; thread is the one that ran it, or
//        NULL.
struct go_start {
	enum go_start_from from;
	taddr pc, sp, lr;
	struct go_regs regs;
	const struct go_thread *thread;
};

// go_start_of finds the start of a goroutine's stack.
// Fails: NONE when it has no stack, or its stack pointer is not in it.
HC_MUST enum hc go_start_of(const struct go_process *process,
			    const struct go_g *g, struct go_start *ret);

// go_walk_goroutine prepares the walk of a goroutine's stack from there.
void go_walk_goroutine(const struct go_process *process, const struct go_g *g,
		       const struct go_start *start, struct go_unwind *ret);

// go_walk_regs prepares the walk from where a thread was, on whatever stack,
// through a switch to its goroutine.
void go_walk_regs(const struct go_process *process,
		  const struct go_thread *thread, const struct go_regs *regs,
		  struct go_unwind *ret);
