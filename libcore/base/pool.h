// pool.h: memory in phases. A pool reserves its cap once, gives out zeroed
// pieces in order, and lets go of everything since a mark at one stroke.
//
// It is the only place where heapcore's own code gets memory, so one number
// bounds what hostile input can make us use.
#pragma once

#include "libcore/base/err.h"

// struct pool is one reserved run of our own address space.
// Shape: start <= next <= end; bytes from `clean` on have never been handed
//        out (the system's zero pages), bytes below may be dirty.
// Owns:  its mapping, from pool_open to pool_close. Not for two threads.
struct pool {
	char *start, *next, *clean, *end;
	uint64_t fail_after; // tests: n > 0 lets the n-th allocation fail
};

// pool_open reserves cap bytes of address space for *ret, without using any.
// Fails: NOMEM when the system refuses the reservation.
HC_MUST enum hc pool_open(uint64_t cap, struct pool *ret, struct hc_err *err);

// pool_close gives everything back. A zeroed pool is fine.
void pool_close(struct pool *pool);

// pool_alloc returns n zeroed objects of size bytes, or NULL when they do not
// fit: the one answer for "too many" and for "n * size overflows".
// Units: align is a power of two of at most 4096.
void *pool_alloc(struct pool *pool, uint64_t size, uint64_t align, uint64_t n);
#define pool_new(pool, T, n) ((T *)pool_alloc((pool), sizeof(T), _Alignof(T), (n)))

// pool_dense is pool_alloc for a large array that will nearly all be used: the
// system is asked for large pages (2 MB), which saves most of the faults and of
// the misses in the tables of pages. What is small or used here and there keeps
// small ones.
void *pool_dense(struct pool *pool, uint64_t size, uint64_t align, uint64_t n);
#define pool_new_dense(pool, T, n) \
	((T *)pool_dense((pool), sizeof(T), _Alignof(T), (n)))

// pool_grow makes the array at old, whose n_old objects are in use, have room
// for n_new. It extends in place when old was the last allocation, else it
// copies. Returns NULL when they do not fit; old then stays as it was.
void *pool_grow(struct pool *pool, void *old, uint64_t size, uint64_t align,
		uint64_t n_old, uint64_t n_new);

// pool_copy returns a copy of the len bytes at bytes with a NUL behind them,
// or NULL when it does not fit.
char *pool_copy(struct pool *pool, const void *bytes, uint64_t len);

// pool_printf returns a new NUL-terminated string, or NULL when it does not
// fit.
__attribute__((format(printf, 2, 3))) char *pool_printf(struct pool *pool,
							const char *fmt, ...);

// pool_mark returns where the pool is now; pool_rewind goes back to it. What
// was handed out since is gone, and large runs return to the system.
static inline char *pool_mark(const struct pool *pool)
{
	return pool->next;
}
void pool_rewind(struct pool *pool, char *mark);

// pool_used returns how many bytes are handed out, padding included.
static inline uint64_t pool_used(const struct pool *pool)
{
	return (uint64_t)(pool->next - pool->start);
}

// hc_nomem is the failure to report when a pool said NULL.
#define hc_nomem(err) \
	hc_fail(err, HC_NOMEM, 0, "the memory limit does not allow it")
