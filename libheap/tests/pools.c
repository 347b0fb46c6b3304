// pools.c: see pools.h.
#include "libheap/tests/pools.h"

#include <check.h>

struct pool mine, theirs;

void pools_open(void)
{
	ck_assert(pool_open(UINT64_C(1) << 34, &mine, NULL) == HC_OK);
	ck_assert(pool_open(UINT64_C(1) << 34, &theirs, NULL) == HC_OK);
}

void pools_close(void)
{
	pool_close(&mine);
	pool_close(&theirs);
}
