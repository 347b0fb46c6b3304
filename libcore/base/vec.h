// vec.h: a growing array in a pool.
//
//	struct { VEC(struct thing); } v = { 0 };
//	struct thing *t = vec_push(pool, &v);   // NULL when it does not fit
//
// The elements move when the array grows, so keep indexes, not pointers.
#pragma once

#include "libcore/base/pool.h"

// VEC(T) declares the members of a growing array of T.
// Units: n and cap count elements.
#define VEC(T)          \
	T *at;          \
	uint64_t n, cap

// vec_push adds one zeroed element to *v and returns it, or NULL.
#define vec_push(pool, v)                                                     \
	((__typeof__((v)->at))((v)->n < (v)->cap || vec_grow_(pool, v) ?      \
				       &(v)->at[(v)->n++] :                   \
				       NULL))

#define vec_grow_(pool, v)                                                    \
	vec_more_((pool), (void **)&(v)->at, sizeof(*(v)->at), (v)->n,        \
		  &(v)->cap)

static inline int vec_more_(struct pool *pool, void **at, uint64_t size,
			    uint64_t n, uint64_t *cap)
{
	uint64_t more = *cap ? *cap * 2 : 16;
	void *got = pool_grow(pool, *at, size, 16, *cap, more);
	(void)n;
	if (!got)
		return 0;
	*at = got;
	*cap = more;
	return 1;
}
