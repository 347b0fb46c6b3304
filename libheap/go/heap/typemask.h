// typemask.h: which words of a type are pointers, out of its descriptor.
#pragma once

#include "libheap/go/process.h"

// struct go_mask is the pointer mask of one type.
// Units: n_words counts bits (words of 8 bytes) from the type's start, the
//        rest up to stride bytes holds no pointers.
// Owns:  bits lie in the core or in the pool of the masks.
struct go_mask {
	const uint8_t *bits;
	uint64_t n_words, stride;
};

// struct go_masks remembers the masks of the types seen. Readers may use it
// from several threads.
struct go_masks;

// go_masks_open makes an empty one for the process, in its pool.
HC_MUST enum hc go_masks_open(struct go_process *process,
			      struct go_masks **ret, struct hc_err *err);

// go_masks_close gives back what was built. NULL is fine.
void go_masks_close(struct go_masks *masks);

// go_mask_of sets *ret to the mask of the type at address `type`, of which at
// least one element must fit into room bytes. It returns false when there is
// no such type: a damaged header.
// Source: internal/abi/type.go; runtime/mbitmap.go, runGCProg (to 1.23);
//         runtime/type.go, getGCMaskOnDemand and buildGCMask (1.24–1.27).
bool go_mask_of(struct go_masks *masks, taddr type, uint64_t room,
		struct go_mask *ret);

// go_gcprog_run unrolls a GC program (the bytes after its length) into up to
// n_words bits at dst, which the caller has zeroed and sized.
// Fails: CORRUPT or TRUNCATED.
HC_MUST enum hc go_gcprog_run(struct bytes prog, uint8_t *dst,
			      uint64_t n_words, struct hc_err *err);
