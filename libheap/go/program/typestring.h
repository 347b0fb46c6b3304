// typestring.h: a type descriptor's short name, as the runtime prints it.
#pragma once

#include "libheap/go/process.h"

// go_type_string sets *ret to the name of the type at an address, qualified
// by the last part of the package path ("*errors.errorString").
// Fails: NONE when the address is in no module's types; UNSAVED, CORRUPT,
//        NOMEM. Owns: pool.
// Source: internal/abi/type.go, Name and TFlagExtraStar (1.18–1.27).
HC_MUST enum hc go_type_string(const struct go_process *process, taddr type,
			       struct pool *pool, const char **ret,
			       struct hc_err *err);
