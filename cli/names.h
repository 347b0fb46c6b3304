// names.h: an address in words.
#pragma once

#include "cli/session.h"

// name_address says what lies at an address: which object and where in it,
// else which symbol; NULL when that is not known.
// Owns: s->scratch; raw, to be escaped by whoever prints it.
const char *name_address(struct session *s, taddr at);

// name_use says what the memory at an address is used for, or NULL.
const char *name_use(struct session *s, taddr at, uint64_t len);
