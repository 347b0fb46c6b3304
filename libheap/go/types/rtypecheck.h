// rtypecheck.h: is there a type descriptor at an address?
#pragma once

#include "libheap/go/process.h"

// rtype_check says whether a descriptor is at address `type`, and sets
// *ret_size to the size of a value. What the program was built with is held to
// all that the linker writes; what it made itself (reflect, unrolled pointer
// programs), elsewhere in memory, only to its first fields.
// Source: internal/abi/type.go (1.21–1.27), runtime/type.go (1.18–1.20).
bool rtype_check(const struct go_process *process, taddr type,
		 uint64_t *ret_size);

// rtype_mask sets *ret to which words of a value of at most 64 words hold
// pointers. It returns false when the descriptor does not hold that itself.
bool rtype_mask(const struct go_process *process, taddr type, uint64_t *ret);
