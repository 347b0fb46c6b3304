// exe.h: which file on this machine is the executable or shared object that
// the dead process had mapped.
#pragma once

#include "libcore/process.h"

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
