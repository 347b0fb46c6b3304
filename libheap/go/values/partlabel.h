// partlabel.h: what the parts of an object are called.
#pragma once

#include "libheap/go/types/typing.h"

// go_label names the part of an object at a byte offset of its slot (".next",
// "[3].key"); "" when that is not known. With keys, what lies under a key of a
// map is "[\"bob\"].next", and the key "[key \"bob\"]".
const char *go_label(struct go_process *process, struct heap_ref ref,
		     uint64_t offset, bool keys, struct pool *pool);

// go_part_label names the part at byte offset off of a value of a type, and
// sets *ret_type to that part's type (a pointer, a string, …).
const char *go_part_label(struct go_types *types, go_typeid type, uint64_t off,
			  struct pool *pool, go_typeid *ret_type);
