// corewriter.h: builds a core in memory, good or broken on purpose.
#pragma once

#include "libcore/core.h"
#include "libcore/tests/elfbuf.h"

// struct cw_load is one PT_LOAD. Its bytes are cw_byte of each address, unless
// there are some.
struct cw_load {
	taddr base;
	uint64_t len, saved;
	uint32_t perm;
	const uint8_t *bytes;
};

struct cw_file {
	taddr start, end;
	uint64_t pages;
	const char *path;
};

// struct corewriter is a core being made.
// Shape: xnum writes PN_XNUM with the number in section header 0; lost then
//        leaves that header out, as in a truncated core.
struct corewriter {
	enum core_arch arch;
	bool xnum, lost;
	uint64_t align; // of the segments in the file; 16
	struct elfbuf notes, out;
	struct cw_load loads[64];
	unsigned n_loads;
	unsigned n_fill; // further empty PT_LOADs, a page each, from fill_at on
	taddr fill_at;
};

// cw_byte is the byte that every writer here puts at address at. Never 0.
uint8_t cw_byte(taddr at);

void cw_init(struct corewriter *w, enum core_arch arch);
void cw_free(struct corewriter *w);

void cw_load(struct corewriter *w, taddr base, uint64_t len, uint64_t saved,
	     uint32_t perm);
void cw_thread(struct corewriter *w, uint32_t tid, uint16_t signal, taddr pc,
	       taddr sp, taddr tls);
void cw_psinfo(struct corewriter *w, uint32_t pid, const char *name,
	       const char *command);
// cw_siginfo writes value where si_addr is, or si_pid.
void cw_siginfo(struct corewriter *w, int signal, int code, uint64_t value);
void cw_auxv(struct corewriter *w, unsigned n, const uint64_t (*pairs)[2]);
void cw_files(struct corewriter *w, uint64_t page, unsigned n,
	      const struct cw_file *files);

// cw_pair fills *w with the core of a process that ran exe, an exewriter's
// file of this path, loaded at base: its first 0x400 bytes are saved, and all
// of its data and bss.
void cw_pair(struct corewriter *w, enum core_arch arch, struct bytes exe,
	     const char *path, taddr base);

// cw_finish lays the file out. Owns: the writer.
struct bytes cw_finish(struct corewriter *w);

// cw_sample fills *w with a core of two threads, all notes and four segments.
void cw_sample(struct corewriter *w, enum core_arch arch);
