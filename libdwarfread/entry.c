// entry.c: reading one entry of .debug_info.
#include "libdwarfread/entry.h"

enum hc entry_read(struct dwarf *d, const struct unit *u, uint32_t at,
		   struct entry *ret, struct hc_err *err)
{
	const uint8_t *const info = d->info.at;
	const uint8_t *p = info + at, *const e = info + u->end;
	const struct abbrev *a;
	uint64_t code;
	ret->unit = u;
	ret->ref = at;
	ret->set = 0;
	if (at < u->first || at >= u->end)
		return hc_fail(err, HC_CORRUPT, at, "an entry out of its unit");
	p = step_code(p, e, &code);
	if (p && code == 0) {
		ret->next = (uint32_t)(p - info);
		return HC_NONE;
	}
	a = p ? abbrev_of(u->table, code) : NULL;
	if (!a)
		return hc_fail(err, HC_CORRUPT, at,
			       "an entry with no abbreviation");
	for (const struct op *op = u->table->ops + a->full;
	     p && op->act != ACT_END; op++) {
		if (op->act != ACT_READ) {
			p = step_op(op, p, e);
			continue;
		}
		uint16_t form = op->form;
		p = value_read(d, u, &form, op->implicit, p, e,
			       &ret->value[op->slot]);
		ret->form[op->slot] = form;
		ret->set |= 1u << op->slot;
	}
	if (!p)
		return hc_fail(err, HC_CORRUPT, at,
			       "an entry that its unit cannot hold");
	ret->next = (uint32_t)(p - info);
	ret->tag = a->tag;
	ret->kids = a->kids;
	return HC_OK;
}

enum hc entry_of(struct dwarf *d, uint32_t ref, struct entry *ret,
		 struct hc_err *err)
{
	struct unit *u;
	HC_TRY(unit_of(d, ref, &u, err));
	if (entry_read(d, u, ref, ret, err) == HC_OK)
		return HC_OK;
	return hc_fail(err, HC_CORRUPT, ref, "a reference to no entry");
}

enum hc entry_behind(struct dwarf *d, const struct entry *from, uint32_t *ret,
		     struct hc_err *err)
{
	const uint8_t *const info = d->info.at;
	const uint8_t *p = info + from->next;
	if (from->kids)
		p = step_children(d, from->unit, p, info + from->unit->end);
	if (!p)
		return hc_fail(err, HC_CORRUPT, from->ref,
			       "children that cannot be read");
	*ret = (uint32_t)(p - info);
	return HC_OK;
}

bool entry_block(const struct entry *e, enum slot s, struct bytes *ret)
{
	if (!entry_has(e, s) || !form_is_block(e->form[s]))
		return false;
	*ret = (struct bytes){ e->value[s].at, e->value[s].number, e->ref };
	return true;
}

bool code_of(const struct entry *e, struct dwarf_range *ret)
{
	uint64_t low = entry_number(e, SLOT_LOW);
	uint64_t high = entry_number(e, SLOT_HIGH);
	if (!entry_has(e, SLOT_LOW) || !entry_has(e, SLOT_HIGH) ||
	    (!form_is_address(e->form[SLOT_HIGH]) &&
	     __builtin_add_overflow(low, high, &high)))
		return false;
	*ret = (struct dwarf_range){ low, high };
	return low < high;
}

// Source: DWARF 5, 2.5.1.1 and 7.7.1; Go writes DW_OP_addr in a block1.
#define OP_ADDR 0x03
#define OP_ADDRX 0xa1

enum hc entry_address(struct dwarf *d, const struct entry *e, uint64_t *ret)
{
	struct bytes b;
	uint8_t op;
	if (!entry_block(e, SLOT_LOCATION, &b) || bytes_u8(&b, &op, NULL))
		return HC_NONE;
	uint16_t form = op == OP_ADDR ? FORM_ADDR : FORM_ADDRX;
	struct value v;
	if ((op != OP_ADDR && op != OP_ADDRX) ||
	    value_read(d, e->unit, &form, 0, b.at, b.at + b.len, &v) !=
		    b.at + b.len)
		return HC_NONE;
	*ret = v.number;
	return HC_OK;
}
