// match.h: whether a Go value as heapcore writes it is the value that a
// program printed of itself as JSON (testdata/README.md), for tests.
#pragma once

#include "cli/tests/json.h"

// matches says whether text is the value v, or begins it as far as "…" lets
// one see.
bool matches(const struct value *v, const char *text);

// item returns the value of a key of an object, or NULL.
struct value *item(const struct value *v, const char *key);
