// delve.c: the notes that delve's `dump` writes in place of the kernel's.
//
// On Linux it writes the kernel's notes too, without a name; for other ways of
// debugging, and on demand, each thread is one note of its own.
// Source: delve 1.27.2 pkg/proc/dump.go, dumpThreadNotes and the header;
//         pkg/elfwriter/delve_core_notes.go; pkg/proc/linutil/regs_*_arch.go.
#include "libcore/process.h"

#include <strings.h>

enum { NOTE_HEADER = 0x444c5645, NOTE_THREAD = 0x444c5654 };

// The names of the registers in the order of the kernel's user_regs_struct.
static const char *const names_amd64[] = {
	"r15", "r14",	  "r13", "r12", "rbp",	  "rbx", "r11",
	"r10", "r9",	  "r8",	 "rax", "rcx",	  "rdx", "rsi",
	"rdi", "orig_rax", "rip", "cs",	 "rflags", "rsp", "ss",
	"fs_base", "gs_base",
};
static const char *const names_arm64[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",
	"x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
	"x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
	"x27", "x28", "x29", "x30", "sp",  "pc",  "pstate",
};
static const char *const names_386[] = {
	"ebx", "ecx", "edx", "esi",	 "edi", "ebp",	  "eax", "ds",	"es",
	"fs",  "gs",  "orig_eax", "eip", "cs",	"eflags", "esp", "ss",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
static const struct {
	const char *const *names;
	size_t n;
} registers[] = {
	[CORE_AMD64] = { names_amd64, COUNT(names_amd64) },
	[CORE_ARM64] = { names_arm64, COUNT(names_arm64) },
	[CORE_386] = { names_386, COUNT(names_386) },
};

// register_set puts a value where the register of this name belongs.
static void register_set(enum core_arch arch, struct bytes name,
			 struct bytes value, uint64_t *regs)
{
	for (size_t i = 0; i < registers[arch].n; i++) {
		const char *want = registers[arch].names[i];
		if (strlen(want) == name.len && value.len == 8 &&
		    !strncasecmp(want, (const char *)name.at, name.len))
			regs[i] = get_u64(value.at);
	}
}

// registers_read reads the list of names and values.
static enum hc registers_read(enum core_arch arch, struct bytes b,
			      uint64_t *regs, struct hc_err *err)
{
	uint32_t n;
	HC_TRY(bytes_u32(&b, &n, err));
	for (uint32_t i = 0; i < n; i++) {
		uint16_t name_len, value_len;
		struct bytes name, value;
		HC_TRY(bytes_u16(&b, &name_len, err));
		HC_TRY(bytes_take(&b, name_len, &name, err));
		HC_TRY(bytes_u16(&b, &value_len, err));
		HC_TRY(bytes_take(&b, value_len, &value, err));
		register_set(arch, name, value, regs);
	}
	return HC_OK;
}

static enum hc thread_read(struct core *core, struct bytes b,
			   struct hc_err *err)
{
	uint64_t tid, pc, sp, bp, tls, g, *regs;
	uint8_t has_g;
	struct core_thread *t;
	HC_TRY(bytes_u64(&b, &tid, err));
	HC_TRY(bytes_u64(&b, &pc, err));
	HC_TRY(bytes_u64(&b, &sp, err));
	HC_TRY(bytes_u64(&b, &bp, err));
	HC_TRY(bytes_u64(&b, &tls, err));
	HC_TRY(bytes_u8(&b, &has_g, err));
	HC_TRY(bytes_u64(&b, &g, err));
	HC_TRY(thread_add(core, &t, &regs, err));
	t->tid = (uint32_t)tid;
	t->pc = pc;
	t->sp = sp;
	t->tls = tls;
	return registers_read(core->info.arch, b, regs, err);
}

// number_after reads the number behind key in the header's text.
static uint64_t number_after(struct bytes text, const char *key)
{
	uint64_t v = 0;
	const uint8_t *at = memmem(text.at, text.len, key, strlen(key));
	if (!at)
		return 0;
	at += strlen(key);
	const uint8_t *end = text.at + text.len;
	unsigned base = 10;
	if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
		base = 16;
		at += 2;
	}
	for (; at < end; at++) {
		unsigned digit = *at >= 'a' ? *at - 'a' + 10u : *at - '0' + 0u;
		if (digit >= base)
			break;
		v = v * base + digit;
	}
	return v;
}

static enum hc header_read(struct core *core, struct bytes text,
			   struct hc_err *err)
{
	uint64_t entry;
	if (!core->info.pid)
		core->info.pid = (uint32_t)number_after(text, "Target Pid: ");
	if (core_auxv(core, CORE_AT_ENTRY, &entry) == HC_OK)
		return HC_OK;
	struct auxv_entry *one = vec_push(core->pool, &core->auxv);
	if (!one)
		return hc_nomem(err);
	*one = (struct auxv_entry){ CORE_AT_ENTRY,
				    number_after(text, "Entry Point: ") };
	return HC_OK;
}

enum hc delve_note(struct core *core, const struct elf_note *note,
		   struct hc_err *err)
{
	if (note->type == NOTE_HEADER && !strcmp(note->name, "Delve Header"))
		return header_read(core, note->desc, err);
	if (note->type == NOTE_THREAD && !strcmp(note->name, "Delve Thread"))
		return thread_read(core, note->desc, err);
	return HC_NONE;
}
