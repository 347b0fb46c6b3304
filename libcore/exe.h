// exe.h: which file on this machine is the executable or shared object that
// the dead process had mapped.
#pragma once

#include "libcore/process.h"

// enum match says how a file compares with what the core saved of it.
enum match { MATCH_YES, MATCH_NO, MATCH_UNKNOWN };

// module_match compares file with the module m, by GNU build id, else by Go
// build id, else by the ELF header that the core saved.
enum match module_match(const struct core *core, const struct core_module *m,
			const struct objfile *file);

// exe_find opens the executable of m: the one that in->exe names, else where
// cli.md looks. m->file stays NULL when none is found; a finding says so.
// Fails: MISMATCH, IO, UNSUPPORTED for one that in->exe names; NOMEM.
HC_MUST enum hc exe_find(struct core *core, struct core_module *m,
			 struct hc_err *err);

// lib_find opens the shared object m where the core says it was, as it is and
// below the sysroot. m->file stays NULL when none matches.
// Fails: NOMEM.
HC_MUST enum hc lib_find(struct core *core, struct core_module *m,
			 struct hc_err *err);
