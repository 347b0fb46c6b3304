// dwarfread.h: types, constants and variables out of DWARF 2 to 5. The public
// header of libdwarfread.
//
// It is handed the bytes of sections and knows nothing of ELF files or cores.
// Nothing is read before it is asked for: a section is inflated when the first
// question needs it, a unit is read when a question may find its answer there.
//
// A `ref` is the offset in .debug_info of one entry (a type, a function); 0 is
// none. Addresses are link-time: add the module's bias. Strings point into the
// sections, or into the pool where these were compressed, and are
// NUL-terminated. Every byte is untrusted: what cannot be read is dropped and
// counted (dwarf_trouble), the rest is answered.
#pragma once

#include "libcore/base/bytes.h"
#include "libcore/base/inflate.h"
#include "libcore/base/pool.h"

// struct dwarf_section is one section as the file holds it; empty if absent.
struct dwarf_section {
	struct bytes bytes;
	enum inflate_kind kind;
};

// struct dwarf_sections are the sections we may read. Only info and abbrev
// must be there.
// Owns:  nothing; the bytes outlive the struct dwarf.
struct dwarf_sections {
	struct dwarf_section info, abbrev, str, line_str, str_offsets, addr,
		loc, loclists, ranges, rnglists;
};

// dwarf_section_of returns where in *sections the section of that name goes
// (".debug_info", ".zdebug_info"), or NULL for one that we never read.
struct dwarf_section *dwarf_section_of(struct dwarf_sections *sections,
				       const char *name);

// struct dwarf is the debug information of one executable or shared object.
// Not for two threads.
struct dwarf;

// dwarf_open finds the units of .debug_info and reads nothing else.
// Owns:  *ret lives in pool; close it before the pool is rewound or closed.
// Fails: NONE when there is no .debug_info or no .debug_abbrev; TRUNCATED,
//        CORRUPT, LIMIT and UNSUPPORTED as inflate_section; LIMIT for more
//        than 4 GiB of .debug_info or more units than LIMIT_DWARF_UNITS;
//        UNSUPPORTED when no unit at all can be read; NOMEM.
HC_MUST enum hc dwarf_open(const struct dwarf_sections *sections,
			   struct pool *pool, struct dwarf **ret,
			   struct hc_err *err);

// dwarf_close lets go of what is not the pool's. NULL is fine.
void dwarf_close(struct dwarf *d);

// struct dwarf_trouble counts what could not be read so far.
// Owns:  first.src is NULL while nothing went wrong.
struct dwarf_trouble {
	uint64_t units;        // of .debug_info, that could be told apart
	uint64_t units_read;   // indexed so far
	uint64_t units_dropped; // of those: given up in the middle or before
	struct hc_err first;   // the first thing that went wrong
};

// dwarf_trouble returns the counts as they are now; it lives as long as d.
const struct dwarf_trouble *dwarf_trouble(const struct dwarf *d);

// ---- types -----------------------------------------------------------------

// enum dwarf_kind is what an entry is, as far as reading memory goes.
enum dwarf_kind {
	DWARF_OTHER,
	DWARF_BASE,      // number, boolean: len bytes, see encoding
	DWARF_STRUCT,    // members; Go's strings, slices and interfaces too
	DWARF_UNION,
	DWARF_ARRAY,     // count elements of type elem
	DWARF_POINTER,   // to elem (0: void, unsafe.Pointer)
	DWARF_FUNC,      // a function type (what a func pointer points to)
	DWARF_TYPEDEF,   // another name of elem; Go's maps, channels, interfaces
	DWARF_QUALIFIER, // const, volatile, restrict, atomic, … elem
	DWARF_ENUM,
};

// struct dwarf_type is one type.
// Units: len in bytes; for arrays without one in the DWARF, and for typedefs
//        and qualifiers, that of what they are made of.
// Shape: name is NULL when it has none. go_kind is reflect.Kind's number, 0
//        outside Go or when left out (pointers the linker made). go_type is
//        DW_AT_go_runtime_type as it stands: 0 is none, else the offset of
//        the abi.Type from runtime.types (moduledata.types); uintptr alone has
//        its address up to Go 1.22. key and value are Go's key type of maps and element type of
//        maps, channels, slices. stride is the distance of array elements.
// Source: Go 1.27 src/cmd/internal/dwarf/dwarf.go, DW_AT_go_*; DWARF 5, 5.
struct dwarf_type {
	uint32_t ref;
	enum dwarf_kind kind;
	const char *name;
	uint64_t len;
	uint32_t elem;
	uint32_t key, value;
	uint64_t count, stride;
	uint64_t go_type;
	uint64_t dict_index; // go_dict_index + 1 of typedefs in generics, else 0
	uint8_t go_kind;
	uint8_t encoding;    // DW_ATE_*, of base types
	bool is_declaration; // only announced here: no members, no len
};

