// owners.h: the runtime's own threads (goroutines), chosen and in order.
#pragma once

#include "cli/session.h"

#include <regex.h>

// struct owners says which owners are wanted and counts them.
// Shape: matched counts those that --with lets through.
struct owners {
	struct session *s;
	bool filters;
	regex_t with;
	uint64_t matched;
};

// owners_open compiles --with, which is known to be good. owners_close lets
// go of it.
// Fails: UNSUPPORTED when the reader has no owners; NOMEM.
HC_MUST enum hc owners_open(struct session *s, struct owners *ret);
void owners_close(struct owners *owners);

// owners_each calls fn for each wanted owner until it returns false: first
// the one that brought the process down, then the program's, then the
// runtime's own.
void owners_each(struct owners *owners, heap_owner_fn *fn, void *ctx);
