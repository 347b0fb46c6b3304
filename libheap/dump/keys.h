// keys.h: every run of numbers once, with a number of its own.
#pragma once

#include "libcore/base/vec.h"

#include <stdbool.h>

// struct keys collects them.
// Shape: key i is words[end[i - 1]] .. words[end[i]]; slot is a hash table of
//        1 + number, 0 where free.
struct keys {
	struct pool *pool;
	struct { VEC(uint64_t); } words, end;
	uint64_t *slot, n_slots;
};

// keys_number sets *ret to the number of a key of n words: how many others
// there were when it came first. Fails: NOMEM (false).
bool keys_number(struct keys *k, const uint64_t *key, uint64_t n,
		 uint64_t *ret);

// keys_at returns the words of a number, until the next key is added.
const uint64_t *keys_at(const struct keys *k, uint64_t number,
			uint64_t *ret_n);
