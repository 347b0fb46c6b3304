// typetext.h: types of objects in words, and the names of their parts.
#pragma once

#include "libheap/go/typing.h"

// go_type_text puts a type number of go_type_objects in words; see
// heap_reader.type_text.
HC_MUST enum hc go_type_text(struct go_process *process, uint32_t type,
			     struct pool *pool, struct heap_type_text *ret,
			     struct hc_err *err);

// go_object_type names the type of one object: an array with its length.
const char *go_object_type(struct go_process *process, struct heap_ref ref,
			   struct pool *pool);

// go_label names the part of an object at a byte offset of its slot
// (".next", "[3].key"); "" when that is not known.
const char *go_label(struct go_process *process, struct heap_ref ref,
		     uint64_t offset, struct pool *pool);

// go_part_label names the part at byte offset off of a value of a type, and
// sets *ret_type to that part's type (a pointer, a string, …).
const char *go_part_label(struct go_types *types, go_typeid type, uint64_t off,
			  struct pool *pool, go_typeid *ret_type);
