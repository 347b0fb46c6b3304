// inside.h: what the files of libdwarfread know of each other.
//
//	sections.c  raw section -> plain bytes, on first use
//	dw.c        the room of libdwarf: abbreviations, locations
//	abbrev.c    one abbreviation table -> programs that step over entries
//	unit.c      .debug_info -> units
//	entry.c     one entry -> values by slot
//	index.c     units -> where the named entries are (the bulk pass)
//	find.c, names.c, type.c, field.c, global.c, func.c, vars.c
//	            the questions
//	lists.c, dw_vars.c, place.c
//	            location and range lists: bounded, decoded, understood
#pragma once

#include "libcore/base/limits.h"
#include "libcore/base/vec.h"
#include "libdwarfread/dwarfread.h"

enum section_id {
	SEC_INFO, SEC_ABBREV, SEC_STR, SEC_LINE_STR, SEC_STR_OFFSETS, SEC_ADDR,
	SEC_LOC, SEC_LOCLISTS, SEC_RANGES, SEC_RNGLISTS, SEC_N
};

// struct section is one section: as it came, and plain once it was needed.
struct section {
	struct dwarf_section in;
	struct bytes plain;
	bool tried;
};

// struct unit is one unit of .debug_info.
// Units: offsets in .debug_info; the bases are offsets in their sections.
// Shape: off < first <= end; units are in order and do not overlap. A bad unit
//        that was prepared is still read where a reference leads into it.
struct unit {
	uint32_t off, first, end;
	uint32_t abbrev_off;
	uint8_t version, addr_len, off_len;
	bool bad;      // given up, in the middle if prepared; noted once
	bool prepared; // table and the attributes below are set
	bool indexed;
	bool is_go;
	const struct abbrev_table *table;
	const char *name;
	uint64_t addr_base, str_base, lists_base, ranges_base;
};

// struct named is one entry that the bulk pass met.
// Units: hash is name_hash of its name, 0 when it has none.
struct named {
	uint32_t ref, hash;
};

struct named_list {
	VEC(struct named);
};

// struct span_of_func is the code of one function, for the lookup by address.
struct span_of_func {
	uint64_t low, high;
	uint32_t ref;
};

struct dw;

struct dwarf {
	struct pool *pool;
	struct section sections[SEC_N];
	struct bytes info; // sections[SEC_INFO].plain
	struct unit *units;
	uint32_t n_units;
	bool all_indexed;
	struct named_list types, constants, globals, funcs;
	struct abbrev_cache *abbrevs;
	struct dw *dw;
	struct dwarf_trouble trouble;
	struct go_type_map *go_types; // type.c: made on first use
	struct span_of_func *func_spans; // func.c: made on first use
	uint64_t n_func_spans;
	bool funcs_mapped;
};

// trouble_note remembers err when it is the first.
void trouble_note(struct dwarf *d, const struct hc_err *err);

// section_plain returns the plain bytes of a section: empty when there is
// none, or when it cannot be inflated, which is noted once.
struct bytes section_plain(struct dwarf *d, enum section_id id);

// section_len returns how many plain bytes it claims, without inflating it.
uint64_t section_len(struct dwarf *d, enum section_id id);

// section_name returns ".debug_info" and so on.
const char *section_name(enum section_id id);

// ---- unit.c

// units_scan fills d->units from the headers alone.
HC_MUST enum hc units_scan(struct dwarf *d, struct hc_err *err);

// unit_prepare compiles the unit's abbreviations and reads its first entry.
// Fails: whatever makes the unit unreadable, once; NONE when it was given up
//        before. NOMEM alone is our failure and leaves the unit as it was.
HC_MUST enum hc unit_prepare(struct dwarf *d, struct unit *u,
			     struct hc_err *err);

// unit_of sets *ret to the prepared unit that holds the entry at ref.
// Fails: NONE for ref 0; CORRUPT when no unit does; as unit_prepare.
HC_MUST enum hc unit_of(struct dwarf *d, uint32_t ref, struct unit **ret,
			struct hc_err *err);

// unit_give_up marks the unit as unreadable and notes why.
void unit_give_up(struct dwarf *d, struct unit *u, const struct hc_err *err);

// ---- index.c

// unit_index puts the unit's named entries into d's lists, once.
// Fails: NOMEM only; a unit that cannot be read is given up.
HC_MUST enum hc unit_index(struct dwarf *d, struct unit *u,
			   struct hc_err *err);

// index_all reads every unit that was not read yet; then the lists are in
// the order of .debug_info. Fails: NOMEM.
HC_MUST enum hc index_all(struct dwarf *d, struct hc_err *err);

// name_hash is what struct named keeps of a name: never 0.
uint32_t name_hash(const uint8_t *name, uint64_t len);

// step_children returns what is behind the children that begin at p, or NULL.
const uint8_t *step_children(struct dwarf *d, const struct unit *u,
			     const uint8_t *p, const uint8_t *e);

// ---- find.c

// struct wanted is a search by names: take is told of every entry of the list
// that has names[i], which it may refuse by doing nothing.
struct entry;
struct wanted {
	const char *const *names;
	size_t n;
	void (*take)(void *ctx, size_t i, const struct entry *e);
	bool (*has)(const void *ctx, size_t i); // names[i] was found
	void *ctx;
};

// find_in_packages reads the units of the names' packages, then searches the
// list; every unit is read if a name without such a unit is not found.
// Fails: NOMEM.
HC_MUST enum hc find_in_packages(struct dwarf *d, const struct named_list *list,
				 const struct wanted *w, struct hc_err *err);

// find_in_runtime does so with Go's unit of types, then with all others.
// Fails: NOMEM.
HC_MUST enum hc find_in_runtime(struct dwarf *d, const struct named_list *list,
				const struct wanted *w, struct hc_err *err);

// ---- type.c

// type_len returns the length of the type at ref, 0 when it is not known.
uint64_t type_len(struct dwarf *d, uint32_t ref);

// type_from sets *ret to the type that the entry is.
void type_from(struct dwarf *d, const struct entry *e, struct dwarf_type *ret);

// string_at returns the string at off of a string section, or NULL.
const char *string_at(struct dwarf *d, enum section_id id, uint64_t off);
