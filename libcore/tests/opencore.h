// opencore.h: a core that was written in memory, opened for a test.
#pragma once

#include "libcore/process.h"
#include "libcore/tests/ck.h"
#include "libcore/tests/corewriter.h"
#include "libcore/tests/exewriter.h"

// struct opencore is one test's core. The bytes are a copy of exactly their
// size, so that a sanitizer sees the first byte past their end.
struct opencore {
	struct core_input in;
	struct pool pool;
	struct core *core; // NULL when it did not open
	uint8_t *copy;
	struct hc_err err;
	enum hc rc;
};

// opencore_open opens bytes. exe may be NULL.
void opencore_open(struct opencore *o, struct bytes bytes, const char *exe);

// opencore_must opens bytes and wants that to succeed.
void opencore_must(struct opencore *o, struct bytes bytes, const char *exe);

void opencore_close(struct opencore *o);

// finding_of returns the text of the only finding of this kind, or NULL.
const char *finding_of(struct core *core, const char *kind);

// walk_all asks every question there is to ask of a core, at every window and
// segment edge, so that a sanitizer sees what they touch.
void walk_all(struct core *core);
