// process.h: an open core, as the files of libcore share it.
#pragma once

#include "libcore/core.h"
#include "libcore/elf.h"
#include "libcore/image.h"
#include "libcore/mapped.h"
#include "libcore/objfile.h"

// struct file_mapping is one entry of NT_FILE.
// Units: off is in bytes; module is its index in core->modules plus 1, or 0.
// Shape: sorted by start, start < end.
// Owns:  path points into the core's bytes.
struct file_mapping {
	taddr start, end;
	uint64_t off;
	const char *path;
	uint32_t module;
};

// Entries of the auxiliary vector. Source: Linux include/uapi/linux/auxvec.h.
enum { CORE_AT_PHDR = 3, CORE_AT_ENTRY = 9, CORE_AT_EXECFN = 31 };

struct auxv_entry {
	uint64_t type, value;
};

struct core {
	struct pool *pool;
	const struct core_input *in; // valid during core_open
	const void *origin; // see core_make
	struct core_info info;
	struct findings findings;
	struct pool told; // theirs: what is told outlives marks in pool
	struct mapped file;
	struct elf_head head;
	struct core_segment *segments;
	uint64_t n_segments;
	struct image image;
	struct {
		VEC(struct core_thread);
	} threads;
	struct {
		VEC(struct auxv_entry);
	} auxv;
	struct {
		VEC(struct file_mapping);
	} mappings;
	struct {
		VEC(struct core_module);
	} modules;
	struct {
		VEC(struct objfile *);
	} objfiles; // every one that is to be closed
};

// core_open_bytes is core_open of a core that is in memory: in->core is only
// its name. Owns: the bytes stay the caller's, until core_close.
// Fails: as core_open.
HC_MUST enum hc core_open_bytes(const struct core_input *in,
				struct bytes bytes, struct pool *pool,
				struct core **ret, struct hc_err *err);

// core_map_input opens in->core and unpacks it when it is compressed.
// Fails: as core_open.
HC_MUST enum hc core_map_input(struct core *core, struct hc_err *err);

// core_check_input sees to it that core->file is an ELF core.
// Fails: UNSUPPORTED, the message saying what it is and what to do.
HC_MUST enum hc core_check_input(const struct core *core, struct hc_err *err);

// core_read_segments reads the program headers into core->segments and makes
// core->image of what the core itself saved.
// Fails: NOMEM; LIMIT. Damage becomes findings.
HC_MUST enum hc core_read_segments(struct core *core, struct hc_err *err);

// segment_push_run adds what the core saved of s to runs.
// Fails: NOMEM.
HC_MUST enum hc segment_push_run(const struct core *core, struct runs *runs,
				 const struct core_segment *s,
				 struct hc_err *err);

// core_read_notes reads all notes into core->info, threads, auxv, mappings.
// Fails: NOMEM. Damage becomes findings.
HC_MUST enum hc core_read_notes(struct core *core, struct hc_err *err);

// thread_note takes one note of a thread: registers or thread-local base. A
// register note begins a thread, the others belong to the last one.
// Fails: NONE when the note is of no such kind; NOMEM; TRUNCATED; LIMIT.
HC_MUST enum hc thread_note(struct core *core, const struct elf_note *note,
			    struct hc_err *err);

// thread_add adds a thread, whose registers are zeros in *ret_regs.
// Owns:  *ret stays where it is until the next thread is added.
// Fails: NOMEM; LIMIT.
HC_MUST enum hc thread_add(struct core *core, struct core_thread **ret,
			   uint64_t **ret_regs, struct hc_err *err);

// delve_note takes one of delve's own notes.
// Fails: NONE when the note is of no such kind; NOMEM; TRUNCATED; LIMIT.
HC_MUST enum hc delve_note(struct core *core, const struct elf_note *note,
			   struct hc_err *err);

// core_find_modules fills core->modules and opens their files.
// Fails: MISMATCH; IO and UNSUPPORTED for an executable that was named; NOMEM.
HC_MUST enum hc core_find_modules(struct core *core, struct hc_err *err);

// module_mappings counts the NT_FILE entries from the first one on that are
// of the same file.
uint64_t module_mappings(const struct core *core, uint64_t first);

// core_add_files names the file of each segment and makes core->image anew,
// with what the core left out but a module's file has.
// Fails: NOMEM; LIMIT.
HC_MUST enum hc core_add_files(struct core *core, struct hc_err *err);
