// elf.h: the ELF container: header, program headers, sections, notes.
//
// Works the same on a whole file and on the first bytes of one, such as the
// header page that a core saved of each shared object.
#pragma once

#include "libcore/base/bytes.h"
#include "libcore/base/finding.h"
#include "libcore/base/pool.h"

// The numbers of the ELF format that we use.
// Source: ELF gABI chapters 4 and 5; psABIs for the machines.
enum { ELF_REL = 1, ELF_EXEC = 2, ELF_DYN = 3, ELF_CORE = 4 };
enum { ELF_MACHINE_386 = 3, ELF_MACHINE_AMD64 = 62, ELF_MACHINE_ARM64 = 183 };
enum { ELF_PT_LOAD = 1, ELF_PT_NOTE = 4 };
enum { ELF_SHT_SYMTAB = 2, ELF_SHT_NOTE = 7, ELF_SHT_NOBITS = 8,
       ELF_SHT_DYNSYM = 11 };
enum { ELF_SHF_COMPRESSED = 0x800 };

// struct elf_head is what the ELF header says.
struct elf_head {
	bool is64;
	uint16_t type, machine;
	uint64_t entry, phoff;
	uint64_t n_phdrs; // as far as the file holds them
	uint64_t n_phdrs_said;
};

// struct elf_phdr is one program header, widened to 64 bits.
struct elf_phdr {
	uint32_t type, flags;
	uint64_t off, vaddr, filesz, memsz, align;
};

// struct elf_shdr is one section header with its name.
// Owns: name is the pool's.
struct elf_shdr {
	const char *name;
	uint32_t type, link;
	uint64_t flags, addr, off, len, entsize;
};

// struct elf_note is one note. Owns: nothing; it points into the file.
struct elf_note {
	uint32_t type;
	const char *name; // NUL-terminated
	struct bytes desc;
};

// note_is_core says whether a note is one of a core's own: "CORE", or without
// a name, as delve writes them.
static inline bool note_is_core(const struct elf_note *note)
{
	return !note->name[0] || !strcmp(note->name, "CORE");
}

// elf_is says whether b begins like an ELF file.
bool elf_is(struct bytes b);

// elf_machine_name names a machine as Go does ("amd64"), or gives its number.
// Owns: static, or buf, which has room for 24 bytes.
const char *elf_machine_name(uint16_t machine, char buf[24]);

// elf_read_head reads the ELF header of file.
// Fails: TRUNCATED; CORRUPT; UNSUPPORTED for another byte order.
HC_MUST enum hc elf_read_head(struct bytes file, struct elf_head *ret,
			      struct hc_err *err);

// elf_phdr_at sets *ret to program header i of the n_phdrs there are.
// Fails: TRUNCATED.
HC_MUST enum hc elf_phdr_at(struct bytes file, const struct elf_head *head,
			    uint64_t i, struct elf_phdr *ret,
			    struct hc_err *err);

// elf_shdrs sets *ret to all *ret_n sections, those without a name too; none
// when the file has no section table.
// Fails: LIMIT; NOMEM; CORRUPT.
HC_MUST enum hc elf_shdrs(struct bytes file, struct pool *pool,
			  struct elf_shdr **ret, uint64_t *ret_n,
			  struct hc_err *err);

// elf_each_note calls fn for each note in the len bytes at off of file, until
// fn fails.
// Units: align is p_align: 8 for notes padded to 8.
// Fails: as fn, which answers HC_OK or HC_FAIL; NONE when the notes stop
//        before their end, in the file's or in their own format.
HC_MUST enum hc elf_each_note(struct bytes file, uint64_t off, uint64_t len,
			      uint64_t align,
			      enum hc (*fn)(void *ctx, const struct elf_note *,
					    struct hc_err *err),
			      void *ctx, struct hc_err *err);
