// keeperindex.h: what a variable, a goroutine or a type retains, looked up.
#pragma once

#include "cli/histogram.h"
#include "cli/session.h"

// struct keeper_index knows what holders of one kind retain. Shape: without
// --retained it is empty and `is` is false.
struct keeper_index {
	bool is;
	struct keeper_entry {
		uint64_t key, bytes;
	} *at;
	size_t n;
};

// keeper_index_open fills *ret by owner (heap_owner.index) or by the address
// of the variable, when --retained is given. Fails: as keepers_open; NOMEM.
HC_MUST enum hc keeper_index_open(struct session *s, bool owners,
				  struct keeper_index *ret);

// keeper_index_find returns the bytes that one retains, 0 when it holds none.
uint64_t keeper_index_find(const struct keeper_index *index, uint64_t key);

// keeper_index_types sets what each row of a histogram by type or package
// retains, when --retained is given. Fails: as keepers_open; NOMEM.
HC_MUST enum hc keeper_index_types(struct session *s, struct histogram *h);
