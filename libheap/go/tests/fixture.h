// fixture.h: real programs' cores, unpacked below the folder $FIXTURES or
// build/fixtures: each in a folder of its own, with the executable `exe`, its
// twin `exe.stripped` and files `*.core`.
#pragma once

#include "libheap/go/process.h"

#include <check.h>

enum { FIXTURES_MAX = 64 };

// struct fixture is one such folder. Owns: its strings, until the program
// ends.
struct fixture {
	char *name, *exe, *core; // core: heap.core, or any
};

// fixtures_list returns how many there are, none (with a message) when the
// folder is not there.
unsigned fixtures_list(struct fixture ret[FIXTURES_MAX]);

// struct fixture_run is a fixture, opened and discovered.
struct fixture_run {
	struct pool pool;
	struct core *core;
	struct go_process process;
	char stripped[64]; // a copy made for this run, or ""
	char *twin;
};

// fixture_open opens and discovers f; with strip, from a copy of the
// executable without symbol table and debug information.
void fixture_open(const struct fixture *f, bool strip,
		  struct fixture_run *ret);
void fixture_close(struct fixture_run *run);
