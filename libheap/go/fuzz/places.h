// places.h: where the structures that mutant.h damages lie in the two files.
#pragma once

#include "libheap/go/fuzz/mutant.h"

// struct mutant_file is one file in memory; path opens it.
struct mutant_file {
	uint8_t *bytes;
	uint64_t len;
	char path[48];
};

// struct mutant_place is one structure. Units: at is its address in the dead
// process, 0 for a place that has none; off is in its file.
struct mutant_place {
	taddr at;
	uint64_t off, len;
	bool exe;
};

enum { MUTANT_PLACES = 1 << 16 };

// Shape: places of one kind lie together: n_of[kind] from first[kind] on.
struct mutant {
	const char *name;
	struct mutant_file core, exe;
	struct mutant_place *place;
	uint32_t n_places, first[MUTANT_N_KINDS], n_of[MUTANT_N_KINDS];
	struct { uint8_t *at; uint64_t old; } undo[MUTANT_MAX_EDITS];
	unsigned n_undo;
};

// places_find opens the undamaged core and fills place. It returns false when
// that does not work.
bool places_find(struct mutant *m);
