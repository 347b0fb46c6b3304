// core.h: a dead process as memory. The public header of libcore.
//
// A core file is opened once and mapped, never copied. What it saved, and what
// it left out but the executable and shared objects still hold, becomes one
// address space: core_view points into it, core_read copies out of it.
//
// What the core did not save is never zeros: such a read fails as UNSAVED.
// Source: ELF gABI chapter 5 calls p_memsz - p_filesz zeros; Linux leaves out
// what coredump_filter tells it to (core(5)), so those bytes are "not saved".
#pragma once

#include "libcore/base/bytes.h"
#include "libcore/base/finding.h"
#include "libcore/base/pool.h"

typedef uint64_t taddr; // an address in the dead process

enum core_arch { CORE_AMD64, CORE_ARM64, CORE_386 };

// struct core is an open core file. Everything that the functions below
// return lives until core_close. Safe to read from several threads.
struct core;

// struct core_input names the files and says how far to go.
// Owns:  the strings are the caller's and must outlive the core.
struct core_input {
	const char *core;    // path; "-" is standard input
	const char *exe;     // path, or NULL: found as cli.md says
	const char *sysroot; // directory below which paths are tried, or NULL
	bool allow_mismatch; // go on with an executable of another build id
	uint64_t max_unpacked; // bytes a compressed core may become; 0: default
	const char *tmpdir;  // for unpacking; NULL: /tmp
	// progress, when not NULL, is told now and then how far a long phase is.
	// Units: bytes; total is 0 when unknown.
	void (*progress)(void *ctx, const char *phase, uint64_t done,
			 uint64_t total);
	void *progress_ctx;
	// fetch, when not NULL, asks elsewhere for the file with a GNU build
	// id: the debug file or the executable. It returns a path, or NULL.
	const char *(*fetch)(void *ctx, const uint8_t *id, uint64_t len,
			     bool debug);
	void *fetch_ctx;
};

// core_open opens the core, its executable and its shared objects. Problems
// that leave something to read become findings.
// Owns:  *ret lives in pool (opened by the caller, closed after core_close).
// Fails: IO; UNSUPPORTED when it is not a core we read, the message saying
//        what it is and what to do; MISMATCH for a wrong executable.
HC_MUST enum hc core_open(const struct core_input *in, struct pool *pool,
			  struct core **ret, struct hc_err *err);

// core_close unmaps everything. NULL is fine.
void core_close(struct core *core);

// core_find_newest looks in directory dir for the newest regular file named
// core, core.* or *.core (also .zst, .gz, .xz, .lz4) that is a core by its
// first bytes, else the newest *.heapcore; its path is put into pool.
// Fails: NONE when there is none.
HC_MUST enum hc core_find_newest(const char *dir, struct pool *pool,
				 const char **ret, struct hc_err *err);

// ---- the process -----------------------------------------------------------

// struct core_info is what the notes say of the process as a whole.
// Shape: signal is 0 when none is recorded (gcore of a live process).
// Owns:  the core. Strings are NUL-terminated, never NULL, unescaped.
struct core_info {
	enum core_arch arch;
	unsigned word;        // bytes of a pointer: 8, or 4 on 386
	uint32_t pid;
	int signal;           // the one that killed it
	int si_code;
	bool has_siginfo;
	taddr fault_address;  // of SIGSEGV, SIGBUS, SIGILL, SIGFPE
	uint32_t sender_pid;  // of a signal sent by kill
	const char *name;     // pr_fname
	const char *command;  // pr_psargs, cut by the kernel to 80 bytes
	const char *core_path, *exe_path; // as opened; exe_path NULL without one
	uint64_t file_bytes;  // of the (unpacked) core
	bool truncated;       // the file ends before its segments do
	uint64_t missing_bytes; // how much of it is missing then
	bool compressed;      // it was unpacked from a compressed file
	uint64_t written;     // when the core was, in seconds since 1970, or 0
	uint32_t snapshot, n_snapshots; // of a heap-dump file, from 1; else 0
};

// core_info returns what is known of the process.
const struct core_info *core_info(const struct core *core);

