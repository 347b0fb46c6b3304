// debugfile.h: the separate file that holds a module's debug information.
#pragma once

#include "libcore/process.h"

// debug_find opens the debug file of the module m, whose own file has none:
// below /usr/lib/debug by build id, by the name in .gnu_debuglink, then from
// in->fetch. Each also below the sysroot. m->debug stays NULL when there is
// none that belongs to it; m->symbols is the file that has the symbols.
// Fails: NOMEM.
// Source: gdb's manual, "Debugging Information in Separate Files".
HC_MUST enum hc debug_find(struct core *core, struct core_module *m,
			   const char *path, struct hc_err *err);
