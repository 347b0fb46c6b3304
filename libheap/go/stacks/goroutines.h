// goroutines.h: the goroutines of a dead program, as its own traceback shows
// them.
#pragma once

#include "libheap/go/stacks/threads.h"

// go_owners calls fn for each goroutine that is not dead until it returns
// false: the one that brought the process down first, then in the runtime's
// order. heap_owner.index is its place in the runtime's list.
// Source: runtime/traceback.go, goroutineheader and printcreatedby
//         (1.18–1.27).
void go_owners(struct go_process *process, heap_owner_fn *fn, void *ctx);

// go_owner_count returns how many there are.
uint64_t go_owner_count(const struct go_process *process);

// go_faulting returns the index of the goroutine that brought the process
// down, HEAP_NO_OWNER when it was none or is not known.
uint32_t go_faulting(const struct go_process *process);

// go_frames calls fn for each logical frame of goroutine `owner`, innermost
// first, until it returns false.
// Source: runtime/traceback.go, traceback2 (1.21–1.27), gentraceback
//         (1.18–1.20).
void go_frames(struct go_process *process, uint32_t owner, heap_frame_fn *fn,
	       void *ctx);

// go_crash_text sets *ret to what the runtime said when it gave up ("panic:
// …", "fatal error: …"), NULL when it did not or that is gone. Owns: the
// process's pool.
void go_crash_text(struct go_process *process, const char **ret);

// go_wait_reason returns the text of g.waitreason in this version, NULL when
// there is none.
const char *go_wait_reason(const struct go_process *process, uint64_t number);
