// growth.h: several cores or dumps of one process side by side: what each type,
// each holder and each allocating stack had in each of them.
#pragma once

#include "cli/session.h"

#define GROWTH_MAX (OPTIONS_MAX_WORDS - 1) // cores: words but the command

// struct growth_cell is what a row has in one core.
// Units: retained is in bytes, that which would go with all of it. Of a stack
//        all are estimates, and retained is bytes.
struct growth_cell {
	uint64_t objects, bytes, retained;
};

// struct growth_row is a type, a holder of roots, or a stack that allocates.
// Shape: cell has one for each core. kind is NULL but for a holder. frames are
//        those outside the runtime, innermost first, none but for a stack,
//        whose name is the function of the first one.
// Owns:  strings are interned: equal ones have equal addresses.
struct growth_row {
	const char *name, *kind;
	const struct heap_frame *frames;
	uint32_t n_frames;
	struct growth_cell *cell;
};

// struct growth_object is a live object, by address.
struct growth_object {
	taddr at;
	uint64_t size;
	const char *type; // equal names have equal addresses
};

// struct growth_core is one of the cores.
// Shape: snapshot is 0 unless all are of one file.
struct growth_core {
	const char *file;
	uint32_t snapshot;
	struct heap_totals totals;
	struct growth_object *objects; // ascending, if wanted
	uint64_t n_objects;
};

// struct growth_rows are rows in the order in which they were met.
// Shape: slots is a hash table of n_slots places in at plus 1; it does not
//        hold after sorting.
struct growth_rows {
	VEC(struct growth_row);
	uint32_t *slots;
	uint64_t n_slots;
};

// struct growth is all that was gathered.
// Shape: has_sites says that all cores have a memory profile; without it there
//        are no sites. left_out is why retained sizes, and with them holders,
//        are not known of all cores, else NULL.
struct growth {
	unsigned n;
	struct growth_core core[GROWTH_MAX];
	struct growth_rows types, holders, sites;
	bool has_sites;
	const char *left_out;
};

// growth_read opens the files in words 1 and up, one after another, and
// gathers their figures; with objects their objects too. A single heap-dump
// file stands for its snapshots, with objects for the first and the last. What retained sizes
// take must not be there: then left_out is set.
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

// growth_row_add finds the row that has the name, kind and frames of key, all
// interned, or makes it, with n_cells cells; frames are copied. NULL when
// memory is short.
struct growth_row *growth_row_add(struct growth_rows *rows, struct pool *pool,
				  const struct growth_row *key,
				  unsigned n_cells);

// growth_by_name orders rows by name, then by kind, then by their frames.
int growth_by_name(const struct growth_row *a, const struct growth_row *b);

// growth_place prints the end of a row: what it is, and of a stack the calls
// that led there, behind so many blanks, the outermost ones left out.
void growth_place(struct out *out, const struct growth_row *row,
		  size_t indent);

// growth_note says for people what was left out, if anything.
void growth_note(struct out *out, const struct growth *g);
