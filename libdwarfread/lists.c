// lists.c: how much a location or range list holds, before libdwarf reads it.
#include "libdwarfread/entry.h"

// struct walk is one walk along a list.
struct walk {
	struct bytes rest;
	const struct unit *unit;
	bool is_location; // an expression follows each pair
	struct list_budget *budget;
	struct hc_err *err;
};

static enum hc take_address(struct walk *w, uint64_t *ret)
{
	uint32_t half;
	if (w->unit->addr_len == 8)
		return bytes_u64(&w->rest, ret, w->err);
	HC_TRY(bytes_u32(&w->rest, &half, w->err));
	*ret = half;
	return HC_OK;
}

static enum hc charge(struct walk *w, uint64_t len)
{
	if (len > w->budget->expression_bytes)
		return hc_fail(w->err, HC_LIMIT, w->rest.org,
			       "location expressions of many bytes");
	w->budget->expression_bytes -= len;
	return HC_OK;
}

static enum hc take_expression(struct walk *w, uint64_t len)
{
	struct bytes skipped;
	HC_TRY(charge(w, len));
	return bytes_take(&w->rest, len, &skipped, w->err);
}

static enum hc count_entry(struct walk *w)
{
	if (w->budget->entries == 0)
		return hc_fail(w->err, HC_LIMIT, w->rest.org,
			       "lists of more than %u entries",
			       LIMIT_DWARF_LIST);
	w->budget->entries--;
	return HC_OK;
}

// walk_pairs walks a list of DWARF 2 to 4. Source: DWARF 4, 2.6.2, 2.17.3.
static enum hc walk_pairs(struct walk *w)
{
	const uint64_t base = w->unit->addr_len == 8 ? UINT64_MAX : UINT32_MAX;
	for (;;) {
		uint64_t low, high;
		uint16_t len;
		HC_TRY(count_entry(w));
		HC_TRY(take_address(w, &low));
		HC_TRY(take_address(w, &high));
		if (low == 0 && high == 0)
			return HC_OK;
		if (!w->is_location || low == base)
			continue;
		HC_TRY(bytes_u16(&w->rest, &len, w->err));
		HC_TRY(take_expression(w, len));
	}
}

// operands_of says what follows an entry's kind: n of 'l' LEB128 numbers, 'a'
// addresses; NULL for a kind that there is not.
// Source: DWARF 5, 7.7.3 (location lists) and 7.25 (range lists).
static const char *operands_of(uint8_t kind, bool is_location)
{
	static const char *const location[] = { "", "l", "ll", "ll", "ll", "",
						"a", "aa", "al" };
	static const char *const range[] = { "", "l", "ll", "ll", "ll", "a",
					     "aa", "al" };
	if (is_location)
		return kind < 9 ? location[kind] : NULL;
	return kind < 8 ? range[kind] : NULL;
}

// walk_kinds walks a list of DWARF 5.
static enum hc walk_kinds(struct walk *w)
{
	for (;;) {
		uint8_t kind;
		uint64_t v;
		HC_TRY(count_entry(w));
		HC_TRY(bytes_u8(&w->rest, &kind, w->err));
		if (kind == 0)
			return HC_OK;
		const char *operands = operands_of(kind, w->is_location);
		if (!operands)
			return hc_fail(w->err, HC_CORRUPT, w->rest.org,
				       "a list entry of kind %u", kind);
		for (const char *o = operands; *o; o++)
			HC_TRY(*o == 'l' ? bytes_uleb(&w->rest, &v, w->err) :
					   take_address(w, &v));
		if (!w->is_location || kind == 1 || kind == 6) // a base
			continue;
		HC_TRY(bytes_uleb(&w->rest, &v, w->err));
		HC_TRY(take_expression(w, v));
	}
}

// offset_of sets *ret to where the list begins in its section.
static enum hc offset_of(const struct entry *e, enum slot slot,
			 struct bytes section, uint64_t *ret,
			 struct hc_err *err)
{
	const struct unit *u = e->unit;
	const uint64_t v = entry_number(e, slot);
	const uint64_t base = slot == SLOT_LOCATION ? u->lists_base :
						      u->ranges_base;
	struct bytes at;
	uint64_t off;
	*ret = v;
	if (e->form[slot] != FORM_LOCLISTX && e->form[slot] != FORM_RNGLISTX)
		return HC_OK;
	if (__builtin_mul_overflow(v, u->off_len, &off) ||
	    __builtin_add_overflow(off, base, &off))
		return hc_fail(err, HC_CORRUPT, e->ref, "a list past memory");
	HC_TRY(bytes_sub(section, off, u->off_len, &at, err));
	off = u->off_len == 8 ? get_u64(at.at) : get_u32(at.at);
	if (__builtin_add_overflow(off, base, ret))
		return hc_fail(err, HC_CORRUPT, e->ref, "a list past memory");
	return HC_OK;
}

enum hc list_check(struct dwarf *d, const struct entry *e, enum slot slot,
		   struct list_budget *budget, struct hc_err *err)
{
	const bool is_location = slot == SLOT_LOCATION;
	struct walk w = { .unit = e->unit, .is_location = is_location,
			  .budget = budget, .err = err };
	if (form_is_block(e->form[slot]))
		return charge(&w, entry_number(e, slot));
	bool is_5 = e->unit->version >= 5;
	enum section_id id = is_location ? (is_5 ? SEC_LOCLISTS : SEC_LOC) :
					   (is_5 ? SEC_RNGLISTS : SEC_RANGES);
	struct bytes section = section_plain(d, id);
	uint64_t off;
	HC_TRY(offset_of(e, slot, section, &off, err));
	HC_TRY(bytes_sub(section, off,
			 section.len - (off < section.len ? off : section.len),
			 &w.rest, err));
	return is_5 ? walk_kinds(&w) : walk_pairs(&w);
}
