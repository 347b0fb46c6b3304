// stackroots.h: what the stack of one goroutine keeps alive.
#pragma once

#include "libheap/go/stacks/start.h"

// go_stack_roots calls fn for every root of goroutine g: live words of its
// frames, of its addressed variables that are reached, of its defer and panic
// records, and of its registers. What is broken is a finding, once.
// Source: runtime/mgcmark.go, scanstack and scanframeworker (1.18–1.27).
void go_stack_roots(const struct go_process *process, const struct go_g *g,
		    heap_root_fn *fn, void *ctx);
