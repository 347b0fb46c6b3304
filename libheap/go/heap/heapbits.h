// heapbits.h: the pointer bitmaps of the heap, in the span or in the arena.
#pragma once

#include "libheap/go/heap/spans.h"

// struct go_heapbits is where one span's bitmap is.
// Shape: fast is set when the map is 1 bit a word from the span's start, of
//        fast_len >= 8 bytes that cover all objects, when these have at most
//        64 words and lie in one run; bits then is the same. bits is NULL
//        when the core lacks it.
struct go_heapbits {
	const uint8_t *fast;
	uint32_t fast_len;
	const uint8_t *bits;
	const uint8_t *no_more; // noMorePtrs of the arena (1.20–1.21)
	uint64_t n_bits;        // how many words the map at bits covers
	uint64_t first;         // bit of the span's first word
};

// go_heapbits_find looks up the map of a heap span.
// Source: runtime/mbitmap.go heapBitsForAddr (1.18–1.21) and heapBitsInSpan,
//         mheap.go initSpan (1.22–1.27); arena.go for user arenas.
void go_heapbits_find(const struct go_process *process,
		      const struct go_span *span, struct go_heapbits *ret);

// go_heapbits_word returns the pointer bits of n <= 64 words of a span, from
// word `first` of the span on; *ret_more is false when the map says that the
// object has no pointers behind them.
uint64_t go_heapbits_word(const struct go_process *process,
			  const struct go_heapbits *map,
			  const struct go_span *span, uint64_t first,
			  uint64_t n, bool *ret_more);
