// entry.h: one entry of .debug_info as values by slot.
#pragma once

#include "libdwarfread/cursor.h"

// enum slot is an attribute that we read; all others are stepped over.
enum slot {
	SLOT_NONE, SLOT_NAME, SLOT_TYPE, SLOT_LOCATION, SLOT_LOW, SLOT_HIGH,
	SLOT_RANGES, SLOT_LEN, SLOT_ENCODING, SLOT_OFFSET, SLOT_BIT_OFFSET,
	SLOT_VALUE, SLOT_COUNT, SLOT_UPPER, SLOT_STRIDE, SLOT_ORIGIN,
	SLOT_SPECIFICATION, SLOT_DECLARATION, SLOT_RESULT, SLOT_LANGUAGE,
	SLOT_ADDR_BASE, SLOT_STR_BASE, SLOT_GO_KIND, SLOT_GO_KEY, SLOT_GO_ELEM,
	SLOT_GO_EMBEDDED, SLOT_GO_TYPE, SLOT_GO_DICT, SLOT_GO_CLOSURE,
	SLOT_FRAME_BASE, SLOT_LISTS_BASE, SLOT_RANGES_BASE, SLOT_N
};

// DWARF's numbers, as far as we act on them. Source: DWARF 5, section 7.5.
enum {
	TAG_ARRAY = 0x01, TAG_CLASS = 0x02, TAG_ENUM = 0x04, TAG_PARAMETER = 0x05,
	TAG_LEXICAL_BLOCK = 0x0b, TAG_MEMBER = 0x0d, TAG_POINTER = 0x0f,
	TAG_REFERENCE = 0x10, TAG_COMPILE_UNIT = 0x11, TAG_STRUCT = 0x13,
	TAG_SUBROUTINE = 0x15, TAG_TYPEDEF = 0x16, TAG_UNION = 0x17,
	TAG_INHERITANCE = 0x1c, TAG_INLINED = 0x1d, TAG_SUBRANGE = 0x21,
	TAG_BASE = 0x24, TAG_CONST = 0x26, TAG_CONSTANT = 0x27,
	TAG_FUNC = 0x2e, TAG_VARIABLE = 0x34, TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37, TAG_INTERFACE = 0x38, TAG_UNSPECIFIED = 0x3b,
	TAG_RVALUE_REFERENCE = 0x42, TAG_ATOMIC = 0x47,
};
enum {
	FORM_ADDR = 0x01, FORM_BLOCK2 = 0x03, FORM_BLOCK4, FORM_DATA2,
	FORM_DATA4, FORM_DATA8, FORM_STRING, FORM_BLOCK, FORM_BLOCK1,
	FORM_DATA1, FORM_FLAG, FORM_SDATA, FORM_STRP, FORM_UDATA,
	FORM_REF_ADDR, FORM_REF1, FORM_REF2, FORM_REF4, FORM_REF8,
	FORM_REF_UDATA, FORM_INDIRECT, FORM_SEC_OFFSET, FORM_EXPRLOC,
	FORM_FLAG_PRESENT, FORM_STRX, FORM_ADDRX, FORM_REF_SUP4,
	FORM_STRP_SUP, FORM_DATA16, FORM_LINE_STRP, FORM_REF_SIG8,
	FORM_IMPLICIT_CONST, FORM_LOCLISTX, FORM_RNGLISTX, FORM_REF_SUP8,
	FORM_STRX1, FORM_STRX2, FORM_STRX3, FORM_STRX4, FORM_ADDRX1,
	FORM_ADDRX2, FORM_ADDRX3, FORM_ADDRX4, FORM_GNU_REF_ALT = 0x1f20,
	FORM_GNU_STRP_ALT,
};

// struct value is one attribute. Shape: at is the string (NULL when it cannot
// be read) or the block, whose length is number.
struct value {
	uint64_t number;
	const uint8_t *at;
};

