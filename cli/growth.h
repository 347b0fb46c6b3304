// growth.h: several cores or dumps of one process side by side: what each type
// and each holder had in each of them.
#pragma once

#include "cli/session.h"

#define GROWTH_MAX (OPTIONS_MAX_WORDS - 1) // cores: words but the command

// struct growth_cell is what a row has in one core.
// Units: retained is in bytes, that which would go with all of it.
struct growth_cell {
	uint64_t objects, bytes, retained;
};

// struct growth_row is a type, or a holder of roots.
// Shape: cell has one for each core. kind is NULL for a type.
struct growth_row {
	const char *name, *kind;
	struct growth_cell *cell;
};

// struct growth_object is a live object, by address.
struct growth_object {
	taddr at;
	uint64_t size;
	const char *type; // equal names have equal addresses
};

// struct growth_core is one of the cores.
struct growth_core {
	const char *file;
	struct heap_totals totals;
	bool has_retained;
	struct growth_object *objects; // ascending, if wanted
	uint64_t n_objects;
};

struct growth_rows {
	VEC(struct growth_row);
};

struct growth {
	unsigned n;
	struct growth_core core[GROWTH_MAX];
	struct growth_rows types, holders;
};

// growth_read opens the files in words 1 and up, one after another, and
// gathers their figures; with objects their objects too.
// Fails: NONE for a wrong call; as session_open, s->file being the file.
HC_MUST enum hc growth_read(struct session *s, bool objects,
			    struct growth *ret);

// growth_weight is what rows are judged by: retained bytes, or where they are
// not known own bytes.
uint64_t growth_weight(const struct growth *g, const struct growth_row *row,
		       unsigned core);

// growth_signed prints how much more b is than a: "+1.2 MB".
void growth_signed(struct out *out, uint64_t a, uint64_t b, unsigned width);

// growth_json_signed writes the same as a number.
void growth_json_signed(struct json *j, const char *key, uint64_t a,
			uint64_t b);
