// intern.c: see intern.h.
#include "cli/intern.h"

#include "libcore/base/hash.h"

#include <string.h>

// Source: the finalizer of MurmurHash3, 64 bits.
uint64_t hash_mix(uint64_t hash, uint64_t more)
{
	hash = (hash ^ more) * UINT64_C(0xff51afd7ed558ccd);
	hash ^= hash >> 33;
	hash *= UINT64_C(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 33;
}

// find_slot returns where text is or belongs.
static const char **find_slot(const char **slots, uint64_t cap,
			      const char *text)
{
	uint64_t i = hash_mix(hash_more(HASH_START, text, strlen(text)), 0) & (cap - 1);
	while (slots[i] && strcmp(slots[i], text) != 0)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static bool grow(struct interned *set)
{
	uint64_t cap = set->cap ? 2 * set->cap : 256;
	const char **slots = pool_new(set->pool, const char *, cap);
	if (!slots)
		return false;
	for (uint64_t i = 0; i < set->cap; i++)
		if (set->slots[i])
			*find_slot(slots, cap, set->slots[i]) = set->slots[i];
	set->slots = slots;
	set->cap = cap;
	return true;
}

const char *intern(struct interned *set, const char *text)
{
	if (!text)
		text = "";
	if (2 * set->n >= set->cap && !grow(set))
		return NULL;
	const char **slot = find_slot(set->slots, set->cap, text);
	if (*slot)
		return *slot;
	*slot = pool_copy(set->pool, text, strlen(text));
	if (*slot)
		set->n++;
	return *slot;
}
