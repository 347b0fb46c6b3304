// strings.h: every string of a file once.
#pragma once

#include "libcore/base/vec.h"

#include <stdbool.h>

// struct strings collects them.
// Shape: at holds them with their NULs, the first one from byte 1 on; slot is
//        a hash table of offsets, 0 where free; number, beside it, says which
//        one of all strings it is, counted from 0 in the order of at.
struct strings {
	VEC(char);
	struct pool *pool;
	uint64_t *slot, *number;
	uint64_t n_slots, n_used;
	bool failed; // out of memory: what was added since has no number
};

// strings_add returns the number of a string: its offset in at; 0 for NULL.
uint64_t strings_add(struct strings *s, const char *text);

// strings_number is strings_add for who counts strings instead of bytes. NULL
// is taken for "".
uint64_t strings_number(struct strings *s, const char *text);

// strings_begin makes the strings of a file that was written before the first
// ones: all of them at `at`, each with its NUL, in bytes [0, len). It is called
// once, before anything is added; without memory, s->failed is set.
void strings_begin(struct strings *s, const char *at, uint64_t len);
