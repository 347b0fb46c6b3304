// mapuse.h: what a whole mapping is for, when nothing in it says more.
#pragma once

#include "libheap/go/memory/use.h"
#include "libheap/go/process.h"

struct go_mapuse;

// go_mapuse_open looks at all mappings of the process once.
// Owns:  *ret lives in pool. Fails: NOMEM.
HC_MUST enum hc go_mapuse_open(struct go_process *process, struct pool *pool,
			       struct go_mapuse **ret, struct hc_err *err);

// go_mapuse_of says what a segment is for. claimed tells that the runtime has
// something in it. *ret_module is the shared object's index in core_modules,
// SIZE_MAX when it is none.
enum go_use go_mapuse_of(const struct go_mapuse *maps,
			 const struct core_segment *segment, bool claimed,
			 size_t *ret_module);
