// search.h: binary search, written once.
#pragma once

#include <stdint.h>

// search_while returns how many of the numbers 0 .. n - 1, from 0 on, `test` is
// true of. test is an expression in i that is true up to some number and false
// from there on; with damaged data, which may be in no order, the result is
// still at most n.
#define search_while(i, n, test)                                             \
	({                                                                   \
		uint64_t search_low_ = 0, search_high_ = (n);                \
		while (search_low_ < search_high_) {                         \
			uint64_t i = search_low_ +                           \
				     (search_high_ - search_low_) / 2;       \
			if (test)                                            \
				search_low_ = i + 1;                         \
			else                                                 \
				search_high_ = i;                            \
		}                                                            \
		search_low_;                                                 \
	})
