// typetext.h: types of objects in words, and the names of their parts.
#pragma once

#include "libheap/go/types/typing.h"

// go_type_text puts a type number of go_type_objects in words; see
// heap_reader.type_text.
HC_MUST enum hc go_type_text(struct go_process *process, uint32_t type,
			     struct pool *pool, struct heap_type_text *ret,
			     struct hc_err *err);

// go_object_type names the type of one object: an array with its length.
const char *go_object_type(struct go_process *process, struct heap_ref ref,
			   struct pool *pool);

// go_object_number returns the type number of an object and its span.
uint32_t go_object_number(const struct go_process *process,
			  struct heap_ref ref, const struct go_span **ret);
