// rootplace.h: what heap_root.detail says: which word a root is.
#pragma once

#include <stdint.h>

enum go_place {
	GO_IN_DATA,	 // of module `number`
	GO_IN_BSS,
	GO_IN_LOCALS,	 // of frame `frame`
	GO_IN_ARGS,
	GO_IN_OBJECT,	 // an addressed variable of frame `frame`
	GO_IN_WORDS,	 // of frame `frame`, not known to be a pointer
	GO_IN_CONTEXT,	 // g.sched.ctxt
	GO_IN_DEFER_FN,
	GO_IN_DEFER_LINK,
	GO_IN_DEFER,	 // the record itself
	GO_IN_PANIC,
	GO_IN_REG,	 // register `number`
	GO_IN_XREG,	 // byte `number` of the extended registers
	GO_IN_COPY,	 // a stack that was being copied
	GO_IN_FINALIZED, // a word of the object with a finalizer
	GO_IN_FINALIZER, // the special's function
	GO_IN_WEAK,
	GO_IN_CLEANUP,
	GO_IN_FINQUEUE,
	GO_IN_CLEANUPQUEUE,
};

// go_detail packs a place, a frame number of less than 2^24 and a number.
static inline uint64_t go_detail(enum go_place place, uint64_t frame,
				 uint32_t number)
{
	return (uint64_t)place | (frame & 0xffffff) << 8 |
	       (uint64_t)number << 32;
}
static inline enum go_place go_place_of(uint64_t detail)
{
	return (enum go_place)(detail & 0xff);
}
static inline uint32_t go_place_frame(uint64_t detail)
{
	return (uint32_t)(detail >> 8) & 0xffffff;
}
static inline uint32_t go_place_number(uint64_t detail)
{
	return (uint32_t)(detail >> 32);
}
