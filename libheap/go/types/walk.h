// walk.h: where a type keeps pointers and what they point to, as a flat list.
#pragma once

#include "libheap/go/types/types.h"

// enum walk_op is what lies at an offset.
enum walk_op {
	WALK_POINTER,   // to a value of type, which may be a map's header or
			// a channel (GO_KIND_MAP_HEADER, GO_KIND_CHANNEL),
			// or GO_KIND_SOME_CLOSURE, GO_KIND_TRIE_NODE
	WALK_SLICE,     // pointer, length, capacity: elements of type
	WALK_STRING,    // pointer, length; type is GO_KIND_STRING_DATA
	WALK_EFACE,     // dynamic type, data
	WALK_IFACE,     // itab, data
	WALK_UNSAFE,    // a pointer to who knows what
	WALK_ARRAY,     // n elements of type, each stride bytes
	WALK_OBJECT,    // an object that is an array of type as far as it goes
};

// struct walk_item is one of them. Units: off and stride in bytes.
struct walk_item {
	uint32_t off, n;
	go_typeid type;
	uint32_t stride;
	uint8_t op; // enum walk_op
};

// struct walk is one type's items in ascending offset. Units: size in bytes.
// Shape: cut says that the type has more than could be listed.
struct walk {
	const struct walk_item *at;
	uint32_t n;
	uint64_t size;
	bool cut;
};

// struct walks keeps the lists of all types that were asked for.
struct walks;

// walks_open makes an empty one. Owns: *ret lives in pool. Fails: NOMEM.
HC_MUST enum hc walks_open(struct go_types *types, struct pool *pool,
			   struct walks **ret, struct hc_err *err);
void walks_close(struct walks *walks);

// walk_of returns the list of a type; empty for types without pointers. The
// items stay valid.
struct walk walk_of(struct walks *walks, go_typeid type);