// dwarf_type_at reads the type at ref.
// Fails: NONE when ref is 0; CORRUPT when no entry can be there.
HC_MUST enum hc dwarf_type_at(struct dwarf *d, uint32_t ref,
			      struct dwarf_type *ret, struct hc_err *err);

// dwarf_strip follows typedefs and qualifiers from ref to a type that is
// neither. Fails: as dwarf_type_at; LIMIT when it leads in a circle.
HC_MUST enum hc dwarf_strip(struct dwarf *d, uint32_t ref,
			    struct dwarf_type *ret, struct hc_err *err);

// struct dwarf_member is one member of a struct or union, or one parameter of
// a function type (then off counts parameters and name may be NULL).
// Units: off in bytes from the start of the struct.
struct dwarf_member {
	const char *name;
	uint64_t off;
	uint32_t type;
	bool embedded;    // Go: an embedded field
	bool is_result;   // Go: a result of a function type
};

// struct dwarf_members iterates; fill it with dwarf_members_of.
struct dwarf_members {
	struct dwarf *d;
	uint32_t next, unit; // private
	uint64_t n;          // given out so far
};

// dwarf_members_of starts *ret at the first member of the struct, union or
// function type at ref. Fails: as dwarf_type_at.
HC_MUST enum hc dwarf_members_of(struct dwarf *d, uint32_t ref,
				 struct dwarf_members *ret,
				 struct hc_err *err);

// dwarf_members_next sets *ret to the next member, in the order of the DWARF.
// Fails: NONE behind the last; CORRUPT.
HC_MUST enum hc dwarf_members_next(struct dwarf_members *it,
				   struct dwarf_member *ret,
				   struct hc_err *err);

// struct dwarf_field is where a path leads.
// Units: off in bytes from the start of the struct the path began in; len is
//        that of the field, count and stride of the array it is (else 0).
struct dwarf_field {
	uint64_t off, len;
	uint32_t type;
	uint64_t count, stride;
};

// dwarf_field_at follows a dotted path of member names from the struct at
// ref: "sched.pc", "central[0].mcentral.partial[1].spine", "allspans". [n]
// steps to element n of an array. Embedded fields are named like any other.
// A component that fits no member is looked for one level deeper in embedded
// members. Typedefs on the way are followed.
// Fails: NONE when a component is missing or n is past the array; CORRUPT.
HC_MUST enum hc dwarf_field_at(struct dwarf *d, uint32_t ref, const char *path,
			       struct dwarf_field *ret, struct hc_err *err);

// dwarf_find_structs looks up n names ("runtime.mspan") at once; ret[i].ref
// is 0 for the names that are not there. Declarations and typedefs give way to
// the struct itself; if only a typedef has the name, it is stripped.
// Units: few units are read: Go's linker puts all types into a unit named
//        runtime, so the others are only read for what is not found there.
// Fails: NOMEM; never because of what is in a unit.
// Source: Go 1.18 to 1.27 src/cmd/link/internal/ld/dwarf.go, dwtypes.
HC_MUST enum hc dwarf_find_structs(struct dwarf *d, const char *const names[],
				   size_t n, struct dwarf_type ret[],
				   struct hc_err *err);

// dwarf_find_types is dwarf_find_structs for types of any kind ("*main.Node",
// "map[string]int", "error"), none of them stripped.
HC_MUST enum hc dwarf_find_types(struct dwarf *d, const char *const names[],
				 size_t n, struct dwarf_type ret[],
				 struct hc_err *err);

// dwarf_type_count and dwarf_type_ref give all types with a number: the first
// reads every unit. They are in the order of .debug_info.
// Fails: NOMEM.
HC_MUST enum hc dwarf_type_count(struct dwarf *d, uint64_t *ret,
				 struct hc_err *err);
uint32_t dwarf_type_ref(const struct dwarf *d, uint64_t i);

// dwarf_find_go_type sets *ret to the type whose go_type is that (not 0), and
// that is not a typedef when there are both.
// Fails: NONE; NOMEM.
HC_MUST enum hc dwarf_find_go_type(struct dwarf *d, uint64_t go_type,
				   struct dwarf_type *ret, struct hc_err *err);

// ---- constants and package variables -----------------------------------------

// struct dwarf_constant is one named constant (DW_TAG_constant).
struct dwarf_constant {
	const char *name; // NULL: not found
	int64_t value;
	uint32_t type;
};

