// sparse.h: a temporary file without a name, in which zeros are holes.
#pragma once

#include "libcore/mapped.h"

// struct sparse is the file so far.
// Units: len is bytes appended; stored is how many of them are no holes.
// Owns:  fd, until sparse_close; nothing is left behind on any end.
struct sparse {
	int fd;
	uint64_t len, stored, checked;
};

// sparse_open makes one below dir.
// Fails: IO.
HC_MUST enum hc sparse_open(const char *dir, struct sparse *ret,
			    struct hc_err *err);

// sparse_append adds len bytes. Zeros are looked for in pieces of 64 KiB.
// Fails: IO; LIMIT when the disk is nearly full.
HC_MUST enum hc sparse_append(struct sparse *s, const uint8_t *at,
			      uint64_t len, struct hc_err *err);

// sparse_map maps all of it, for longer than the file is open.
// Fails: IO.
HC_MUST enum hc sparse_map(struct sparse *s, struct mapped *ret,
			   struct hc_err *err);

// sparse_close closes it. One that never opened has fd -1.
void sparse_close(struct sparse *s);