// core_auxv sets *ret to the value of auxiliary vector entry type (AT_ENTRY 9).
// Fails: NONE when there is none.
HC_MUST enum hc core_auxv(const struct core *core, uint64_t type,
			  uint64_t *ret);

// core_findings is where damage of the file is noted; readers add theirs.
struct findings *core_findings(struct core *core);

// struct core_thread is one thread as it was when the core was written.
// Shape: regs are the kernel's user_regs_struct of the architecture, widened
//        to 64 bits. Source: Linux arch/*/include/uapi/asm/ptrace.h.
struct core_thread {
	uint32_t tid;
	int signal;
	taddr pc, sp;
	taddr tls; // fs_base on amd64, TPIDR_EL0 on arm64 (0 when not saved)
	const uint64_t *regs;
	unsigned n_regs;
};

// Register numbers in core_thread.regs.
enum { CORE_AMD64_R15 = 0, CORE_AMD64_R14 = 1, CORE_AMD64_RBP = 4,
       CORE_AMD64_RIP = 16, CORE_AMD64_RSP = 19, CORE_AMD64_FS_BASE = 21,
       CORE_AMD64_N_GENERAL = 16 /* r15..orig_rax hold values */ };
enum { CORE_ARM64_X28 = 28, CORE_ARM64_LR = 30, CORE_ARM64_SP = 31,
       CORE_ARM64_PC = 32, CORE_ARM64_N_GENERAL = 31 };

// core_threads returns all threads, the one that died first when known.
const struct core_thread *core_threads(const struct core *core, size_t *ret_n);

// ---- memory ----------------------------------------------------------------

enum { CORE_R = 4, CORE_W = 2, CORE_X = 1 };

// struct core_segment is one mapping of the process (one PT_LOAD).
// Units: saved is how many of the len bytes the file holds, from base on.
// Shape: sorted by base, disjoint: what overlapped went to the first.
struct core_segment {
	taddr base;
	uint64_t len, saved;
	uint32_t perm;        // CORE_R | CORE_W | CORE_X
	uint64_t core_off;    // file offset of the saved bytes
	const char *file;     // the mapped file (NT_FILE), or NULL
	uint64_t file_off;    // offset in that file of base
};

// core_segments returns all mappings in address order.
const struct core_segment *core_segments(const struct core *core,
					 size_t *ret_n);

// struct core_window is a contiguous readable run: bytes[0] is at base.
// from_file says that the bytes come from the executable or a shared object.
struct core_window {
	taddr base;
	uint64_t len;
	const uint8_t *bytes;
	bool from_file;
};

// core_window sets *ret to the largest contiguous run that holds at.
// Fails: NONE when that byte is nowhere.
HC_MUST enum hc core_window(const struct core *core, taddr at,
			    struct core_window *ret);

// core_next_window sets *ret to the first run that ends after at, so that a
// loop over [at, …) sees every readable byte. Fails: NONE behind the last.
HC_MUST enum hc core_next_window(const struct core *core, taddr at,
				 struct core_window *ret);

// core_view points *ret at the len bytes at at, without copying.
// Fails: UNSAVED at the first byte that is missing or in another run.
HC_MUST enum hc core_view(const struct core *core, taddr at, uint64_t len,
			  const uint8_t **ret, struct hc_err *err);

// core_read copies the len bytes at at to dst, or nothing; it may cross runs.
// Fails: UNSAVED at the first byte that is missing.
HC_MUST enum hc core_read(const struct core *core, taddr at, void *dst,
			  uint64_t len, struct hc_err *err);

// core_u8, _u16, _u32, _u64 read one number; core_ptr one pointer (4 bytes on
// 386). Fails: UNSAVED.
HC_MUST enum hc core_u8(const struct core *core, taddr at, uint8_t *ret,
			struct hc_err *err);
HC_MUST enum hc core_u16(const struct core *core, taddr at, uint16_t *ret,
			 struct hc_err *err);
HC_MUST enum hc core_u32(const struct core *core, taddr at, uint32_t *ret,
			 struct hc_err *err);
HC_MUST enum hc core_u64(const struct core *core, taddr at, uint64_t *ret,
			 struct hc_err *err);
HC_MUST enum hc core_ptr(const struct core *core, taddr at, taddr *ret,
			 struct hc_err *err);

