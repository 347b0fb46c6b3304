// pool.c: see pool.h.
#include "libcore/base/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

// Rewinding over more than this returns the pages instead of clearing them.
#define POOL_KEEP (1u << 20)

#define LARGE_PAGE ((uintptr_t)2 << 20)

enum hc pool_open(uint64_t cap, struct pool *ret, struct hc_err *err)
{
	void *at = mmap(NULL, cap, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return hc_fail(err, HC_NOMEM, 0,
			       "cannot reserve %" PRIu64 " bytes", cap);
	char *start = at;
	*ret = (struct pool){ start, start, start, start + cap, 0 };
	return HC_OK;
}

void pool_close(struct pool *pool)
{
	if (pool->start)
		munmap(pool->start, (size_t)(pool->end - pool->start));
	*pool = (struct pool){ 0 };
}

// pool_take moves next past n bytes at align and returns them, unzeroed.
static char *pool_take(struct pool *pool, uint64_t n, uint64_t align)
{
	uint64_t pad = -(uint64_t)(uintptr_t)pool->next & (align - 1);
	uint64_t room = (uint64_t)(pool->end - pool->next);
	if (pool->fail_after && --pool->fail_after == 0)
		return NULL;
	if (pad > room || n > room - pad)
		return NULL;
	char *at = pool->next + pad;
	pool->next = at + n;
	return at;
}

// pool_zero zeroes what may be dirty of [at, next).
static void pool_zero(struct pool *pool, char *at)
{
	if (at < pool->clean) {
		char *end = pool->next < pool->clean ? pool->next : pool->clean;
		memset(at, 0, (size_t)(end - at));
	}
	if (pool->next > pool->clean)
		pool->clean = pool->next;
}

void *pool_alloc(struct pool *pool, uint64_t size, uint64_t align, uint64_t n)
{
	uint64_t len;
	if (__builtin_mul_overflow(size, n, &len))
		return NULL;
	char *at = pool_take(pool, len, align);
	if (at)
		pool_zero(pool, at);
	return at;
}

void *pool_dense(struct pool *pool, uint64_t size, uint64_t align, uint64_t n)
{
	char *at = pool_alloc(pool, size, align, n);
	uintptr_t from = ((uintptr_t)at + LARGE_PAGE - 1) & -LARGE_PAGE;
	uintptr_t to = ((uintptr_t)at + size * n) & -LARGE_PAGE;
	if (at && from < to)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
	return at;
}

void *pool_grow(struct pool *pool, void *old, uint64_t size, uint64_t align,
		uint64_t n_old, uint64_t n_new)
{
	uint64_t len, had = size * n_old;
	if (__builtin_mul_overflow(size, n_new, &len))
		return NULL;
	if (old && (char *)old + had == pool->next && n_new >= n_old) {
		char *more = pool_take(pool, len - had, 1);
		if (more)
			pool_zero(pool, more);
		return more ? old : NULL;
	}
	void *at = pool_alloc(pool, size, align, n_new);
	if (at && had)
		memcpy(at, old, had);
	return at;
}

char *pool_copy(struct pool *pool, const void *bytes, uint64_t len)
{
	if (len == UINT64_MAX)
		return NULL;
	char *at = pool_alloc(pool, 1, 1, len + 1);
	if (at && len)
		memcpy(at, bytes, len);
	return at;
}

char *pool_printf(struct pool *pool, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *at = n < 0 ? NULL : pool_alloc(pool, 1, 1, (uint64_t)n + 1);
	if (at) {
		va_start(ap, fmt);
		vsnprintf(at, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	return at;
}

void pool_rewind(struct pool *pool, char *mark)
{
	uintptr_t page = 4096;
	char *from = (char *)(((uintptr_t)mark + page - 1) & ~(page - 1));
	if (pool->clean > from && (size_t)(pool->clean - from) > POOL_KEEP) {
		madvise(from, (size_t)(pool->clean - from), MADV_DONTNEED);
		pool->clean = from;
	}
	pool->next = mark;
}
