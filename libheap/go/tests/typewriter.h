// typewriter.h: type descriptors written into a core in memory, good or broken
// on purpose.
#pragma once

#include "libheap/go/tests/gowriter.h"
#include "libheap/go/types/types.h"

// struct typewriter is the type section while it is made, then its types.
// Shape: descriptors follow each other from GW_DATA on, names from GW_RODATA.
struct typewriter {
	struct gowriter w;
	uint32_t n_types, n_names; // bytes in use
	unsigned minor;
	struct gw_core core;
	struct go_module module;
	struct go_types *types;
};

// struct tw_field is a field of a struct to be written.
struct tw_field {
	const char *name;
	taddr type;
	uint64_t off;
	bool embedded;
};

// tw_begin makes an empty section of go1.minor.
struct typewriter *tw_begin(unsigned minor);

// tw_type writes a descriptor and returns its address. name is its own string;
// mask is its pointer mask, from which how far pointers go follows.
taddr tw_type(struct typewriter *tw, enum go_kind kind, uint64_t size,
	      uint64_t mask, const char *name);

// tw_named makes a type a named one of a package.
void tw_named(struct typewriter *tw, taddr type, const char *path);

// tw_set writes a word at a byte offset of a descriptor, tw_byte a byte.
void tw_set(struct typewriter *tw, taddr type, unsigned off, uint64_t value);
void tw_byte(struct typewriter *tw, taddr type, unsigned off, uint8_t value);

// tw_struct writes a struct type of n fields.
taddr tw_struct(struct typewriter *tw, uint64_t size, uint64_t mask,
		const char *name, const struct tw_field *fields, unsigned n);

// tw_pointer writes the type of pointers to a type.
taddr tw_pointer(struct typewriter *tw, taddr elem);

// tw_open opens the core and an empty set of types of it; tw_close ends all.
void tw_open(struct typewriter *tw);
void tw_close(struct typewriter *tw);

// tw_get returns the record of the type at an address.
const struct go_type *tw_get(struct typewriter *tw, taddr type);

// tw_id returns its id.
go_typeid tw_id(struct typewriter *tw, taddr type);
