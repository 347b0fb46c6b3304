// histogram.h: how many objects there are of each type, package or size.
#pragma once

#include "cli/session.h"

enum histogram_by { BY_TYPE, BY_PACKAGE, BY_SIZE };

// struct histogram_row is one line. Shape: name is NULL for BY_SIZE, size is 0
// for the others.
struct histogram_row {
	const char *name;
	uint64_t size;
	struct heap_count count;
	uint64_t retained; // bytes, with --retained
};

// struct histogram is the answer, most bytes first.
// Shape: all and untyped are of all objects counted, --type aside; shown
//        of the rows.
struct histogram {
	enum histogram_by by;
	struct { VEC(struct histogram_row); } rows;
	struct heap_count all, untyped, shown;
	bool has_retained; // see keeperindex.h
};

// histogram_count counts live objects, or with garbage the others, that
// --min-size and --type let through.
// Fails: as types_open; NOMEM.
HC_MUST enum hc histogram_count(struct session *s, enum histogram_by by,
				bool garbage, struct histogram *ret);

// histogram_text prints up to max rows as a table, and what is left out.
void histogram_text(struct session *s, const struct histogram *h, uint64_t max);

// histogram_json writes up to max rows as an array.
void histogram_json(struct json *j, const struct histogram *h, uint64_t max);
