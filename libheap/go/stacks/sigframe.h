// sigframe.h: what a thread did when a signal came.
//
// A handler runs on the stack of m.gsignal; the kernel put the registers of
// the interrupted code there. A thread that crashes inside its handler has
// several such frames.
#pragma once

#include "libheap/go/stacks/regs.h"
#include "libheap/go/stacks/threads.h"

// go_signal_regs goes from registers on the thread's signal stack to those of
// the code that the first signal interrupted, which is on another stack.
// Fails: NONE when regs are not on the signal stack, or no signal frame is
//        found there; *io then stays.
// Source: runtime/sys_linux_amd64.s and _arm64.s, sigtramp (1.18–1.27).
HC_MUST enum hc go_signal_regs(const struct go_process *process,
			       const struct go_thread *thread,
			       struct go_regs *io);
