// pprof.h: --pprof: the answer as a profile for `go tool pprof`.
#pragma once

#include "cli/owners.h"

// pprof_allocs writes the heap profile that the program would have written of
// itself when it ended: what is published, scaled.
// Fails: UNSUPPORTED when the reader has none; NOMEM; IO.
HC_MUST enum hc pprof_allocs(struct session *s);

// pprof_goroutines writes the goroutine profile of the wanted ones but the
// runtime's own. Fails: NOMEM; IO.
HC_MUST enum hc pprof_goroutines(struct session *s, struct owners *owners);
