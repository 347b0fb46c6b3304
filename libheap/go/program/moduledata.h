// moduledata.h: where the first moduledata is, before any layout is known.
#pragma once

#include "libheap/go/process.h"

// go_anchor_find sets *ret to the place of the runtime's first moduledata: in
// the executable, else in a shared object, else in any mapping of a file.
// Fails: NONE when there is none.
// Source: Go 1.18 to 1.27 runtime/symtab.go, moduledata: the first 24 words
//         are the same in all; cmd/link/internal/ld/symtab.go fills them.
HC_MUST enum hc go_anchor_find(const struct core *core, struct go_anchor *ret);

// go_moduledata_is says whether the bytes at p, at least GO_MODULEDATA_WORDS
// words of them, look like a moduledata: six tables that follow each other
// behind the pclntab's header, and a text.
bool go_moduledata_is(const uint8_t *p, unsigned word);
enum { GO_MODULEDATA_WORDS = 24 };
