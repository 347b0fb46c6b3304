// facts.h: what a runtime says of itself, collected by group.
#pragma once

#include "cli/session.h"

// struct facts holds the facts in the order in which the reader told them.
struct facts {
	VEC(struct heap_fact);
	struct pool *pool;
	bool nomem;
};

// facts_collect asks the reader; none when it has none to tell.
// Fails: NOMEM.
HC_MUST enum hc facts_collect(struct session *s, struct facts *ret);

// facts_text prints each group under its name.
void facts_text(struct session *s, const struct facts *facts);

// facts_json writes {"group": {"key": value}} under key "runtime"; a key that
// comes more than once has an array of its values.
void facts_json(struct json *j, const struct facts *facts);
