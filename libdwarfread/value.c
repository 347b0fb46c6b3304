// value.c: one attribute as a number, a string or a block.
#include "libdwarfread/entry.h"

// number_at returns the little-endian number of n bytes at p.
static uint64_t number_at(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	memcpy(&v, p, n);
	return v;
}

// fixed takes a number of n bytes.
static const uint8_t *fixed(const uint8_t *p, const uint8_t *e, unsigned n,
			    struct value *ret)
{
	const uint8_t *next = step_fixed(p, e, n);
	if (next)
		ret->number = number_at(p, n);
	return next;
}

// block takes the bytes that follow p, whose number is already in *ret.
static const uint8_t *block(const uint8_t *p, const uint8_t *e,
			    struct value *ret)
{
	ret->at = p;
	return p ? step_fixed(p, e, ret->number) : NULL;
}

// sleb takes a signed LEB128 number.
static const uint8_t *sleb(const uint8_t *p, const uint8_t *e,
			   struct value *ret)
{
	const uint8_t *next = step_leb(p, e, &ret->number);
	if (!next)
		return NULL;
	uint64_t bits = 7 * (uint64_t)(next - p);
	if (bits < 64 && next[-1] & 0x40)
		ret->number |= ~UINT64_C(0) << bits;
	return next;
}

// entry_of_table reads entry i of a table of numbers of n bytes that begins
// at base of a section; false when it is not inside.
static bool entry_of_table(struct bytes table, uint64_t base, uint64_t i,
			   unsigned n, uint64_t *ret)
{
	uint64_t off;
	struct bytes at;
	if (__builtin_mul_overflow(i, n, &off) ||
	    __builtin_add_overflow(off, base, &off) ||
	    bytes_sub(table, off, n, &at, NULL))
		return false;
	*ret = number_at(at.at, n);
	return true;
}

bool index_address(struct dwarf *d, const struct unit *u, uint64_t index,
		   uint64_t *ret)
{
	return entry_of_table(section_plain(d, SEC_ADDR), u->addr_base, index,
			      u->addr_len, ret);
}

// resolve turns an index in *ret into what .debug_addr, .debug_str or a string
// section hold for it. What is not there is 0 and NULL: that costs only the
// attribute.
static void resolve(struct dwarf *d, const struct unit *u, uint16_t form,
		    struct value *ret)
{
	uint64_t off;
	if (form == FORM_STRP || form == FORM_LINE_STRP) {
		ret->at = (const uint8_t *)string_at(
			d, form == FORM_STRP ? SEC_STR : SEC_LINE_STR,
			ret->number);
	} else if (form == FORM_STRX ||
		   (form >= FORM_STRX1 && form <= FORM_STRX4)) {
		if (entry_of_table(section_plain(d, SEC_STR_OFFSETS),
				   u->str_base, ret->number, u->off_len, &off))
			ret->at = (const uint8_t *)string_at(d, SEC_STR, off);
	} else if (form == FORM_ADDRX || (form >= FORM_ADDRX1 &&
					  form <= FORM_ADDRX4)) {
		if (!index_address(d, u, ret->number, &ret->number))
			ret->number = 0;
	} else if ((form >= FORM_REF1 && form <= FORM_REF_UDATA)) {
		ret->number += u->off;
	}
}

// value_raw takes the value as it stands.
static const uint8_t *value_raw(const struct unit *u, uint16_t form,
				int64_t implicit, const uint8_t *p,
				const uint8_t *e, struct value *ret)
{
	switch (form) {
	case FORM_STRING:
		ret->at = p;
		return step_cstr(p, e);
	case FORM_REF_ADDR:
		return fixed(p, e, u->version <= 2 ? u->addr_len : u->off_len,
			     ret);
	case FORM_ADDR:
		return fixed(p, e, u->addr_len, ret);
	case FORM_STRP: case FORM_SEC_OFFSET: case FORM_LINE_STRP:
	case FORM_STRP_SUP: case FORM_GNU_REF_ALT: case FORM_GNU_STRP_ALT:
		return fixed(p, e, u->off_len, ret);
	case FORM_DATA1: case FORM_FLAG: case FORM_REF1: case FORM_STRX1:
	case FORM_ADDRX1:
		return fixed(p, e, 1, ret);
	case FORM_DATA2: case FORM_REF2: case FORM_STRX2: case FORM_ADDRX2:
		return fixed(p, e, 2, ret);
	case FORM_STRX3: case FORM_ADDRX3:
		return fixed(p, e, 3, ret);
	case FORM_DATA4: case FORM_REF4: case FORM_REF_SUP4: case FORM_STRX4:
	case FORM_ADDRX4:
		return fixed(p, e, 4, ret);
	case FORM_DATA8: case FORM_REF8: case FORM_REF_SIG8: case FORM_REF_SUP8:
		return fixed(p, e, 8, ret);
	case FORM_DATA16:
		return step_fixed(p, e, 16);
	case FORM_UDATA: case FORM_REF_UDATA: case FORM_STRX: case FORM_ADDRX:
	case FORM_LOCLISTX: case FORM_RNGLISTX:
		return step_leb(p, e, &ret->number);
	case FORM_SDATA:
		return sleb(p, e, ret);
	case FORM_BLOCK1:
		return block(fixed(p, e, 1, ret), e, ret);
	case FORM_BLOCK2:
		return block(fixed(p, e, 2, ret), e, ret);
	case FORM_BLOCK4:
		return block(fixed(p, e, 4, ret), e, ret);
	case FORM_BLOCK: case FORM_EXPRLOC:
		return block(step_leb(p, e, &ret->number), e, ret);
	case FORM_FLAG_PRESENT:
		ret->number = 1;
		return p;
	case FORM_IMPLICIT_CONST:
		ret->number = (uint64_t)implicit;
		return p;
	default:
		return NULL;
	}
}

const uint8_t *value_read(struct dwarf *d, const struct unit *u, uint16_t *form,
			  int64_t implicit, const uint8_t *p, const uint8_t *e,
			  struct value *ret)
{
	*ret = (struct value){ 0 };
	if (*form == FORM_INDIRECT) { // the form itself comes first, once
		uint64_t inner;
		p = step_leb(p, e, &inner);
		if (!p || inner == FORM_INDIRECT ||
		    inner == FORM_IMPLICIT_CONST || inner > UINT16_MAX)
			return NULL;
		*form = (uint16_t)inner;
	}
	p = value_raw(u, *form, implicit, p, e, ret);
	if (p)
		resolve(d, u, *form, ret);
	return p;
}
