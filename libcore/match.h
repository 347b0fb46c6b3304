// match.h: whether a file is the one that the dead process had mapped.
#pragma once

#include "libcore/process.h"

// enum match says how a file compares with what the core saved of it.
enum match { MATCH_YES, MATCH_NO, MATCH_UNKNOWN };

// module_match compares file with the module m: by GNU build id, else by Go
// build id, else by the ELF header that the core saved, else an executable by
// the read-only bytes and the data.
enum match module_match(const struct core *core, const struct core_module *m,
			const struct objfile *file);

// match_fail sets *err to a MISMATCH that names the ids of both, if there are.
void match_fail(struct hc_err *err, const struct core_module *m,
		const struct objfile *file);

// hex_text writes the len bytes at at as hexadecimal digits, as many as fit.
void hex_text(char *text, size_t text_len, const uint8_t *at, uint64_t len);
