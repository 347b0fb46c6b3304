// exewriter.h: builds a small executable in memory.
//
//	base          ELF header, program headers, notes     R X
//	base + 0x1000 text, cw_byte of each link-time address
//	base + 0x2000 data, 0x800 bytes of the same          R W
//	base + 0x2800 bss, 0x800 bytes
//
// Offsets in the file are the same less base; sections follow.
#pragma once

#include "libcore/tests/corewriter.h"

struct ew_section {
	const char *name;
	uint32_t type;
	uint64_t flags, addr;
	struct bytes bytes;
};

struct exewriter {
	enum core_arch arch;
	uint16_t type; // ET_EXEC or ET_DYN
	taddr base, entry;
	const char *gnu_id, *go_id; // NULL: none
	bool no_sections;
	struct ew_section sections[16];
	unsigned n_sections;
	struct elfbuf symbols, names, out;
};

void ew_init(struct exewriter *w, enum core_arch arch, taddr base);
void ew_free(struct exewriter *w);
void ew_section(struct exewriter *w, const char *name, uint32_t type,
		uint64_t flags, taddr addr, struct bytes bytes);
void ew_symbol(struct exewriter *w, const char *name, taddr addr,
	       uint64_t len, uint8_t type);
// ew_finish lays the file out. Owns: the writer.
struct bytes ew_finish(struct exewriter *w);
