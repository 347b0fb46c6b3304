// parquet.h: one Parquet file of flat columns, written row by row.
//
// Source: apache/parquet-format 2.10, README.md and parquet.thrift; Thrift's
// compact protocol. Pages are PLAIN, required, one a column and row group.
#pragma once

#include "libheap/dump/wire.h"

#include "libcore/base/vec.h"

enum parquet_kind { PARQUET_I32 = 1, PARQUET_I64 = 2, PARQUET_TEXT = 6 };

// struct parquet_column is a column's name and kind; addresses and sizes are
// marked as unsigned.
struct parquet_column {
	const char *name;
	enum parquet_kind kind;
	bool is_unsigned;
};

#define PARQUET_COLUMNS 12

struct parquet_chunk {
	uint64_t at, raw, packed; // with the page's header
};

struct parquet_group {
	struct parquet_chunk chunk[PARQUET_COLUMNS];
	uint64_t rows;
};

// struct parquet is a file being written.
// Shape: buf[i] holds column i of the rows since the last row group.
struct parquet {
	struct wire *w;
	struct pool *pool;
	const struct parquet_column *columns;
	unsigned n_columns;
	const char *name;
	struct { VEC(uint8_t); } buf[PARQUET_COLUMNS];
	struct { VEC(uint8_t); } packed;
	struct { VEC(struct parquet_group); } groups;
	uint64_t rows, in_group; // in all, in this group
	bool failed;
	struct hc_err err;
};

// parquet_begin begins a file; *p may have been used for one before and keeps
// its room. Owns: pool. Fails: NOMEM.
HC_MUST enum hc parquet_begin(struct parquet *p, const char *name,
			      const struct parquet_column *columns,
			      unsigned n_columns, const struct dump_sink *sink,
			      struct pool *pool, struct hc_err *err);

// parquet_number and parquet_text put the next value of a column;
// parquet_row ends the row, which must have one of each.
void parquet_number(struct parquet *p, unsigned column, uint64_t v);
void parquet_text(struct parquet *p, unsigned column, const char *text);
void parquet_row(struct parquet *p);

// parquet_end writes what is left and the footer. Fails: with the first
// failure.
HC_MUST enum hc parquet_end(struct parquet *p, struct hc_err *err);
