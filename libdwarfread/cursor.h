// cursor.h: stepping over entries of .debug_info, the hot loop of the library.
//
// abbrev.c turns each abbreviation into three short programs: one reads every
// attribute that we know, one (the bulk pass) only the name, one nothing.
// Whatever is not read is stepped over, neighbours of fixed size at one go.
#pragma once

#include "libdwarfread/inside.h"

// enum act is how one operation of a program moves on.
enum act {
	ACT_END,
	ACT_FIXED,    // n bytes
	ACT_CSTR,     // to behind a NUL
	ACT_LEB,      // a LEB128 number
	ACT_BLOCK1,   // as many bytes as a number of 1, 2, 4 bytes says
	ACT_BLOCK2,
	ACT_BLOCK4,
	ACT_BLOCKLEB, // or as a LEB128 number says
	ACT_READ,     // an attribute that is wanted: form says how, slot where
	ACT_BAD,      // a form that we do not know: the unit cannot be read on
};

// struct op is one operation.
// Units: implicit is the value of DW_FORM_implicit_const.
struct op {
	uint8_t act, slot;
	uint16_t form;
	uint32_t n;
	int64_t implicit;
};

// enum sort is what the bulk pass does with an entry.
enum sort { SORT_OTHER, SORT_TYPE, SORT_CONSTANT, SORT_VARIABLE, SORT_FUNC,
	    SORT_CODE /* a function without code of its own: not recorded */ };

// struct abbrev is one abbreviation, its programs as indexes into ops.
struct abbrev {
	uint64_t code;
	uint32_t full, scan, skip;
	uint16_t tag;
	uint8_t sort;
	bool kids;
};

// struct abbrev_table is one compiled table.
// Shape: sorted by code; dense when code i is at i - 1.
struct abbrev_table {
	uint64_t key; // offset and the unit's number sizes
	const struct abbrev *at;
	const struct op *ops;
	uint64_t n;
	bool dense;
};

// abbrev_table_get sets *ret to the compiled table of the unit, made on its
// first use. Fails: CORRUPT; LIMIT when tables overlap too much; NOMEM.
HC_MUST enum hc abbrev_table_get(struct dwarf *d, const struct unit *u,
				 const struct abbrev_table **ret,
				 struct hc_err *err);

// abbrev_search finds a code in a table that is not dense, or NULL.
const struct abbrev *abbrev_search(const struct abbrev_table *t,
				   uint64_t code);

static inline const struct abbrev *abbrev_of(const struct abbrev_table *t,
					     uint64_t code)
{
	if (t->dense)
		return code - 1 < t->n ? &t->at[code - 1] : NULL;
	return abbrev_search(t, code);
}

// step_leb returns what is behind the LEB128 number at p, its value (the low
// 64 bits) in *ret; NULL when it does not end before e.
static inline const uint8_t *step_leb(const uint8_t *p, const uint8_t *e,
				      uint64_t *ret)
{
	uint64_t v = 0;
	unsigned shift = 0;
	while (p != e) {
		uint8_t b = *p++;
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (b < 0x80) {
			*ret = v;
			return p;
		}
	}
	return NULL;
}

// step_cstr returns what is behind the NUL of the string at p, or NULL.
static inline const uint8_t *step_cstr(const uint8_t *p, const uint8_t *e)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	while (e - p >= 8) {
		uint64_t x = get_u64(p);
		uint64_t zero = (x - ones) & ~x & (ones << 7);
		if (zero)
			return p + (__builtin_ctzll(zero) >> 3) + 1;
		p += 8;
	}
	while (p != e)
		if (*p++ == 0)
			return p;
	return NULL;
}

// step_fixed returns p + n, or NULL when that is behind e.
static inline const uint8_t *step_fixed(const uint8_t *p, const uint8_t *e,
					uint64_t n)
{
	return (uint64_t)(e - p) < n ? NULL : p + n;
}

// step_op steps over one operation that reads nothing, from p; NULL when it
// does not fit before e.
static inline const uint8_t *step_op(const struct op *op, const uint8_t *p,
				     const uint8_t *e)
{
	uint64_t n;
	switch ((enum act)op->act) {
	case ACT_FIXED:
		return step_fixed(p, e, op->n);
	case ACT_CSTR:
		return step_cstr(p, e);
	case ACT_LEB:
		return step_leb(p, e, &n);
	case ACT_BLOCK1:
		return p == e ? NULL : step_fixed(p + 1, e, *p);
	case ACT_BLOCK2:
		return e - p < 2 ? NULL : step_fixed(p + 2, e, get_u16(p));
	case ACT_BLOCK4:
		return e - p < 4 ? NULL : step_fixed(p + 4, e, get_u32(p));
	case ACT_BLOCKLEB:
		p = step_leb(p, e, &n);
		return p ? step_fixed(p, e, n) : NULL;
	case ACT_END:
	case ACT_READ:
	case ACT_BAD:
		break;
	}
	return NULL;
}

// step_code takes the abbreviation code at p.
static inline const uint8_t *step_code(const uint8_t *p, const uint8_t *e,
				       uint64_t *ret)
{
	if (p != e && *p < 0x80) {
		*ret = *p;
		return p + 1;
	}
	return step_leb(p, e, ret);
}