// dwarf_find_constants looks up n names ("runtime.heapArenaBytes") at once;
// ret[i].name is NULL for the names that are not there. Only units of the
// name's package are read (else all, once).
// Fails: NOMEM.
HC_MUST enum hc dwarf_find_constants(struct dwarf *d,
				     const char *const names[], size_t n,
				     struct dwarf_constant ret[],
				     struct hc_err *err);

// struct dwarf_global is one variable with a fixed address.
// Units: len is that of its type, 0 when that is not known.
struct dwarf_global {
	const char *name; // NULL: not found
	uint64_t addr;
	uint64_t len;
	uint32_t type;
};

// dwarf_find_globals looks up n names ("runtime.mheap_") at once, as
// dwarf_find_constants does.
HC_MUST enum hc dwarf_find_globals(struct dwarf *d, const char *const names[],
				   size_t n, struct dwarf_global ret[],
				   struct hc_err *err);

// dwarf_global_count and dwarf_global_at give all variables with a fixed
// address (DW_OP_addr, DW_OP_addrx): the first reads every unit.
// Fails: NOMEM; NONE when entry i cannot be read or has no such address.
HC_MUST enum hc dwarf_global_count(struct dwarf *d, uint64_t *ret,
				   struct hc_err *err);
HC_MUST enum hc dwarf_global_at(struct dwarf *d, uint64_t i,
				struct dwarf_global *ret, struct hc_err *err);

// ---- functions -------------------------------------------------------------

// struct dwarf_func is one function with code.
// Units: [low, high) is its code, or the part of it that was asked for.
struct dwarf_func {
	uint32_t ref;
	const char *name; // through its abstract origin; NULL when it has none
	uint64_t low, high;
};

// dwarf_find_func sets *ret to the function whose code holds pc; the first
// call reads every unit. Fails: NONE; NOMEM.
HC_MUST enum hc dwarf_find_func(struct dwarf *d, uint64_t pc,
				struct dwarf_func *ret, struct hc_err *err);

// ---- variables of functions ------------------------------------------------

// enum dwarf_place is where a variable, or a piece of one, is.
enum dwarf_place {
	DWARF_NOWHERE,  // optimised away
	DWARF_AT_CFA,   // in memory, off from the frame's CFA
	DWARF_AT_REG,   // in memory, off from what register reg holds
	DWARF_AT_ADDR,  // in memory, at address off
	DWARF_IN_REG,   // in register reg
	DWARF_IS_VALUE, // nowhere, but its value is off
	DWARF_UNCLEAR,  // an expression that we do not evaluate
};

// struct dwarf_piece is one piece of a variable, in the order of its bytes.
// Units: len in bytes, 0 for all that is left; reg is DWARF's number on the
//        architecture (amd64: 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp,
//        7 rsp, 8..15 r8..r15, 17.. xmm0..; arm64: 0..31, 64.. v0..).
struct dwarf_piece {
	enum dwarf_place place;
	uint32_t reg;
	int64_t off;
	uint64_t len;
};

// struct dwarf_range is the code addresses [low, high).
struct dwarf_range {
	uint64_t low, high;
};

// struct dwarf_location says where a variable is while pc is in range.
struct dwarf_location {
	struct dwarf_range range;
	const struct dwarf_piece *pieces;
	uint32_t n_pieces;
};

// struct dwarf_var is one variable or parameter of a function, or of one that
// was inlined into it.
// Shape: it may be looked at while pc is in one of the scopes; with none, in
//        all of the function. inlined is 0 for the function's own.
//        closure_off is the variable's offset in the closure object + 1, 0
//        for none (DW_AT_go_closure_offset); dict_index likewise.
// Owns:  the arrays are the pool's that dwarf_func_vars was given.
struct dwarf_var {
	uint32_t ref;
	const char *name;
	uint32_t type;
	uint32_t inlined; // the abstract function it belongs to
	bool is_param, is_result;
	uint64_t closure_off, dict_index;
	const struct dwarf_range *scopes;
	uint32_t n_scopes;
	const struct dwarf_location *locations;
	uint32_t n_locations;
};

// dwarf_func_vars sets *ret to all variables of the function at ref, with
// their scopes and locations, in the order of the DWARF.
// Units: the answer for one function, in pool; keep it if it is asked again.
// Fails: CORRUPT; LIMIT for more entries than LIMIT_DWARF_LIST in its lists;
//        NOMEM. A list that cannot be read only leaves its variable without
//        locations, and counts as trouble.
HC_MUST enum hc dwarf_func_vars(struct dwarf *d, uint32_t ref,
				struct pool *pool, struct dwarf_var **ret,
				uint64_t *ret_n, struct hc_err *err);

// dwarf_var_at returns where v is at pc, or NULL when it is not known there or
// out of scope.
const struct dwarf_location *dwarf_var_at(const struct dwarf_var *v,
					  uint64_t pc);
