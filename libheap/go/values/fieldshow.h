// fieldshow.h: what shows an object's values and what shows objects without a
// Go type of their own have in common.
#pragma once

#include "libheap/go/values/fields.h"

// struct go_part is a value still to be shown.
struct go_part {
	const char *name;
	const uint8_t *mem;
	taddr at;
	go_typeid type;
	unsigned depth;
};

// struct go_show is one object being shown.
// Shape: parts is a stack of n values.
struct go_show {
	struct go_process *process;
	struct go_types *types;
	heap_field_fn *fn;
	void *ctx;
	struct pool *pool; // rewound after each field
	char *mark;
	taddr base;        // of the slot
	uint64_t slot;     // its size
	struct go_part *parts;
	unsigned n;
	uint32_t left;     // fields that may still be shown
	bool stop;
};

// go_show_row hands out one field; what lies outside of the object gets the
// offset 0.
void go_show_row(struct go_show *s, const char *name, const char *type,
		 const char *value, taddr at, unsigned depth);

// go_show_array hands out n values of a type that lie one behind the other,
// bytes as one string.
void go_show_array(struct go_show *s, const uint8_t *mem, taddr at,
		   go_typeid type, uint64_t n);

// go_show_part hands out one value, a struct field by field.
void go_show_part(struct go_show *s, struct go_part part);

// go_show_bytes hands out n bytes as a string.
void go_show_bytes(struct go_show *s, const uint8_t *mem, taddr at, uint64_t n,
		   const char *type);

// go_show_words hands out the words from byte `from` on of the len bytes at
// mem.
void go_show_words(struct go_show *s, const uint8_t *mem, taddr at,
		   uint64_t len, uint64_t from);

// go_show_special hands out an object whose type has no Go name: a map, a
// channel with what waits in it, the bytes of a string, a closure.
void go_show_special(struct go_show *s, const struct go_type *r,
		     const uint8_t *mem, taddr at, uint64_t len);
