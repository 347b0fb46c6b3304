// type.c: one type, its length and its members.
#include "libdwarfread/entry.h"

#define HOPS 64 // typedefs, qualifiers and arrays on the way to a length

static enum dwarf_kind kind_of(uint16_t tag)
{
	switch (tag) {
	case TAG_BASE:
		return DWARF_BASE;
	case TAG_STRUCT: case TAG_CLASS: case TAG_INTERFACE:
		return DWARF_STRUCT;
	case TAG_UNION:
		return DWARF_UNION;
	case TAG_ARRAY:
		return DWARF_ARRAY;
	case TAG_POINTER: case TAG_REFERENCE: case TAG_RVALUE_REFERENCE:
		return DWARF_POINTER;
	case TAG_SUBROUTINE:
		return DWARF_FUNC;
	case TAG_TYPEDEF:
		return DWARF_TYPEDEF;
	case TAG_CONST: case TAG_VOLATILE: case TAG_RESTRICT: case TAG_ATOMIC:
		return DWARF_QUALIFIER;
	case TAG_ENUM:
		return DWARF_ENUM;
	default:
		return DWARF_OTHER;
	}
}

static bool is_another_name(enum dwarf_kind kind)
{
	return kind == DWARF_TYPEDEF || kind == DWARF_QUALIFIER;
}

// bound_of returns how many elements one dimension has.
static uint64_t bound_of(const struct entry *e)
{
	if (entry_has(e, SLOT_COUNT) && !form_is_block(e->form[SLOT_COUNT]))
		return entry_number(e, SLOT_COUNT);
	if (entry_has(e, SLOT_UPPER) && !form_is_block(e->form[SLOT_UPPER]))
		return entry_number(e, SLOT_UPPER) + 1;
	return 0;
}

// count_of returns the elements of all dimensions of an array.
static uint64_t count_of(struct dwarf *d, const struct entry *array)
{
	struct entry e;
	uint64_t n = 1;
	bool any = false;
	uint32_t at = array->next;
	while (array->kids && entry_read(d, array->unit, at, &e, NULL) == HC_OK) {
		if (e.tag == TAG_SUBRANGE) {
			any = true;
			if (__builtin_mul_overflow(n, bound_of(&e), &n))
				return 0;
		}
		if (entry_behind(d, &e, &at, NULL))
			break;
	}
	return any ? n : 0;
}

// len_of returns how long a value of the type is; e is used up.
static uint64_t len_of(struct dwarf *d, struct entry *e)
{
	uint64_t n = 1, len = 0;
	for (int hops = 0; hops < HOPS; hops++) {
		enum dwarf_kind kind = kind_of(e->tag);
		if (entry_has(e, SLOT_LEN))
			len = entry_number(e, SLOT_LEN);
		else if (kind == DWARF_POINTER)
			len = e->unit->addr_len;
		if (len)
			return __builtin_mul_overflow(n, len, &len) ? 0 : len;
		if (kind == DWARF_ARRAY) {
			if (__builtin_mul_overflow(n, count_of(d, e), &n))
				return 0;
		} else if (!is_another_name(kind)) {
			return 0;
		}
		if (n == 0 || entry_of(d, entry_ref(e, SLOT_TYPE), e, NULL))
			return 0;
	}
	return 0;
}

uint64_t type_len(struct dwarf *d, uint32_t ref)
{
	struct entry e;
	return entry_of(d, ref, &e, NULL) ? 0 : len_of(d, &e);
}

