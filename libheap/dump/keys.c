// keys.c: see keys.h.
#include "libheap/dump/keys.h"

#include <string.h>

#define FIRST_SLOTS 256

static uint64_t hash_of(const uint64_t *key, uint64_t n)
{
	uint64_t h = n;
	for (uint64_t i = 0; i < n; i++) {
		h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

const uint64_t *keys_at(const struct keys *k, uint64_t number, uint64_t *ret_n)
{
	uint64_t from = number ? k->end.at[number - 1] : 0;
	*ret_n = k->end.at[number] - from;
	return k->words.at + from;
}

// place finds where in the table a key is or belongs.
static uint64_t place(const struct keys *k, const uint64_t *key, uint64_t n)
{
	uint64_t i = hash_of(key, n) & (k->n_slots - 1);
	for (; k->slot[i]; i = (i + 1) & (k->n_slots - 1)) {
		uint64_t len;
		const uint64_t *at = keys_at(k, k->slot[i] - 1, &len);
		if (len == n && memcmp(at, key, n * sizeof(*key)) == 0)
			break;
	}
	return i;
}

static bool grow(struct keys *k)
{
	uint64_t n = k->n_slots ? 2 * k->n_slots : FIRST_SLOTS, len;
	uint64_t *slot = pool_new(k->pool, uint64_t, n);
	if (!slot)
		return false;
	k->slot = slot;
	k->n_slots = n;
	for (uint64_t i = 0; i < k->end.n; i++) {
		const uint64_t *at = keys_at(k, i, &len);
		uint64_t to = hash_of(at, len) & (n - 1);
		while (slot[to])
			to = (to + 1) & (n - 1);
		slot[to] = i + 1;
	}
	return true;
}

bool keys_number(struct keys *k, const uint64_t *key, uint64_t n,
		 uint64_t *ret)
{
	if (2 * k->end.n >= k->n_slots && !grow(k))
		return false;
	uint64_t i = place(k, key, n);
	if (!k->slot[i]) {
		for (uint64_t j = 0; j < n; j++) {
			uint64_t *word = vec_push(k->pool, &k->words);
			if (!word)
				return false;
			*word = key[j];
		}
		uint64_t *end = vec_push(k->pool, &k->end);
		if (!end)
			return false;
		*end = k->words.n;
		k->slot[i] = k->end.n;
	}
	*ret = k->slot[i] - 1;
	return true;
}
