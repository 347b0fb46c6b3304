// fields.h: the parts of one object with their values.
#pragma once

#include "libheap/go/types/typing.h"

// go_fields calls fn for the typed parts of an object, in order of offset,
// maps by entry; see heap_reader.fields. At most FIELDS_MAX of them.
#define FIELDS_MAX 200000u
void go_fields(struct go_process *process, struct heap_ref ref,
	       heap_field_fn *fn, void *ctx);

// go_global_variables calls fn for each package variable in address order:
// those that debug information names, else every word of data and bss that
// points into the heap.
void go_global_variables(struct go_process *process, heap_global_fn *fn,
			 void *ctx);
