// value.h: a Go value as a line of text, as a Go programmer would write it.
#pragma once

#include "libheap/go/types/types.h"

// go_value_text writes the value of a type at mem (as long as its size, at
// address `at`) into pool: numbers, quoted strings, the first elements of
// slices and maps, what interfaces hold, times. Never NULL; cut to a line.
const char *go_value_text(struct go_types *types, go_typeid type,
			  const uint8_t *mem, taddr at, struct pool *pool);
