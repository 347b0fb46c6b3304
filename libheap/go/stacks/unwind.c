// unwind.c: see unwind.h.
#include "libheap/go/stacks/unwind.h"

#include "libcore/base/limits.h"

#define MAX_STILL 4 // frames in a row that may not move the stack pointer

bool go_is_func(const struct go_process *process, uint8_t id, enum go_const c)
{
	return process->layout.has_constant[c] &&
	       process->layout.constant[c] == id;
}

void go_stack_open(const struct go_process *process, taddr lo, taddr hi,
		   taddr sp, bool loose, struct go_stack *ret)
{
	taddr from = sp >= lo && sp < hi ? sp : lo;
	struct core_window window;

	*ret = (struct go_stack){ .lo = lo, .hi = hi, .loose = loose };
	if (hi <= lo || core_window(process->core, from, &window))
		return;
	ret->base = from;
	ret->bytes = window.bytes + (from - window.base);
	ret->len = window.len - (from - window.base);
	if (ret->len > hi - from)
		ret->len = hi - from;
}

enum hc go_stack_word(const struct go_process *process,
		      const struct go_stack *stack, taddr at, uint64_t *ret)
{
	unsigned word = core_info(process->core)->word;
	struct hc_err why;

	if (at >= stack->base && stack->len >= word &&
	    at - stack->base <= stack->len - word) {
		*ret = go_word(stack->bytes + (at - stack->base), word);
		return HC_OK;
	}
	return core_ptr(process->core, at, ret, &why);
}

void go_unwind_begin(struct go_unwind *u, const struct go_process *process,
		     const struct go_stack *stack, taddr pc, taddr sp,
		     taddr lr, bool trap, bool syscall)
{
	enum core_arch arch = core_info(process->core)->arch;

	*u = (struct go_unwind){
		.process = process,
		.stack = *stack,
		.frame = { .pc = pc, .sp = sp, .lr = lr, .trap = trap,
			   .innermost = true },
		.lr_arch = arch == CORE_ARM64,
		.syscall = syscall,
		.word = (uint8_t)core_info(process->core)->word,
		.min_frame = arch == CORE_ARM64 ? 8 : 0,
	};
}

taddr go_frame_look(const struct go_frame *frame)
{
	// Source: runtime/traceback.go, symPC.
	if (!frame->trap && frame->pc > frame->at->fn.entry)
		return frame->pc - 1;
	return frame->pc;
}

static bool stop(struct go_unwind *u, enum go_unwind_end end)
{
	u->end = end;
	return false;
}

static bool broken(struct go_unwind *u, taddr at, const char *why)
{
	u->why = why;
	u->why_at = at;
	return stop(u, GO_END_BROKEN);
}

static bool in_stack(const struct go_unwind *u, taddr sp)
{
	return u->stack.loose || (sp >= u->stack.lo && sp <= u->stack.hi);
}

// jump follows the switch from a g0 stack to the goroutine that made it.
// Source: runtime/traceback.go, resolveInternal, unwindJumpStack.
static bool jump(struct go_unwind *u, bool *spwrite_is_fine)
{
	const struct go_process *process = u->process;
	struct go_frame *f = &u->frame;
	uint8_t id = f->at->fn.id;
	bool morestack = go_is_func(process, id, C_FuncID_morestack);
	struct go_record g;

	if (!u->thread || u->jumped || !u->thread->curg ||
	    (!morestack && !go_is_func(process, id, C_FuncID_systemstack)))
		return true;
	if (!morestack && u->lr_arch && f->at->sp_delta == 0) {
		*spwrite_is_fine = true;
		return true;
	}
	if (go_record_view(process, u->thread->curg, S_g, &g, NULL))
		return broken(u, u->thread->curg, "its goroutine is unreadable");
	f->sp = go_rec(process, g, F_g_sched_sp);
	go_stack_open(process, go_rec(process, g, F_g_stack_lo),
		      go_rec(process, g, F_g_stack_hi), f->sp, false,
		      &u->stack);
	u->jumped = true;
	if (morestack) {
		f->pc = go_rec(process, g, F_g_sched_pc);
		f->lr = go_rec(process, g, F_g_sched_lr);
		f->at = go_pc_at(process, f->pc);
		if (!f->at->fn.record)
			return broken(u, f->pc, "no Go function switched");
		return true;
	}
	*spwrite_is_fine = true;
	return true;
}

// return_address finds where the frame returns to: f->lr, 0 at the end.
static bool return_address(struct go_unwind *u, bool spwrite_is_fine)
{
	struct go_frame *f = &u->frame;
	uint8_t flag = f->at->fn.flag;

	if (flag & GO_FUNC_TOP) {
		f->lr = 0;
		u->end = GO_END_TOP;
		return true;
	}
	if (flag & GO_FUNC_SPWRITE && !spwrite_is_fine && !f->innermost) {
		f->lr = 0;
		u->end = GO_END_JUMP;
		return true;
	}
	u->end = GO_END_FOREIGN;
	if (u->lr_arch) {
		if ((f->innermost && f->sp < f->fp) || f->lr == 0)
			if (go_stack_word(u->process, &u->stack, f->sp,
					  &f->lr))
				return broken(u, f->sp, "its stack is not in "
							"the core");
	} else if (go_stack_word(u->process, &u->stack, f->fp - u->word,
				 &f->lr)) {
		return broken(u, f->fp, "its stack is not in the core");
	}
	return true;
}

