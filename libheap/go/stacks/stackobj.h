// stackobj.h: the addressed variables of a stack, of which only those that
// something points to are live.
//
// Their addresses are handed around, so no liveness map lists them. As the
// collector does, all of a stack are collected first, then those that a live
// word of the stack leads to are looked at once each.
// Source: runtime/mgcstack.go (1.18–1.27).
#pragma once

#include "libheap/go/stacks/stackmap.h"

// struct go_stackobj is one addressed variable.
// Units: len and ptr_len are bytes, ptr_len of the part that may hold
//        pointers. Shape: frame is the number of its frame; mask is an
//        address, of a GC program when prog is set; NULL-masked ones have
//        fixed set.
struct go_stackobj {
	taddr at, mask;
	uint32_t len, ptr_len;
	uint32_t frame;
	bool prog, fixed, done;
};

// struct go_stackobjs is those of one stack, in address order.
struct go_stackobjs {
	VEC(struct go_stackobj);
};

// go_stackobjs_take adds the variables of the frame at which u stands.
// It returns false when they are out of order or outside the stack.
// Fails: never; *ret_full is set when the pool is.
bool go_stackobjs_take(const struct go_process *process,
		     const struct go_unwind *u,
		     const struct go_frame_maps *maps, uint32_t frame,
		     struct pool *pool, struct go_stackobjs *objects,
		     bool *ret_full);

// go_stackobjs_find returns the one that holds the address, or NULL.
struct go_stackobj *go_stackobjs_find(const struct go_stackobjs *objects, taddr at);

// go_stackobj_mask sets *ret to the object's pointer mask.
// Fails: UNSAVED, CORRUPT, NOMEM. Owns: pool for GC programs.
HC_MUST enum hc go_stackobj_mask(const struct go_process *process,
			       const struct go_stackobj *object,
			       struct pool *pool, const uint8_t **ret,
			       struct hc_err *err);
