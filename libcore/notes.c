// notes.c: what the notes of a core say of the process as a whole.
#include "libcore/process.h"

#include "libcore/base/limits.h"

#include <stdlib.h>

// Source: Linux include/uapi/linux/elf.h.
enum { NOTE_PRPSINFO = 3, NOTE_AUXV = 6, NOTE_SIGINFO = 0x53494749,
       NOTE_FILE = 0x46494c45 };

// struct psinfo is where struct elf_prpsinfo keeps what; 386 has 16-bit uids.
// Source: Linux include/linux/elfcore.h; include/linux/elfcore-compat.h.
struct psinfo {
	unsigned pid, name, command;
};
enum { NAME_LEN = 16, COMMAND_LEN = 80 };

static const struct psinfo layouts[] = {
	[CORE_AMD64] = { 24, 40, 56 },
	[CORE_ARM64] = { 24, 40, 56 },
	[CORE_386] = { 12, 28, 44 },
};

// text_of copies a field that may or may not end with a NUL.
static const char *text_of(struct pool *pool, struct bytes b)
{
	return pool_copy(pool, b.at, strnlen((const char *)b.at, b.len));
}

static enum hc psinfo_read(struct core *core, struct bytes desc,
			   struct hc_err *err)
{
	const struct psinfo *l = &layouts[core->info.arch];
	struct bytes pid, name, command;
	HC_TRY(bytes_sub(desc, l->pid, 4, &pid, err));
	HC_TRY(bytes_sub(desc, l->name, NAME_LEN, &name, err));
	HC_TRY(bytes_sub(desc, l->command, COMMAND_LEN, &command, err));
	const char *name_text = text_of(core->pool, name);
	const char *command_text = text_of(core->pool, command);
	if (!name_text || !command_text)
		return hc_nomem(err);
	core->info.name = name_text;
	core->info.command = command_text;
	return bytes_u32(&pid, &core->info.pid, err);
}

// word_take takes one word of the process off *b.
static enum hc word_take(const struct core *core, struct bytes *b,
			 uint64_t *ret, struct hc_err *err)
{
	uint32_t low;
	if (core->info.word == 8)
		return bytes_u64(b, ret, err);
	HC_TRY(bytes_u32(b, &low, err));
	*ret = low;
	return HC_OK;
}

// siginfo_read reads the first siginfo: gdb writes one for each thread, that
// of the thread with the signal first.
// Source: Linux include/uapi/asm-generic/siginfo.h: signo, errno, code, then
//         at the alignment of a word si_addr, or si_pid when code <= 0.
static enum hc siginfo_read(struct core *core, struct bytes desc,
			    struct hc_err *err)
{
	struct core_info *info = &core->info;
	struct bytes b = desc, rest;
	uint32_t signo, no, code;
	if (info->has_siginfo)
		return HC_OK;
	HC_TRY(bytes_u32(&b, &signo, err));
	HC_TRY(bytes_u32(&b, &no, err));
	HC_TRY(bytes_u32(&b, &code, err));
	info->has_siginfo = true;
	info->signal = (int)signo;
	info->si_code = (int)code;
	unsigned off = info->word == 8 ? 16 : 12;
	HC_TRY(bytes_sub(desc, off, info->word, &rest, err));
	// SIGILL 4, SIGBUS 7, SIGFPE 8, SIGSEGV 11
	bool has_address = signo == 4 || signo == 7 || signo == 8 ||
			   signo == 11;
	if (info->si_code > 0 && has_address)
		return word_take(core, &rest, &info->fault_address, err);
	if (info->si_code <= 0)
		return bytes_u32(&rest, &info->sender_pid, err);
	return HC_OK;
}

static enum hc auxv_read(struct core *core, struct bytes desc,
			 struct hc_err *err)
{
	while (desc.len && core->auxv.n < LIMIT_AUXV) {
		struct auxv_entry e;
		HC_TRY(word_take(core, &desc, &e.type, err));
		HC_TRY(word_take(core, &desc, &e.value, err));
		if (e.type == 0) // AT_NULL
			break;
		struct auxv_entry *one = vec_push(core->pool, &core->auxv);
		if (!one)
			return hc_nomem(err);
		*one = e;
	}
	return HC_OK;
}

// mapping_take takes one entry and its path.
static enum hc mapping_take(struct core *core, struct bytes *entries,
			    struct bytes *names, uint64_t page,
			    struct hc_err *err)
{
	struct file_mapping m = { 0 };
	uint64_t pages;
	HC_TRY(word_take(core, entries, &m.start, err));
	HC_TRY(word_take(core, entries, &m.end, err));
	HC_TRY(word_take(core, entries, &pages, err));
	HC_TRY(bytes_cstr(names, &m.path, err));
	if (m.start >= m.end ||
	    __builtin_mul_overflow(pages, page, &m.off) ||
	    m.end - m.start > UINT64_MAX - m.off)
		return hc_fail(err, HC_CORRUPT, m.start,
			       "a file mapping without sense");
	struct file_mapping *one = vec_push(core->pool, &core->mappings);
	if (!one)
		return hc_nomem(err);
	*one = m;
	return HC_OK;
}