// core_cstr sets *ret to the NUL-terminated string at at, a view of at most
// max bytes (NUL not counted) inside one run.
// Fails: UNSAVED; CORRUPT when no NUL comes within max bytes.
HC_MUST enum hc core_cstr(const struct core *core, taddr at, uint64_t max,
			  const char **ret, uint64_t *ret_len,
			  struct hc_err *err);

// core_saved_bytes returns how many of the len bytes at at the core file
// itself holds, and core_mapped_bytes how many lie in any segment.
uint64_t core_saved_bytes(const struct core *core, taddr at, uint64_t len);
uint64_t core_mapped_bytes(const struct core *core, taddr at, uint64_t len);

// ---- executable and shared objects -------------------------------------------

// struct objfile is one ELF file: the executable, a shared object, a debug
// file. Everything read from it is untrusted too.
struct objfile;

// struct objfile_section is one section with its bytes in the file.
// Shape: addr is link-time (add the bias); bytes is empty for NOBITS;
//        inflated_len > 0 when SHF_COMPRESSED (bytes then start at the
//        Elf64_Chdr) or named .zdebug_* (bytes start at "ZLIB").
struct objfile_section {
	const char *name;
	taddr addr;
	uint64_t len; // sh_size
	uint32_t type;
	uint64_t flags;
	struct bytes bytes;
	uint64_t inflated_len;
};

// struct core_module is one ELF file that was mapped into the process.
// Units: bias is what to add to a link-time address.
// Owns:  the core. file is NULL when it could not be opened (then a finding
//        says so if it was needed); build_id is from the core's memory where
//        it could be read, else from the file.
struct core_module {
	const char *path;
	taddr low, high; // the address range of its mappings
	taddr bias;
	const struct objfile *file;
	const struct objfile *debug;   // its separate debug file, or NULL
	const struct objfile *symbols; // file or debug: who has the symbols
	const uint8_t *build_id; // NT_GNU_BUILD_ID, or NULL
	uint64_t build_id_len;
	const char *go_build_id; // NT_GO_BUILD_ID, or NULL
	bool is_exe;
	bool readable; // the file could be opened where the core was read
};

// core_modules returns all mapped ELF files, the executable first (if known).
const struct core_module *core_modules(const struct core *core, size_t *ret_n);

// core_exe returns the executable, or NULL when there is none to read.
const struct core_module *core_exe(const struct core *core);

// objfile_section finds a section by name (".gopclntab").
// Fails: NONE.
HC_MUST enum hc objfile_section(const struct objfile *file, const char *name,
				struct objfile_section *ret);

// objfile_sections returns all sections, for passes over them.
const struct objfile_section *objfile_sections(const struct objfile *file,
					       size_t *ret_n);

// struct objfile_symbol is one symbol of .symtab (or .dynsym without it).
struct objfile_symbol {
	const char *name; // NUL-terminated, in the mapped file
	taddr addr;       // link-time
	uint64_t len;
	uint8_t type;     // STT_*
};

// objfile_each_symbol calls fn for each symbol with a name and an address,
// until fn returns false.
void objfile_each_symbol(const struct objfile *file,
			 bool (*fn)(void *ctx, const struct objfile_symbol *),
			 void *ctx);

// ---- a core that is not here --------------------------------------------------

// struct core_parts is what somebody wrote down of a core that is not here.
// Shape: as the functions below return it; modules have no file.
// Owns:  everything stays the caller's and must outlive the core.
struct core_parts {
	struct core_info info;
	const struct core_thread *threads;
	size_t n_threads;
	const struct core_segment *segments; // sorted and disjoint
	size_t n_segments;
	const struct core_module *modules;
	size_t n_modules;
	const void *origin; // for core_origin
};

// core_make makes a core that has no memory out of its parts: every read of
// it fails as UNSAVED. Owns: *ret lives in pool. Fails: NOMEM.
HC_MUST enum hc core_make(const struct core_parts *parts, struct pool *pool,
			  struct core **ret, struct hc_err *err);

// core_origin returns what core_make was told the core comes from, NULL for
// one that core_open opened.
const void *core_origin(const struct core *core);
