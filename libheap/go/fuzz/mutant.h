// mutant.h: a real core and its executable in memory, and damage to what the
// reader reads in them.
//
// A fuzz input is a list of edits, each to a word or byte of one structure of
// the runtime in one of a few cores, so that most inputs get past the first
// checks. The cores are those of testdata/cores, unpacked below $FIXTURES or
// build/fixtures.
#pragma once

#include "libheap/heap.h"

// MUTANT_KINDS lists the structures that edits go to.
#define MUTANT_KINDS(X)                                                      \
	X(MSPAN) X(BITS) X(ARENA) X(VARIABLE) X(G) X(M) X(STACK) X(NOTE)     \
	X(MODULE) X(TABLE) X(TYPE) X(OBJECT) X(HEADER) X(DWARF)

enum mutant_kind {
#define X(name) MUTANT_##name,
	MUTANT_KINDS(X)
#undef X
	MUTANT_N_KINDS
};
#define MUTANT_BIT(name) (1u << MUTANT_##name)
#define MUTANT_ALL ((1u << MUTANT_N_KINDS) - 1)

enum { MUTANT_EDIT = 10, MUTANT_MAX_EDITS = 64 };

// struct mutant is one core with one executable, undamaged between inputs.
struct mutant;

// mutant_count returns how many there are to choose from, 0 without fixtures.
unsigned mutant_count(void);

// mutant_get returns number i % mutant_count(), loaded once, or NULL.
struct mutant *mutant_get(unsigned i);

// mutant_name says which it is.
const char *mutant_name(const struct mutant *m);

// mutant_damage applies the edits in data: MUTANT_EDIT bytes each, to the kinds
// of the set only. mutant_mend takes them back.
void mutant_damage(struct mutant *m, unsigned kinds, const uint8_t *data,
		   size_t size);
void mutant_mend(struct mutant *m);

// mutant_input names the two files for core_open.
struct core_input mutant_input(const struct mutant *m);

// mutant_object returns the address of object i % all of them.
taddr mutant_object(const struct mutant *m, unsigned i);

// mutant_cut returns a descriptor of a copy of the core's first len bytes, or
// -1; mutant_len is the whole.
int mutant_cut(const struct mutant *m, uint64_t len);
uint64_t mutant_len(const struct mutant *m);

// mutant_ask opens the mutant that the input's first byte names, damaged by
// the rest, and calls ask with the heap. It is what the fuzz targets are.
void mutant_ask(const uint8_t *data, size_t size, unsigned kinds,
		void (*ask)(struct heap *heap, struct pool *pool));

// mutant_hear reads a text, so that a sanitizer sees all of it. NULL is fine.
void mutant_hear(const char *text);
