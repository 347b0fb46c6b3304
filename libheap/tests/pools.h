// pools.h: the two pools of a test that reads a written heap: what it writes in
// mine, what the library uses in theirs.
#pragma once

#include "libheap/heap.h"

extern struct pool mine, theirs;

// pools_open and pools_close are a checked fixture. Fail: the test.
void pools_open(void);
void pools_close(void);
