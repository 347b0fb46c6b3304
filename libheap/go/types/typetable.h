// typetable.h: the numbered records behind types.h, for its own files.
#pragma once

#include "libheap/go/types/types.h"

#define TYPES_MAX (1u << 24) // ids; each is a record of ~100 bytes
#define TYPE_FIELDS_MAX 65536u // of one struct

enum type_state { TYPE_NEW = 0, TYPE_READY };

// struct type_key finds a record: by descriptor, DWARF ref, or special kind.
struct type_key {
	uint64_t a, b; // a: address, ref or elem; b: what a is
	go_typeid id;
};

// struct type_name remembers what a name was found to be, 0 too.
struct type_name {
	const char *name;
	go_typeid id;
};

struct type_tail;

struct go_types {
	struct go_process *process;
	struct dwarf *dwarf;
	taddr bias;
	struct pool *pool;           // &own: strings, keys, states
	struct pool own, records, fields; // the last two: an array that never
					  // moves
	struct go_type *type;
	uint8_t *state; // enum type_state, in pool, as long as n_state
	uint32_t n, n_state, n_fields;
	struct go_type_field *field;
	struct type_key *keys; // open addressing, in pool
	uint64_t n_keys, cap_keys;
	struct { VEC(struct type_name); } names; // that were looked up
	struct { VEC(struct type_tail); } tails; // sorted, once needed
};

enum { TYPE_BY_RTYPE = 1, TYPE_BY_DIE = 2, TYPE_BY_NAME = 3,
       TYPE_POINTER_TO = 4,
       TYPE_BY_KIND = 16 /* + kind */ };

// typetable_find returns the id for a key, making a new record when there is
// none yet (*ret_new is set then); 0 when the table is full.
go_typeid typetable_find(struct go_types *types, uint64_t a, uint64_t b,
			 bool *ret_new);

// typetable_set makes a key lead to an id that exists.
void typetable_set(struct go_types *types, uint64_t a, uint64_t b,
		   go_typeid id);

// typetable_fields appends n zeroed fields and returns the first's number, or
// UINT32_MAX when there is no room.
uint32_t typetable_fields(struct go_types *types, uint32_t n);

// rtype_fill fills a record from the descriptor at record->rtype. It returns
// false when there is none. Source: internal/abi/type.go.
bool rtype_fill(struct go_types *types, struct go_type *record);

// rtype_string points *ret at the descriptor's own short name, false when that
// is not to be had. *ret_path is its package's import path, empty if none.
bool rtype_string(struct go_types *types, taddr rtype, struct bytes *ret,
		  struct bytes *ret_path);

// dietype_fill fills a record from DWARF at record->die.
bool dietype_fill(struct go_types *types, struct go_type *record);

// go_rtypes_each calls fn for each type descriptor of the modules, until it
// returns false: whatever looks like one at an aligned address of the type
// section. The linker's own lists (typelinks; from 1.27 on descriptors in a
// row) leave out most named types.
void go_rtypes_each(struct go_types *types,
		    bool (*fn)(void *ctx, go_typeid id), void *ctx);
