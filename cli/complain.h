// complain.h: what goes to standard error: one line each, and the progress.
#pragma once

#include "libcore/core.h"

// complain writes `heapcore: ` and the text, in which nothing from outside
// can act on a terminal.
__attribute__((format(printf, 1, 2))) void complain(const char *fmt, ...);

// complain_err writes `heapcore: FILE: WHAT: WHY (at 0x…)`; file may be NULL.
void complain_err(const char *file, const struct hc_err *err, bool debug);

// progress_show is core_input.progress: on a terminal, and once a phase has
// taken half a second, it keeps one line up to date.
void progress_show(void *ctx, const char *phase, uint64_t done,
		   uint64_t total);

// progress_hide takes that line away.
void progress_hide(void);

// now_ns is a clock that never jumps.
uint64_t now_ns(void);
