// findings.h: what a dead process contradicts itself in, shown.
#pragma once

#include "cli/session.h"

// findings_text writes up to max findings, a line each.
void findings_text(struct out *out, const struct findings *f, uint64_t max);

// findings_json writes one object each into an open array.
void findings_json(struct json *j, const struct findings *f, uint64_t max);
