// unwind.h: the physical frames of a stack of Go code, innermost first.
//
// The same rules as the runtime's own unwinder, with one difference: a stack
// that it would throw at ends here, and says why.
// Source: runtime/traceback.go: unwinder (1.21–1.27), gentraceback
//         (1.18–1.20).
#pragma once

#include "libheap/go/stacks/pcs.h"
#include "libheap/go/stacks/regs.h"
#include "libheap/go/stacks/threads.h"

// struct go_stack is a stack's memory.
// Shape: frames must lie in [lo, hi) unless loose (a stack of the system's,
//        whose bounds the runtime only estimates). bytes views the len bytes
//        at base, most of the stack or none of it.
struct go_stack {
	taddr lo, hi;
	bool loose;
	const uint8_t *bytes;
	taddr base;
	uint64_t len;
};

// go_stack_open finds the bytes of the stack [lo, hi), from sp on.
void go_stack_open(const struct go_process *process, taddr lo, taddr hi,
		   taddr sp, bool loose, struct go_stack *ret);

// go_stack_word reads the word at an address of the stack.
// Fails: UNSAVED.
HC_MUST enum hc go_stack_word(const struct go_process *process,
			      const struct go_stack *stack, taddr at,
			      uint64_t *ret);

// struct go_frame is one physical frame.
// Shape: [sp, fp) is the frame; locals end at varp, arguments begin at argp;
//        continpc is where it can go on, 0 for a frame that cannot (it
//        faulted and no defer may recover). trap says that pc is no return
//        address: the code was interrupted there.
// Owns:  at is valid until the next step.
struct go_frame {
	taddr pc, sp, fp, lr, varp, argp, continpc;
	struct go_pc *at;
	uint8_t callee; // FuncID of the frame it called, 0 when innermost
	bool has_callee;
	bool trap;
	bool innermost;
};

// enum go_unwind_end says why a stack ended.
enum go_unwind_end {
	GO_END_TOP,     // at its top, as it should
	GO_END_JUMP,    // at a function that changes stacks
	GO_END_FOREIGN, // at code that is not Go's
	GO_END_BROKEN,  // at something impossible
};

// struct go_unwind walks one stack.
// Shape: thread is set to follow switches from its g0 to its curg.
struct go_unwind {
	const struct go_process *process;
	const struct go_thread *thread;
	struct go_stack stack;
	struct go_frame frame;
	uint64_t n;       // frames so far
	unsigned n_still; // of the last of them, how many stood still
	bool started, jumped, lr_arch, syscall;
	uint8_t word, min_frame;
	enum go_unwind_end end;
	const char *why;  // when end is BROKEN
	taddr why_at;
};

// go_unwind_begin prepares a walk of stack from pc and sp on.
// trap: pc is where the code was interrupted; syscall: pc and sp are those
// that entersyscall kept.
void go_unwind_begin(struct go_unwind *u, const struct go_process *process,
		     const struct go_stack *stack, taddr pc, taddr sp,
		     taddr lr, bool trap, bool syscall);

// go_unwind_next goes to the next frame, at first to the innermost. It
// returns false at the end of the stack.
bool go_unwind_next(struct go_unwind *u);

// go_frame_look returns the pc by which the frame's lines are found.
taddr go_frame_look(const struct go_frame *frame);

// go_is_func says whether the FuncID is the one of that constant.
bool go_is_func(const struct go_process *process, uint8_t id,
		enum go_const c);
