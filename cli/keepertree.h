// keepertree.h: what a keeper retains, as a tree for people.
#pragma once

#include "cli/session.h"

// keepers_tree prints up to about `rows` lines of what is below a keeper: the
// largest, and below each of these its own largest while they matter.
// Fails: NOMEM; as the reader's root_text.
HC_MUST enum hc keepers_tree(struct session *s, struct heap_retained *r,
			     const struct heap_keeper *top, uint64_t rows);
