// strings.c: see strings.h.
#include "libheap/dump/strings.h"

#include "libcore/base/hash.h"

#include <string.h>

#define FIRST_SLOTS 1024

static uint64_t hash_of(const char *text)
{
	uint64_t h = hash_more(HASH_START, text, strlen(text));
	return h ^ h >> 29;
}

// probe returns where in the table a string is or belongs.
static uint64_t probe(const struct strings *s, const char *text)
{
	uint64_t k = hash_of(text) & (s->n_slots - 1);
	while (s->slot[k] && strcmp(s->at + s->slot[k], text))
		k = (k + 1) & (s->n_slots - 1);
	return k;
}

// grow doubles the hash table.
static bool grow(struct strings *s)
{
	uint64_t n = s->n_slots ? 2 * s->n_slots : FIRST_SLOTS;
	uint64_t *slot = pool_new(s->pool, uint64_t, n);
	uint64_t *number = pool_new(s->pool, uint64_t, n);
	if (!slot || !number)
		return false;
	for (uint64_t i = 0; i < s->n_slots; i++) {
		if (!s->slot[i])
			continue;
		uint64_t k = hash_of(s->at + s->slot[i]) & (n - 1);
		while (slot[k])
			k = (k + 1) & (n - 1);
		slot[k] = s->slot[i];
		number[k] = s->number[i];
	}
	s->slot = slot;
	s->number = number;
	s->n_slots = n;
	return true;
}

// append puts the bytes behind the others and returns where, 0 on failure.
static uint64_t append(struct strings *s, const char *text, uint64_t len)
{
	uint64_t from = s->n ? s->n : 1, cap = s->cap ? s->cap : 4096;
	while (cap - from < len)
		cap *= 2;
	if (cap > s->cap) {
		char *at = pool_grow(s->pool, s->at, 1, 1, s->n, cap);
		if (!at)
			return 0;
		s->at = at;
		s->cap = cap;
		s->at[0] = '\0';
	}
	memcpy(s->at + from, text, len);
	s->n = from + len;
	return from;
}

// has_room makes room for one string more in the table.
static bool has_room(struct strings *s)
{
	s->failed = s->failed || (2 * s->n_used >= s->n_slots && !grow(s));
	return !s->failed;
}

// place finds the string's place in the table, where it is put if it is new.
static bool place(struct strings *s, const char *text, uint64_t *ret)
{
	if (!has_room(s))
		return false;
	uint64_t k = probe(s, text);
	if (!s->slot[k]) {
		s->slot[k] = append(s, text, strlen(text) + 1);
		s->number[k] = s->n_used++;
		s->failed = !s->slot[k];
	}
	*ret = k;
	return !s->failed;
}

uint64_t strings_add(struct strings *s, const char *text)
{
	uint64_t k;
	return text && place(s, text, &k) ? s->slot[k] : 0;
}

uint64_t strings_number(struct strings *s, const char *text)
{
	uint64_t k;
	return place(s, text ? text : "", &k) ? s->number[k] : 0;
}

void strings_begin(struct strings *s, const char *at, uint64_t len)
{
	s->at = pool_new(s->pool, char, len);
	if (!s->at || !len) {
		s->failed = true;
		return;
	}
	memcpy(s->at, at, len);
	s->n = s->cap = len;
	for (uint64_t i = 1; i < len; i += strlen(at + i) + 1) {
		if (!has_room(s))
			return;
		uint64_t k = probe(s, at + i);
		if (s->slot[k])
			continue;
		s->slot[k] = i;
		s->number[k] = s->n_used++;
	}
}
