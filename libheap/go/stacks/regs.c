// regs.c: see regs.h.
#include "libheap/go/stacks/regs.h"

enum { N_386 = 7, N_AMD64 = 15 };

// In the order of user_regs_struct.
static const char *const amd64_names[N_AMD64] = {
	"r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10",
	"r9",  "r8",  "rax", "rcx", "rdx", "rsi", "rdi",
};
static const char *const i386_names[N_386] = { "ebx", "ecx", "edx", "esi",
					       "edi", "ebp", "eax" };
static const char *const arm64_names[GO_MAX_REGS] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",
	"x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
	"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "x30",
};

const char *go_reg_name(enum core_arch arch, unsigned i)
{
	if (arch == CORE_ARM64 && i < GO_MAX_REGS)
		return arm64_names[i];
	if (arch == CORE_AMD64 && i < N_AMD64)
		return amd64_names[i];
	if (arch == CORE_386 && i < N_386)
		return i386_names[i];
	return "register";
}

void go_regs_of_lwp(const struct go_process *process,
		    const struct core_thread *lwp, struct go_regs *ret)
{
	enum core_arch arch = core_info(process->core)->arch;
	unsigned i;

	*ret = (struct go_regs){ .pc = lwp->pc, .sp = lwp->sp };
	ret->n = arch == CORE_ARM64 ? GO_MAX_REGS :
		 arch == CORE_AMD64 ? N_AMD64 : N_386;
	if (ret->n > lwp->n_regs)
		ret->n = lwp->n_regs;
	for (i = 0; i < ret->n; i++)
		ret->r[i] = lwp->regs[i];
	if (arch == CORE_ARM64 && lwp->n_regs > CORE_ARM64_LR)
		ret->lr = lwp->regs[CORE_ARM64_LR];
}

// struct ucontext puts the registers at +40, in an order of its own.
static enum hc amd64_frame(const struct go_process *process, taddr cfa,
			   struct go_regs *ret, struct hc_err *err)
{
	// r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip
	static const uint8_t place[N_AMD64] = { 7, 6,  5, 4,  10, 11, 3, 2,
						1, 0, 13, 14, 12, 9,  8 };
	const uint8_t *g;
	unsigned i;

	HC_TRY(core_view(process->core, cfa + 40, UINT64_C(17) * 8, &g, err));
	*ret = (struct go_regs){ .sp = get_u64(g + 15 * 8),
				 .pc = get_u64(g + 16 * 8),
				 .n = N_AMD64 };
	for (i = 0; i < N_AMD64; i++)
		ret->r[i] = get_u64(g + place[i] * 8);
	return HC_OK;
}

// siginfo is 128 bytes, then ucontext, whose sigcontext at +176 begins with
// the fault address.
static enum hc arm64_frame(const struct go_process *process, taddr cfa,
			   struct go_regs *ret, struct hc_err *err)
{
	const uint8_t *x;
	unsigned i;

	HC_TRY(core_view(process->core, cfa + 128 + 176 + 8, UINT64_C(33) * 8,
			 &x, err));
	*ret = (struct go_regs){ .sp = get_u64(x + 31 * 8),
				 .pc = get_u64(x + 32 * 8),
				 .lr = get_u64(x + 30 * 8),
				 .n = GO_MAX_REGS };
	for (i = 0; i < GO_MAX_REGS; i++)
		ret->r[i] = get_u64(x + i * 8);
	return HC_OK;
}

enum hc go_regs_of_frame(const struct go_process *process, taddr cfa,
			 struct go_regs *ret, struct hc_err *err)
{
	switch (core_info(process->core)->arch) {
	case CORE_AMD64:
		return amd64_frame(process, cfa, ret, err);
	case CORE_ARM64:
		return arm64_frame(process, cfa, ret, err);
	default:
		return hc_fail(err, HC_UNSUPPORTED, cfa,
			       "signal frames of this architecture");
	}
}
