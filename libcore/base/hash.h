// hash.h: one hash for the tables of names.
#pragma once

#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

// hash_more goes on from a hash, at first HASH_START, with len bytes.
// Source: FNV-1a, 64 bits, Fowler, Noll and Vo.
static inline uint64_t hash_more(uint64_t hash, const void *bytes, uint64_t len)
{
	const uint8_t *at = bytes;
	for (uint64_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}
