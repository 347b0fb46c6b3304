// elfsections.h: the debug sections of an ELF file in memory, for the tests.
#pragma once

#include "libdwarfread/dwarfread.h"

// elf_map maps the file at path. Fails: IO.
HC_MUST enum hc elf_map(const char *path, struct bytes *ret,
			struct hc_err *err);

// elf_sections fills *ret from the section headers of a 64-bit file.
// Fails: CORRUPT; TRUNCATED.
HC_MUST enum hc elf_sections(struct bytes file, struct dwarf_sections *ret,
			     struct hc_err *err);
