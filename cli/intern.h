// intern.h: equal strings kept once, so that they compare by address.
#pragma once

#include "libcore/base/pool.h"

#include <stdbool.h>

// struct interned is a set of strings.
// Shape: slots has cap entries, a power of two, at most half of them in use.
// Owns:  the pool.
struct interned {
	struct pool *pool;
	const char **slots;
	uint64_t n, cap;
};

// intern returns the kept copy of text, or NULL when memory is short; NULL in
// gives "".
const char *intern(struct interned *set, const char *text);

// hash_mix goes on from a hash with a number.
uint64_t hash_mix(uint64_t hash, uint64_t more);
