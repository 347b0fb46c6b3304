// objfile.h: one ELF file that was mapped into the process.
#pragma once

#include "libcore/core.h"
#include "libcore/elf.h"
#include "libcore/mapped.h"

// struct build_ids are the identities that an ELF file carries.
// Owns: the bytes they were read from.
struct build_ids {
	struct bytes gnu; // NT_GNU_BUILD_ID; empty when there is none
	struct bytes go;  // NT_GO_BUILD_ID, text
};

// build_ids_read reads the ids out of image: a file, or the first bytes of one
// as they were mapped. What is not there is empty.
void build_ids_read(struct bytes image, struct build_ids *ret);

// struct objfile: see core.h.
// Shape: phdrs are the PT_LOADs only. is_stub: a debug file, whose program
//        headers describe bytes that it does not hold.
// Owns:  its mapping; the rest is the pool's.
struct objfile {
	struct mapped map;
	struct elf_head head;
	struct elf_phdr *loads;
	uint64_t n_loads;
	struct objfile_section *sections;
	uint64_t n_sections;
	const struct elf_shdr *shdrs; // of the same indexes
	struct build_ids ids;
	bool is_stub;
};

// objfile_open opens the ELF file path.
// Fails: NONE when there is no such file; IO; UNSUPPORTED when it is no ELF
//        file, the message saying what it is; CORRUPT; LIMIT; NOMEM.
HC_MUST enum hc objfile_open(const char *path, struct pool *pool,
			     struct objfile **ret, struct hc_err *err);

// objfile_open_bytes opens an ELF file that is in memory.
// Owns:  the bytes stay the caller's, until objfile_close.
// Fails: as objfile_open.
HC_MUST enum hc objfile_open_bytes(struct bytes bytes, struct pool *pool,
				   struct objfile **ret, struct hc_err *err);

// objfile_close unmaps it. NULL is fine.
void objfile_close(struct objfile *file);
