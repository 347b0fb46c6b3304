// finding.h: what the dead process contradicts itself in, kept as a report.
//
// Damage is not an error: whoever meets it notes it here, gives that piece up
// and goes on with the next.
#pragma once

#include "libcore/base/vec.h"

// struct finding is one contradiction, as it is shown.
// Units: at is an address in the dead process, 0 when there is none.
// Owns:  kind is a static word ("truncated", "bad span"); text is the pool's.
struct finding {
	const char *kind;
	uint64_t at;
	const char *text;
};

// struct findings collects them; past LIMIT_FINDINGS only `dropped` counts.
struct findings {
	VEC(struct finding);
	uint64_t dropped;
	struct pool *pool;
};

// findings_add notes one finding, with printf-like text. It never fails: when
// memory is short the finding is only counted.
__attribute__((format(printf, 4, 5))) void
findings_add(struct findings *f, const char *kind, uint64_t at,
	     const char *fmt, ...);

// findings_add_err notes a failure as a finding of the given kind.
void findings_add_err(struct findings *f, const char *kind,
		      const struct hc_err *err);
