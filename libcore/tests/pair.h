// pair.h: an executable, and the core of a process that ran it.
#pragma once

#include "libcore/tests/opencore.h"

enum { PAIR_BASE = 0x10000 };

// struct pair is one test's: dir is a folder of its own, ew writes the
// executable (of Go build id "right/id"), w the core.
struct pair {
	char dir[32];
	struct exewriter ew;
	struct corewriter w;
	struct opencore o;
};

void pair_setup(struct pair *p);
void pair_teardown(struct pair *p);

// pair_path returns the path of name in the folder, good for 8 calls.
const char *pair_path(struct pair *p, const char *name);

// pair_put writes a file into the folder and returns its path.
const char *pair_put(struct pair *p, const char *name, struct bytes b);

// pair_other writes an executable of another build, "wrong/id".
const char *pair_other(struct pair *p, const char *name);

// pair_open opens, into p->o, the core of a process that ran p->ew from path.
void pair_open(struct pair *p, const char *path, const char *exe);
