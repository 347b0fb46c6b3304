// types.h: Go types of the process, one record each, whatever told of it.
//
// A type is known from its descriptor in memory (abi.Type), from DWARF, or
// from both, joined by DW_AT_go_runtime_type. Records are numbered as they are
// met and filled in when first asked for, so that a type that leads to others
// costs nothing until somebody goes there.
#pragma once

#include "libheap/go/process.h"

// Kinds are reflect.Kind's numbers; then what has no Go type of its own.
// Source: internal/abi/type.go (1.18–1.27).
enum go_kind {
	GO_KIND_NONE = 0,
	GO_KIND_BOOL = 1, GO_KIND_INT = 2, GO_KIND_INT8, GO_KIND_INT16,
	GO_KIND_INT32, GO_KIND_INT64, GO_KIND_UINT = 7, GO_KIND_UINT8,
	GO_KIND_UINT16, GO_KIND_UINT32, GO_KIND_UINT64, GO_KIND_UINTPTR = 12,
	GO_KIND_FLOAT32 = 13, GO_KIND_FLOAT64, GO_KIND_COMPLEX64,
	GO_KIND_COMPLEX128, GO_KIND_ARRAY = 17, GO_KIND_CHAN, GO_KIND_FUNC,
	GO_KIND_INTERFACE, GO_KIND_MAP, GO_KIND_POINTER, GO_KIND_SLICE,
	GO_KIND_STRING, GO_KIND_STRUCT, GO_KIND_UNSAFE_POINTER = 26,

	GO_KIND_STRING_DATA = 32, // the bytes of a string
	GO_KIND_MAP_HEADER,       // what a map word points to; elem is the map
	GO_KIND_MAP_TABLE,        // internal/runtime/maps.table; elem: the map
	GO_KIND_MAP_DIRECTORY,    // []*table of a map; elem: the map
	GO_KIND_CHANNEL,          // runtime.hchan and its buffer; elem: the chan
	GO_KIND_CLOSURE,          // a func value's object; code in rtype
	GO_KIND_OPAQUE,           // only name and size are known

	// What claims are of until their object is at hand; no object has them.
	GO_KIND_SOME_CLOSURE, // its code was not looked at yet
	GO_KIND_TRIE_NODE,    // of a HashTrieMap: an entry (elem) or an inner
			      // node (key), which its first byte tells
};

typedef uint32_t go_typeid; // 0 is "unknown"

// struct go_type_field is one field of a struct or method-less variable of a
// closure.
// Owns: name is NUL-terminated, in the pool of the types.
struct go_type_field {
	const char *name;
	uint64_t off;
	go_typeid type;
	bool embedded;
};

// struct go_type is one type. Units: size in bytes of a value.
// Shape: elem is the element of arrays, slices, channels, pointers, maps
//        (their value type); len is an array's length. For maps group is the
//        type of a bucket or group, whose key leads back to the map.
struct go_type {
	uint64_t size;
	uint64_t ptr_bytes;   // no pointers from there on
	uint64_t len;
	taddr rtype;          // of the descriptor; code address of a closure
	uint32_t die;         // dwarf ref, 0 when there is none
	go_typeid elem, key, group;
	uint32_t first_field, n_fields;
	uint8_t kind;         // enum go_kind
	uint8_t align;
	bool direct;          // stored in an interface's data word itself
	bool empty_interface; // interface{}: its first word is a type
	bool named;
	bool learned;         // a closure whose fields were looked for
	const char *name;     // from DWARF or built in; NULL: see go_type_name
};

// struct go_map_layout is how the slots of a map type lie in memory.
// Shape: swiss groups of 8 have a control word; old buckets 8 tophash bytes
//        and an overflow pointer in their last word.
struct go_map_layout {
	bool swiss, indirect_key, indirect_elem;
	uint64_t group_size;
	uint64_t keys_off, key_stride, elems_off, elem_stride;
	uint64_t overflow_off; // old maps
};

struct go_types;

// go_types_open makes an empty set. With dwarf (may be NULL) names and fields
// that only it knows are used. bias is what to add to its addresses.
// Owns:  *ret lives in pool, what it holds in pools of its own until
//        go_types_close, so that the caller may rewind pool behind *ret.
HC_MUST enum hc go_types_open(struct go_process *process, struct dwarf *dwarf,
			      taddr bias, struct pool *pool,
			      struct go_types **ret, struct hc_err *err);
void go_types_close(struct go_types *types);

// go_type_count returns how many ids are in use, 0 included.
uint32_t go_type_count(const struct go_types *types);

// go_type_by_rtype returns the id of the type whose descriptor is at an
// address, 0 when there is none there.
go_typeid go_type_by_rtype(struct go_types *types, taddr rtype);

// go_type_by_die returns the id of the DWARF type at ref, 0 for none.
go_typeid go_type_by_die(struct go_types *types, uint32_t ref);

// go_type_special returns the id of a type without a descriptor of its own: a
// kind from GO_KIND_STRING_DATA on, of type elem, or of the code at an address.
go_typeid go_type_special(struct go_types *types, enum go_kind kind,
			  go_typeid elem, taddr code);

// go_type_trie_node returns the id of GO_KIND_TRIE_NODE of two types.
go_typeid go_type_trie_node(struct go_types *types, go_typeid entry,
			    go_typeid inner);

// go_type_learn gives a GO_KIND_CLOSURE type the n fields that it captured; it
// is then learned, with n 0 too. Fields are copied, names must outlive types.
void go_type_learn(struct go_types *types, go_typeid id,
		   const struct go_type_field *fields, uint32_t n);

// go_type_pointer_to returns the id of the pointer type to a type, a record of
// its own where no descriptor is known.
go_typeid go_type_pointer_to(struct go_types *types, go_typeid elem);

// go_type_opaque returns the id of a type of which only the name and the size
// are known. name must outlive the types.
go_typeid go_type_opaque(struct go_types *types, const char *name,
			 uint64_t size);

// go_type_get returns the record of a type, filled in; record 0 is all zero.
// The pointer stays valid.
const struct go_type *go_type_get(struct go_types *types, go_typeid id);

// go_type_field_at returns field i of a struct type (i < n_fields).
const struct go_type_field *go_type_field_at(const struct go_types *types,
					     const struct go_type *type,
					     uint32_t i);

// go_map_layout_of says how a map type's slots lie. false when damaged.
bool go_map_layout_of(struct go_types *types, go_typeid map,
		      struct go_map_layout *ret);

// go_type_holds says whether n values of type part fit into one of type whole:
// what a descriptor claims is believed only then.
bool go_type_holds(struct go_types *types, const struct go_type *whole,
		   go_typeid part, uint64_t n);

// go_type_named returns the id of the type with that full name, 0 when nothing
// tells of it.
go_typeid go_type_named(struct go_types *types, const char *name);

// go_type_name writes a type's full name ("map[string]*main.Node", packages
// with their import paths) into pool. Never NULL; "unknown" for 0.
const char *go_type_name(struct go_types *types, go_typeid id,
			 struct pool *pool);

// go_dynamic_type returns the type that an interface's first word names, 0
// when it is none: an itab's concrete type, or a type descriptor itself.
go_typeid go_dynamic_type(struct go_types *types, taddr word, bool is_itab);

// go_is_type_address and go_is_itab say whether a word found anywhere points
// to a type descriptor of a module, or to an itab whose two types are such.
bool go_is_type_address(const struct go_types *types, taddr at);
bool go_is_itab(struct go_types *types, taddr at);
