// defers.h: the deferred calls and panics of a goroutine.
#pragma once

#include "libheap/go/stacks/stackscan.h"

// scan_defers takes what the goroutine's defer and panic records hold.
// Source: runtime/mgcmark.go, scanstack (1.18–1.27).
void scan_defers(struct scan *s);