void type_from(struct dwarf *d, const struct entry *e, struct dwarf_type *ret)
{
	struct entry walk = *e;
	*ret = (struct dwarf_type){
		.ref = e->ref,
		.kind = kind_of(e->tag),
		.name = entry_string(e, SLOT_NAME),
		.elem = entry_ref(e, SLOT_TYPE),
		.key = entry_ref(e, SLOT_GO_KEY),
		.value = entry_ref(e, SLOT_GO_ELEM),
		.go_type = entry_number(e, SLOT_GO_TYPE),
		.go_kind = (uint8_t)entry_number(e, SLOT_GO_KIND),
		.encoding = (uint8_t)entry_number(e, SLOT_ENCODING),
		.is_declaration = entry_number(e, SLOT_DECLARATION) != 0,
		.dict_index = entry_has(e, SLOT_GO_DICT) ?
				      entry_number(e, SLOT_GO_DICT) + 1 : 0,
		.len = len_of(d, &walk),
	};
	if (ret->kind == DWARF_ARRAY) {
		ret->count = count_of(d, e);
		ret->stride = entry_has(e, SLOT_STRIDE) ?
				      entry_number(e, SLOT_STRIDE) :
				      type_len(d, ret->elem);
	}
}

enum hc dwarf_type_at(struct dwarf *d, uint32_t ref, struct dwarf_type *ret,
		      struct hc_err *err)
{
	struct entry e;
	HC_TRY(entry_of(d, ref, &e, err));
	type_from(d, &e, ret);
	return HC_OK;
}

enum hc dwarf_strip(struct dwarf *d, uint32_t ref, struct dwarf_type *ret,
		    struct hc_err *err)
{
	struct entry e;
	for (int hops = 0; hops < HOPS; hops++) {
		HC_TRY(entry_of(d, ref, &e, err));
		if (!is_another_name(kind_of(e.tag))) {
			type_from(d, &e, ret);
			return HC_OK;
		}
		ref = entry_ref(&e, SLOT_TYPE);
	}
	return hc_fail(err, HC_LIMIT, ref, "typedefs in a circle");
}

enum hc dwarf_members_of(struct dwarf *d, uint32_t ref,
			 struct dwarf_members *ret, struct hc_err *err)
{
	struct entry e;
	HC_TRY(entry_of(d, ref, &e, err));
	*ret = (struct dwarf_members){
		.d = d,
		.next = e.kids ? e.next : 0,
		.unit = (uint32_t)(e.unit - d->units),
	};
	return HC_OK;
}

#define OP_PLUS_UCONST 0x23 // Source: DWARF 2, 5.5.4: an offset as a block

static uint64_t offset_of(const struct entry *e)
{
	struct bytes b;
	uint8_t op;
	uint64_t off;
	if (entry_block(e, SLOT_OFFSET, &b)) {
		if (bytes_u8(&b, &op, NULL) || op != OP_PLUS_UCONST ||
		    bytes_uleb(&b, &off, NULL))
			return 0;
		return off;
	}
	if (entry_has(e, SLOT_OFFSET))
		return entry_number(e, SLOT_OFFSET);
	return entry_number(e, SLOT_BIT_OFFSET) / 8;
}

enum hc dwarf_members_next(struct dwarf_members *it, struct dwarf_member *ret,
			   struct hc_err *err)
{
	struct entry e;
	for (;;) {
		if (it->next == 0)
			return HC_NONE;
		uint32_t at = it->next;
		it->next = 0;
		if (at == it->d->units[it->unit].end)
			return HC_NONE; // the last list may lack its end
		HC_TRY(entry_read(it->d, &it->d->units[it->unit], at, &e, err));
		HC_TRY(entry_behind(it->d, &e, &it->next, err));
		if (e.tag == TAG_MEMBER || e.tag == TAG_INHERITANCE ||
		    e.tag == TAG_PARAMETER)
			break;
	}
	*ret = (struct dwarf_member){
		.name = entry_string(&e, SLOT_NAME),
		.off = e.tag == TAG_PARAMETER ? it->n : offset_of(&e),
		.type = entry_ref(&e, SLOT_TYPE),
		.embedded = entry_number(&e, SLOT_GO_EMBEDDED) != 0 ||
			    e.tag == TAG_INHERITANCE,
		.is_result = entry_number(&e, SLOT_RESULT) != 0,
	};
	it->n++;
	return HC_OK;
}
