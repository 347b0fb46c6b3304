// judge.h: libdwarf reads the same file and has the last word on every field.
#pragma once

#include "libcore/base/err.h"

// struct verdict is what a comparison came to.
// Shape: text describes the first differences, one a line.
struct verdict {
	// that were held together; variables were only read
	uint64_t units, entries, attributes, named, variables;
	uint64_t differences;
	char text[2000];
};

// judge_file opens the ELF file at path with libdwarf and with us, walks it
// with libdwarf alone and compares all that it meets.
// Fails: NONE when both say that it has no DWARF; IO; what dwarf_open fails with; UNSUPPORTED when libdwarf refuses.
HC_MUST enum hc judge_file(const char *path, struct verdict *ret,
			   struct hc_err *err);
