// zoo.h: the cores of testdata/cores, unpacked, with what the program said of
// itself and what the runtime printed.
#pragma once

#include "libheap/heap.h"

#include <check.h>

// struct zoo is one core, open.
struct zoo {
	unsigned i;        // see zoo_name
	const char *name;  // zoo_name(i)
	const char *claim; // that is being checked, NULL outside of zoo_hold
	char path[512];   // of the core
	struct pool pool;
	struct core *core;
	struct heap *heap;
	struct go_process *process; // the reader's state
	char *trace, *truth, *objects; // NUL-terminated, NULL when not there
};

// zoo_count returns how many cores there are in all, each counted once with
// its executable and once with the stripped twin. The folder that holds them
// is $FIXTURES, or build/fixtures; it says so when there are none.
unsigned zoo_count(void);

// zoo_name says what core i is: "1.26-amd64/states-nil", or
// "1.26-amd64/states-nil stripped".
const char *zoo_name(unsigned i);

// zoo_is says whether core i is in the mode ("heap"), or of the modes that
// begin with it and '-'.
bool zoo_is(unsigned i, const char *mode);

// zoo_minor returns the second number of the version: 26.
unsigned zoo_minor(unsigned i);

// zoo_open opens core i; it fails the test when that does not work.
// zoo_open_threads says how many threads may be used, 0 for all.
void zoo_open(unsigned i, struct zoo *ret);
void zoo_open_threads(unsigned i, unsigned threads, struct zoo *ret);
void zoo_close(struct zoo *z);

// zoo_input names the files of core i for core_open. Owns: the strings, until
// it is called again.
struct core_input zoo_input(unsigned i);

// zoo_require is ck_assert for loops over many objects: that one writes to a
// file each time, this one only when the claim does not hold. It says of which
// core, and which claim.
#define zoo_require(z, holds, ...)                                      \
	do {                                                            \
		if (!(holds))                                           \
			zoo_fail(z, __FILE__, __LINE__, __VA_ARGS__);   \
	} while (0)
void zoo_fail(const struct zoo *z, const char *file, int line,
	      const char *fmt, ...)
	__attribute__((format(printf, 4, 5), noreturn));

// struct zoo_claim is one thing that must hold of every core of the zoo.
// Shape: check is NULL behind the last of a list. They are checked one after
// the other on the same opened and marked core: opening costs more than most.
struct zoo_claim {
	const char *name;
	void (*check)(struct zoo *z);
};
#define ZOO_CLAIM(f) { #f, f }

// Each file of claims has a list.
extern const struct zoo_claim zoo_allocs[], zoo_memory[], zoo_objects[], zoo_paths[],
	zoo_reached[], zoo_retained[], zoo_roots[], zoo_sweep[];

// struct zoo_set is one line of the truth: objects kept alive in one way, or
// not at all.
struct zoo_set {
	char name[128], type[128];
	bool live;
	uint64_t len; // of one object
	unsigned n;
	taddr at[128];
};

// zoo_next_set reads the next set from *line on and moves it behind. It
// returns false when there is none.
bool zoo_next_set(const char **line, struct zoo_set *ret);

// zoo_statistic sets *ret to one figure of the runtime.MemStats that the
// program read of itself. It returns false when it read none.
bool zoo_statistic(const struct zoo *z, const char *name, uint64_t *ret);
