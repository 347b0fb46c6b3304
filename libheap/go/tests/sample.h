// sample.h: the functions that several tests write.
#pragma once

#include "libheap/go/tests/gowriter.h"

// SAMPLE is main.caller (0x180 bytes), main.b, runtime.big and main.last.
// main.caller has main.inlined at offsets 8 to 15 (lines 20 of file 2), which
// was called at line 11 of file 1; the rest of it is line 10 of file 1.
extern const struct gw_func sample_funcs[];
enum { SAMPLE_N = 4 };
extern const uint32_t sample_lens[SAMPLE_N];

// sample_make fills *w with them for a version.
void sample_make(struct gowriter *w, enum core_arch arch, unsigned minor);
