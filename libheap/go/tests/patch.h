// patch.h: a core of the zoo in a copy that a test may write to, by address.
#pragma once

#include "libheap/go/tests/copy.h"
#include "libheap/go/tests/zoo.h"

// struct patch is such a copy, and the process in it while it is sound.
// Shape: undo holds the bytes before each poke, newest last.
struct patch {
	struct core_copy copy;
	struct core_input in;
	struct zoo sound; // opened on the core itself, marked
	struct { uint64_t off, old; } undo[16];
	unsigned n;
};

// patch_open copies core i of the zoo.
void patch_open(unsigned i, struct patch *ret);
void patch_close(struct patch *p);

// patch_poke writes len <= 8 bytes at an address of the dead process. It
// returns false when the core does not hold them.
bool patch_poke(struct patch *p, taddr at, uint64_t value, unsigned len);

// patch_peek reads them.
uint64_t patch_peek(const struct patch *p, taddr at, unsigned len);

// patch_mend takes all pokes back.
void patch_mend(struct patch *p);
