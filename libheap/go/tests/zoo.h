// zoo.h: the cores of testdata/cores, what the program said of itself and
// what the runtime printed.
#pragma once

#include "libheap/heap.h"

#include <check.h>

// struct zoo is one core, open.
struct zoo {
	struct pool pool;
	struct core *core;
	struct heap *heap;
	struct go_process *process; // the reader's state
	char *trace, *truth;        // NUL-terminated, NULL when not there
};

// zoo_count returns how many cores there are in all, and zoo_name what core i
// is: "1.26-amd64/states-nil".
unsigned zoo_count(void);
const char *zoo_name(unsigned i);

// zoo_is says whether core i is in the mode ("heap"), or of the modes that
// begin with it and '-'.
bool zoo_is(unsigned i, const char *mode);

// zoo_open opens core i; it fails the test when that does not work.
void zoo_open(unsigned i, struct zoo *ret);
void zoo_close(struct zoo *z);

// struct zoo_set is one line of the truth: objects kept alive in one way, or
// not at all.
struct zoo_set {
	char name[128];
	bool live;
	uint64_t len; // of one object
	unsigned n;
	taddr at[128];
};

// zoo_next_set reads the next set from *line on and moves it behind. It
// returns false when there is none.
bool zoo_next_set(const char **line, struct zoo_set *ret);
