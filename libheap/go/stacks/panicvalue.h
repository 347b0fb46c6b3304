// panicvalue.h: the value of a panic in words.
#pragma once

#include "libheap/go/process.h"
#include "libheap/go/heap/record.h"

// go_panic_value puts the interface value at address at in words, as
// printpanicval does; errors of the standard library that are one string are
// put as that string. Owns: pool. Fails: UNSAVED, CORRUPT, NOMEM.
// Source: runtime/error.go, printpanicval and printanycustomtype (1.18–1.27).
HC_MUST enum hc go_panic_value(const struct go_process *process, taddr at,
			       struct pool *pool, const char **ret,
			       struct hc_err *err);

// go_string_at copies the string whose header lies at an address, cut to
// GO_TEXT_MAX bytes. Owns: pool. Fails: UNSAVED, CORRUPT, NOMEM.
#define GO_TEXT_MAX 4096
HC_MUST enum hc go_string_at(const struct go_process *process, taddr at,
			     struct pool *pool, const char **ret,
			     struct hc_err *err);
