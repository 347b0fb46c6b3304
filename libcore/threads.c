// threads.c: the registers of each thread, by architecture.
#include "libcore/process.h"

#include "libcore/base/limits.h"

// struct prstatus is where struct elf_prstatus of one architecture keeps what.
// Units: byte offsets; pc and sp are register numbers.
// Source: Linux include/linux/elfcore.h, struct elf_prstatus;
//         arch/{x86,arm64}/include/asm/elf.h, elf_gregset_t;
//         arch/x86/include/asm/user_32.h and user_64.h, user_regs_struct.
struct prstatus {
	unsigned cursig, pid, regs, n_regs, reg_len, pc, sp;
};

static const struct prstatus layouts[] = {
	[CORE_AMD64] = { 12, 32, 112, 27, 8, CORE_AMD64_RIP, CORE_AMD64_RSP },
	[CORE_ARM64] = { 12, 32, 112, 34, 8, CORE_ARM64_PC, CORE_ARM64_SP },
	[CORE_386] = { 12, 24, 72, 17, 4, 12, 15 },
};

enum { NOTE_PRSTATUS = 1, NOTE_386_TLS = 0x200, NOTE_ARM_TLS = 0x401 };
enum { REG_386_GS = 10 };

// regs_read copies the registers out of b, widened.
static enum hc regs_read(struct bytes b, const struct prstatus *l,
			 uint64_t *regs, struct hc_err *err)
{
	for (unsigned i = 0; i < l->n_regs; i++) {
		uint32_t low;
		if (l->reg_len == 8) {
			HC_TRY(bytes_u64(&b, &regs[i], err));
		} else {
			HC_TRY(bytes_u32(&b, &low, err));
			regs[i] = low;
		}
	}
	return HC_OK;
}

enum hc thread_add(struct core *core, struct core_thread **ret,
		   uint64_t **ret_regs, struct hc_err *err)
{
	unsigned n = layouts[core->info.arch].n_regs;
	if (core->threads.n >= LIMIT_THREADS)
		return hc_fail(err, HC_LIMIT, 0, "over %u threads",
			       LIMIT_THREADS);
	uint64_t *regs = pool_new(core->pool, uint64_t, n);
	struct core_thread *t =
		regs ? vec_push(core->pool, &core->threads) : NULL;
	if (!t)
		return hc_nomem(err);
	t->regs = regs;
	t->n_regs = n;
	*ret = t;
	*ret_regs = regs;
	return HC_OK;
}

static enum hc prstatus_read(struct core *core, struct bytes desc,
			     struct hc_err *err)
{
	const struct prstatus *l = &layouts[core->info.arch];
	struct bytes cursig, pid, gregs;
	struct core_thread *t;
	uint32_t tid;
	uint16_t signal;
	uint64_t *regs;
	HC_TRY(bytes_sub(desc, l->cursig, 2, &cursig, err));
	HC_TRY(bytes_sub(desc, l->pid, 4, &pid, err));
	HC_TRY(bytes_sub(desc, l->regs, l->n_regs * l->reg_len, &gregs, err));
	HC_TRY(bytes_u16(&cursig, &signal, err));
	HC_TRY(bytes_u32(&pid, &tid, err));
	HC_TRY(thread_add(core, &t, &regs, err));
	HC_TRY(regs_read(gregs, l, regs, err));
	t->tid = tid;
	t->signal = signal;
	t->pc = regs[l->pc];
	t->sp = regs[l->sp];
	if (core->info.arch == CORE_AMD64)
		t->tls = regs[CORE_AMD64_FS_BASE];
	return HC_OK;
}

// tls_386 finds the base of the segment that gs selects.
// Source: Linux arch/x86/kernel/tls.c regset_tls_get; arch/x86/include/uapi/
//         asm/ldt.h, struct user_desc: entry, base, limit, flags.
static taddr tls_386(struct bytes desc, uint64_t gs)
{
	for (uint64_t off = 0; desc.len - off >= 16; off += 16) {
		if (get_u32(desc.at + off) == gs >> 3)
			return get_u32(desc.at + off + 4);
	}
	return 0;
}

enum hc thread_note(struct core *core, const struct elf_note *note,
		    struct hc_err *err)
{
	uint64_t n = core->threads.n;
	struct core_thread *last = n ? &core->threads.at[n - 1] : NULL;
	if (note->type == NOTE_PRSTATUS && note_is_core(note))
		return prstatus_read(core, note->desc, err);
	if (!last || strcmp(note->name, "LINUX"))
		return HC_NONE;
	if (note->type == NOTE_ARM_TLS && core->info.arch == CORE_ARM64 &&
	    note->desc.len >= 8) {
		last->tls = get_u64(note->desc.at);
		return HC_OK;
	}
	if (note->type == NOTE_386_TLS && core->info.arch == CORE_386) {
		last->tls = tls_386(note->desc, last->regs[REG_386_GS]);
		return HC_OK;
	}
	return HC_NONE;
}
