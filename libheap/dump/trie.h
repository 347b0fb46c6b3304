// trie.h: who retains what, folded by names: holders at the top, below each
// the types of what it alone keeps alive.
#pragma once

#include "libheap/dump/export.h"

// struct trie_node is one name below another.
// Units: name is a string's number. Shape: parent comes before; node 0 is the
//        top and has no name. kind is that of the holder above (a string).
struct trie_node {
	uint32_t parent, depth;
	uint64_t name, kind;
	uint64_t objects, bytes;         // its own
	uint64_t other_objects, other_bytes; // of what was too small below it
	uint64_t sum;                    // bytes with all below
};

struct trie {
	VEC(struct trie_node);
	struct export *e;
	uint32_t *table; // hash table of nodes plus 1
	uint64_t n_table;
	uint64_t small; // nodes that were too small for one of their own
};

// trie_build follows the tree of keepers from the top. A name that is above
// already is not gone down to again (a list is one node). Nodes under 1/share
// of all bytes become part of the one above.
// Fails: as heap_retain; NOMEM.
HC_MUST enum hc trie_build(struct export *e, uint64_t share, struct trie *ret);
