// typeshape.h: naming objects by their pointer mask.
//
// Whatever is allocated with pointers has a descriptor in the program, and the
// allocator copied its pointer mask beside the object. Where only one type of
// the program has that mask and that size, the object is of this type; where
// several have, it stays unknown.
#pragma once

#include "libheap/go/types/typing.h"

struct go_shapes;

// go_shapes_open gathers the masks of all types of the program.
// Owns:  *ret lives in pool. Fails: NOMEM.
HC_MUST enum hc go_shapes_open(struct go_types *types, struct pool *pool,
			       struct go_shapes **ret, struct hc_err *err);

// go_shape_type returns the only type that an object of slot bytes with that
// pointer mask (bit i is word i) can be, 0 when there is none or several.
go_typeid go_shape_type(const struct go_shapes *shapes, uint64_t slot,
			uint64_t mask);

// go_shape_large returns the only type with a GC program that the unrolled
// copy at an address can be of: what mspan.largeType of Go 1.22 and 1.23 points
// to has lost all but its size and how far its pointers go.
// Source: runtime/mbitmap.go, heapSetTypeLarge and userArena (1.22–1.23).
go_typeid go_shape_large(const struct go_shapes *shapes, taddr unrolled);

// go_shape_closure is go_shape_type among the types that the compiler makes
// for closures (a code pointer F, then what is captured), of those that fit.
go_typeid go_shape_closure(const struct go_shapes *shapes, uint64_t slot,
			   uint64_t mask,
			   bool (*fits)(void *ctx, const struct go_type *type),
			   void *ctx);

// go_shape_map returns the map type of which n groups or buckets fill slot
// bytes and have that pointer mask together (0: no pointers), 0 when there is
// none or several.
go_typeid go_shape_map(const struct go_shapes *shapes, uint64_t slot,
		       uint64_t n, uint64_t mask);

// go_shape_chan returns the type of channels of an element type, 0 when the
// program has none.
go_typeid go_shape_chan(const struct go_shapes *shapes, go_typeid elem);

// go_shape_repeat returns the pointer mask of n values of size bytes, each with
// mask one; 0 when they have more than 64 words.
uint64_t go_shape_repeat(uint64_t one, uint64_t size, uint64_t n);