// struct entry is one entry.
// Units: ref and next are offsets in .debug_info; next is behind the
//        attributes, where its first child is if it has kids.
// Shape: bit s of set says that value[s] and form[s] hold something.
struct entry {
	const struct unit *unit;
	uint32_t ref, next;
	uint16_t tag;
	bool kids;
	uint32_t set;
	uint16_t form[SLOT_N];
	struct value value[SLOT_N];
};

// entry_read reads the entry at offset at of a prepared unit.
// Fails: NONE for the end of a list of children (ret->next is behind it then);
//        CORRUPT when it does not fit into the unit.
HC_MUST enum hc entry_read(struct dwarf *d, const struct unit *u, uint32_t at,
			   struct entry *ret, struct hc_err *err);

// entry_of reads the entry at ref, whatever unit it is in.
// Fails: NONE for ref 0; CORRUPT; NOMEM.
HC_MUST enum hc entry_of(struct dwarf *d, uint32_t ref, struct entry *ret,
			 struct hc_err *err);

// entry_behind sets *ret to the offset behind the entry and its children.
// Fails: CORRUPT.
HC_MUST enum hc entry_behind(struct dwarf *d, const struct entry *e,
			     uint32_t *ret, struct hc_err *err);

static inline bool entry_has(const struct entry *e, enum slot s)
{
	return e->set >> s & 1;
}

// entry_number, entry_ref and entry_string return the value of a slot; 0 or
// NULL when it is not there.
static inline uint64_t entry_number(const struct entry *e, enum slot s)
{
	return entry_has(e, s) ? e->value[s].number : 0;
}
static inline uint32_t entry_ref(const struct entry *e, enum slot s)
{
	uint64_t v = entry_number(e, s);
	return v > UINT32_MAX ? 0 : (uint32_t)v;
}
static inline const char *entry_string(const struct entry *e, enum slot s)
{
	return entry_has(e, s) ? (const char *)e->value[s].at : NULL;
}

// entry_address sets *ret to the fixed address of a variable.
// Fails: NONE when its location is another, or none.
HC_MUST enum hc entry_address(struct dwarf *d, const struct entry *e,
			      uint64_t *ret);

// code_of sets *ret to the code of a function or block that is one piece;
// false when it has none, or several.
bool code_of(const struct entry *e, struct dwarf_range *ret);

// index_address reads entry `index` of the unit's part of .debug_addr; false
// when it is not there.
bool index_address(struct dwarf *d, const struct unit *u, uint64_t index,
		   uint64_t *ret);

// entry_block sets *ret to a location or offset that is a block; false if it
// is none.
bool entry_block(const struct entry *e, enum slot s, struct bytes *ret);

// form_is_address and form_is_block say what a form's value is.
static inline bool form_is_address(uint16_t form)
{
	return form == FORM_ADDR || form == FORM_ADDRX ||
	       (form >= FORM_ADDRX1 && form <= FORM_ADDRX4);
}
static inline bool form_is_block(uint16_t form)
{
	return form == FORM_BLOCK1 || form == FORM_BLOCK2 ||
	       form == FORM_BLOCK4 || form == FORM_BLOCK ||
	       form == FORM_EXPRLOC;
}

// value_read reads one attribute of *form at p; returns what is behind it, or
// NULL. implicit is the abbreviation's own constant. DW_FORM_indirect becomes
// the form that it stands for.
const uint8_t *value_read(struct dwarf *d, const struct unit *u, uint16_t *form,
			  int64_t implicit, const uint8_t *p, const uint8_t *e,
			  struct value *ret);

// list_budget is what the lists of one question may still hold.
struct list_budget {
	uint64_t entries, expression_bytes;
};

// list_check walks the location or range list (slot SLOT_LOCATION or
// SLOT_RANGES) of an entry as far as it goes, because libdwarf takes memory for
// all of a list at once, and one that lost its end goes on to the section's.
// Fails: LIMIT when it holds more than the budget; CORRUPT when it leaves its
//        section.
HC_MUST enum hc list_check(struct dwarf *d, const struct entry *e,
			   enum slot slot, struct list_budget *budget,
			   struct hc_err *err);