// resolve fills in what follows from pc and sp. A frame that is there but
// leads nowhere is still given out; lr then is 0.
static bool resolve(struct go_unwind *u)
{
	const struct go_process *process = u->process;
	struct go_frame *f = &u->frame;
	bool fine = u->syscall && f->innermost;

	if (!in_stack(u, f->sp))
		return broken(u, f->sp, "its stack pointer leaves the stack");
	if (go_is_func(process, f->at->fn.id, C_FuncID_cgocallback))
		fine = true;
	if (!f->at->has_table) // foreign code with a name, like race support
		return stop(u, GO_END_FOREIGN);
	if (!jump(u, &fine))
		return false;
	if (f->at->sp_delta < 0)
		return broken(u, f->pc, "the frame's size is not known");
	f->fp = f->sp + (uint64_t)f->at->sp_delta +
		(u->lr_arch ? 0 : u->word);
	if (f->fp < f->sp || !in_stack(u, f->fp))
		return broken(u, f->fp, "the frame leaves the stack");
	f->varp = f->fp - (u->lr_arch ? 0 : u->word);
	if (f->varp > f->sp && u->word == 8) // frame pointers: not on 386
		f->varp -= u->word;
	f->argp = f->fp + u->min_frame;
	f->continpc = f->pc;
	if (f->has_callee &&
	    go_is_func(process, f->callee, C_FuncID_sigpanic))
		f->continpc = f->at->fn.deferreturn ?
			f->at->fn.entry + f->at->fn.deferreturn + 1 : 0;
	return return_address(u, fine);
}

static bool is_injected(const struct go_process *process, uint8_t id)
{
	return go_is_func(process, id, C_FuncID_sigpanic) ||
	       go_is_func(process, id, C_FuncID_asyncPreempt) ||
	       go_is_func(process, id, C_FuncID_debugCallV2);
}

// On arm64 the signal handler kept the link register on the stack before it
// made the call look as if the code had made it.
static bool take_injected(struct go_unwind *u)
{
	struct go_frame *f = &u->frame;
	uint64_t lr;

	if (go_stack_word(u->process, &u->stack, f->sp, &lr))
		return broken(u, f->sp, "its stack is not in the core");
	f->sp += 16;
	if (!f->at->fn.record) {
		f->pc = lr;
		f->at = go_pc_at(u->process, f->pc);
	} else if (f->at->sp_delta == 0) {
		f->lr = lr;
	}
	return true;
}

// A nil function was called, or nothing that we know: its caller may be.
static void skip_unknown(struct go_unwind *u)
{
	struct go_frame *f = &u->frame;
	uint64_t ret = f->lr;

	if (!u->lr_arch &&
	    go_stack_word(u->process, &u->stack, f->sp, &ret))
		return;
	if (!go_pc_at(u->process, ret)->fn.record)
		return;
	f->pc = ret;
	f->lr = 0;
	f->trap = false;
	if (!u->lr_arch)
		f->sp += u->word;
}

static bool first(struct go_unwind *u)
{
	struct go_frame *f = &u->frame;

	u->started = true;
	f->at = go_pc_at(u->process, f->pc);
	if (!f->at->fn.record) {
		skip_unknown(u);
		f->at = go_pc_at(u->process, f->pc);
	}
	if (!f->at->fn.record)
		return stop(u, GO_END_FOREIGN);
	return resolve(u);
}

bool go_unwind_next(struct go_unwind *u)
{
	struct go_frame *f = &u->frame;
	taddr sp = f->sp;
	bool injected;

	if (u->why || u->n == LIMIT_GO_FRAMES)
		return u->why ? false : broken(u, sp, "the stack has no end");
	u->n++;
	if (!u->started)
		return first(u);
	if (f->lr == 0)
		return false;
	f->innermost = false;
	f->callee = f->at->fn.id;
	f->has_callee = true;
	injected = is_injected(u->process, f->callee);
	// Up to 1.20 the traceback takes the pc below asyncPreempt for a return
	// address.
	f->trap = injected && (u->process->version.minor > 20 ||
			       go_is_func(u->process, f->callee,
					  C_FuncID_sigpanic));
	f->pc = f->lr;
	f->lr = 0;
	f->sp = f->fp;
	f->at = go_pc_at(u->process, f->pc);
	if (injected && u->lr_arch && !take_injected(u))
		return false;
	if (!f->at->fn.record)
		return u->stack.loose ? stop(u, GO_END_FOREIGN) :
			broken(u, f->pc, "it returns to no Go function");
	u->n_still = f->sp > sp ? 0 : u->n_still + 1;
	if (u->n_still > MAX_STILL)
		return broken(u, f->sp, "the stack pointer stands still");
	return resolve(u);
}
