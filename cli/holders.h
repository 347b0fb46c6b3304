// holders.h: what holds all objects of a type: their paths, merged.
#pragma once

#include "cli/session.h"

// struct holder is one node of the tree: a root, or objects of one type that
// one word of those above leads to.
// Shape: name is the root's ("global main.cache"), function its function or
//        NULL; of objects, name is their type and field what leads to them,
//        indexes and keys left out. objects are those asked for that are
//        here; count and bytes those here and below. Parents come first.
struct holder {
	const char *name, *field, *function;
	uint32_t parent; // HOLDER_NONE for a root
	uint32_t type;   // number
	uint64_t objects;
	struct heap_count count;
	uint32_t first, last, next; // children, largest first; 0 is none
};
#define HOLDER_NONE UINT32_MAX

// struct holders is the tree. Shape: node 0 is above all roots.
struct holders {
	VEC(struct holder);
};

// holders_find merges the shortest paths to all live objects that --type lets
// through. What leads back to a type further up is the same node again, so
// that lists and trees do not unfold.
// Fails: NOMEM; as root_text.
HC_MUST enum hc holders_find(struct session *s, struct holders *ret);

// holders_text and holders_json print it, text up to max lines.
void holders_text(struct session *s, const struct holders *h, uint64_t max);
void holders_json(struct session *s, const struct holders *h);
