// regs.h: the registers of one moment of a thread.
#pragma once

#include "libheap/go/process.h"

#define GO_MAX_REGS 31

// struct go_regs holds them in the order of core_thread.regs, whether they
// come from a thread note or from a signal frame.
// Shape: r holds the first n general registers; lr is 0 on amd64 and 386.
struct go_regs {
	taddr pc, sp, lr;
	uint64_t r[GO_MAX_REGS];
	unsigned n;
};

// go_regs_of_lwp sets *ret to the registers of a thread note.
void go_regs_of_lwp(const struct go_process *process,
		    const struct core_thread *lwp, struct go_regs *ret);

// go_reg_name returns the name of register i of struct go_regs ("rax").
const char *go_reg_name(enum core_arch arch, unsigned i);

// go_regs_of_frame reads the registers that the kernel put on a signal stack;
// cfa is the stack pointer at the call of the handler's trampoline.
// Fails: UNSAVED; UNSUPPORTED on 386.
// Source: Linux arch/x86/include/uapi/asm/sigcontext.h and
//         arch/arm64/kernel/signal.c, struct rt_sigframe (5.x–6.x).
HC_MUST enum hc go_regs_of_frame(const struct go_process *process, taddr cfa,
				 struct go_regs *ret, struct hc_err *err);
