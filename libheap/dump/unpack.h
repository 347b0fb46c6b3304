// unpack.h: a file in our own format, checked, and its sections unpacked.
#pragma once

#include "libheap/dump/dump.h"
#include "libheap/dump/format.h"

// struct unpack is one snapshot of an open file whose every byte has been
// checked.
// Units: entry counts blocks; len is bytes after unpacking.
// Shape: blocks begin at file offset `begin` and end where toc begins; end is
//        behind the snapshot's trailer. number counts from 1 to n_snapshots.
// Owns:  the mapping, from unpack_open to unpack_close; entries are the file's.
struct unpack {
	struct bytes file;
	uint64_t begin, end;
	uint32_t number, n_snapshots;
	struct bytes toc;
	struct {
		uint64_t first, n; // blocks
		uint64_t at;       // file offset of the first
		uint64_t len;
	} section[DUMP_N_SECTIONS];
	uint32_t flags;
	bool borrowed; // the bytes are not ours to unmap
};

// unpack_open maps the file, checks all its sums and takes the snapshot of that
// number; 0 is the last.
// Fails: IO; TRUNCATED; CORRUPT at the offset of the damage; UNSUPPORTED, also
//        when it has no such snapshot.
HC_MUST enum hc unpack_open(const char *path, uint32_t number,
			    struct unpack *ret, struct hc_err *err);

// unpack_bytes is unpack_open of a file that is in memory.
// Owns: the bytes stay the caller's.
HC_MUST enum hc unpack_bytes(struct bytes file, uint32_t number,
			     struct unpack *ret, struct hc_err *err);

// unpack_other takes another snapshot of a file that is open.
// Owns: the bytes stay those of `of`. Fails: UNSUPPORTED when there is none of
// that number.
HC_MUST enum hc unpack_other(const struct unpack *of, uint32_t number,
			     struct unpack *ret, struct hc_err *err);
void unpack_close(struct unpack *u);

// unpack_section unpacks a whole section; one that is not there is empty.
// Owns:  *ret is in pool, org 0. Fails: CORRUPT; NOMEM.
HC_MUST enum hc unpack_section(const struct unpack *u,
			       enum dump_section section, struct pool *pool,
			       struct bytes *ret, struct hc_err *err);

// unpack_strings unpacks the strings of this snapshot and of all before it, one
// after another as texts count them, with a NUL behind the last.
// Owns:  *ret is in pool, org 0. Fails: CORRUPT; NOMEM.
HC_MUST enum hc unpack_strings(const struct unpack *u, struct pool *pool,
			       struct bytes *ret, struct hc_err *err);
