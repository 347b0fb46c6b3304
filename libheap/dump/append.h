// append.h: the file that another snapshot is appended to, for who writes.
#pragma once

#include "libheap/dump/unpack.h"

// struct dump_base is that file and the strings of all its snapshots.
struct dump_base {
	struct unpack file;
	struct bytes strings;
};

// dump_base_of is dump_base_open of a file that is in memory.
// Owns: the bytes stay the caller's.
HC_MUST enum hc dump_base_of(struct bytes file, bool values,
			     struct pool *pool, struct dump_base **ret,
			     struct hc_err *err);
