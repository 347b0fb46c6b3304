// allocs.h: where sampled memory was allocated: the runtime's memory profile.
#pragma once

#include "libheap/go/process.h"

// go_profile says whether and how the program sampled its allocations; see
// heap_reader.profile.
// Source: runtime/mprof.go, MemProfileRate; cmd/link, which leaves the profile
//         out of programs that never ask for it (1.18–1.27).
HC_MUST enum hc go_profile(struct go_process *process,
			   struct heap_profile *ret, struct hc_err *err);

// go_alloc_sites calls fn for each bucket of the profile; see
// heap_reader.alloc_sites. A damaged bucket ends the list, with a finding.
// Source: runtime/mprof.go, bucket, memRecord, memRecordCycle (1.18–1.27).
void go_alloc_sites(struct go_process *process, heap_alloc_site_fn *fn,
		    void *ctx);

// go_sampled calls fn for each object that is in the sample, with the address
// of its site. Source: runtime/mheap.go, specialprofile (1.18–1.27).
void go_sampled(struct go_process *process,
		void (*fn)(void *ctx, taddr object, taddr site), void *ctx);