// files_read reads NT_FILE.
// Source: Linux fs/binfmt_elf.c, fill_files_note: count, page size, count
//         times (start, end, offset in pages), count NUL-terminated paths.
static enum hc files_read(struct core *core, struct bytes desc,
			  struct hc_err *err)
{
	uint64_t n, page, word = core->info.word;
	struct bytes entries;
	HC_TRY(word_take(core, &desc, &n, err));
	HC_TRY(word_take(core, &desc, &page, err));
	if (n > desc.len / (3 * word))
		return hc_fail(err, HC_TRUNCATED, desc.org,
			       "%" PRIu64 " file mappings in %" PRIu64
			       " bytes", n, desc.len);
	HC_TRY(bytes_take(&desc, n * 3 * word, &entries, err));
	if (n > LIMIT_FILE_MAPPINGS - core->mappings.n)
		return hc_fail(err, HC_LIMIT, desc.org,
			       "%" PRIu64 " file mappings", n);
	for (uint64_t i = 0; i < n; i++)
		HC_TRY(mapping_take(core, &entries, &desc, page, err));
	return HC_OK;
}

static enum hc note_read(struct core *core, const struct elf_note *note,
			 struct hc_err *err)
{
	if (!note_is_core(note))
		return HC_OK;
	switch (note->type) {
	case NOTE_PRPSINFO:
		return psinfo_read(core, note->desc, err);
	case NOTE_AUXV:
		return core->auxv.n ? HC_OK : auxv_read(core, note->desc, err);
	case NOTE_SIGINFO:
		return siginfo_read(core, note->desc, err);
	case NOTE_FILE:
		return files_read(core, note->desc, err);
	default:
		return HC_OK;
	}
}

// note_take is told each note. A bad one is a finding, and the next is read.
static enum hc note_take(void *ctx, const struct elf_note *note,
			 struct hc_err *err)
{
	struct core *core = ctx;
	struct hc_err why;
	enum hc rc = thread_note(core, note, &why);
	if (rc == HC_NONE)
		rc = delve_note(core, note, &why);
	if (rc == HC_NONE)
		rc = note_read(core, note, &why);
	if (rc == HC_FAIL && why.kind == HC_NOMEM)
		return hc_nomem(err);
	if (rc == HC_FAIL)
		findings_add_err(&core->findings, "bad note", &why);
	return HC_OK;
}

static int mappings_order(const void *a, const void *b)
{
	const struct file_mapping *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

// info_settle derives what the notes say only indirectly.
static void info_settle(struct core *core)
{
	struct core_info *info = &core->info;
	if (core->threads.n) {
		const struct core_thread *first = &core->threads.at[0];
		if (!info->has_siginfo)
			info->signal = first->signal;
		// gdb's gcore of a live process: it stopped it itself.
		// SIGTRAP 5, SIGSTOP 19.
		if (!first->signal &&
		    (info->signal == 5 || info->signal == 19))
			info->signal = info->si_code = 0;
		if (!info->pid)
			info->pid = first->tid;
	}
	if (core->mappings.n)
		qsort(core->mappings.at, core->mappings.n,
		      sizeof(*core->mappings.at), mappings_order);
}

enum hc core_read_notes(struct core *core, struct hc_err *err)
{
	// Headers that all name the same bytes must not multiply the work.
	uint64_t budget = core->file.bytes.len < LIMIT_NOTE_BYTES ?
				  core->file.bytes.len :
				  LIMIT_NOTE_BYTES;
	for (uint64_t i = 0; i < core->head.n_phdrs; i++) {
		struct elf_phdr p;
		HC_TRY(elf_phdr_at(core->file.bytes, &core->head, i, &p, err));
		if (p.type != ELF_PT_NOTE)
			continue;
		if (p.filesz > budget) {
			findings_add(&core->findings, "bad note", 0,
				     "%" PRIu64 " bytes of notes are left out",
				     p.filesz - budget);
			p.filesz = budget;
		}
		budget -= p.filesz;
		enum hc rc = elf_each_note(core->file.bytes, p.off, p.filesz,
					   p.align, note_take, core, err);
		if (rc == HC_FAIL)
			return rc;
		if (rc == HC_NONE)
			findings_add(&core->findings, "bad note", 0,
				     "the notes stop before their end");
	}
	info_settle(core);
	return HC_OK;
}
