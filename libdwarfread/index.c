// index.c: the bulk pass. Each entry of a unit is stepped over once; where the
// named types, constants, variables and functions are is kept.
#include "libdwarfread/entry.h"

#include <stdlib.h>

uint32_t name_hash(const uint8_t *name, uint64_t len)
{
	uint64_t head = 0, tail = 0;
	if (len >= 8) {
		head = get_u64(name + (len - 8) / 2);
		tail = get_u64(name + len - 8);
	} else {
		memcpy(&tail, name, len);
	}
	uint64_t h = (tail + len) * UINT64_C(0x9e3779b97f4a7c15) +
		     (head ^ (tail << 32 | tail >> 32)) * UINT64_C(0xc2b2ae3d27d4eb4f);
	h ^= h >> 32;
	return (uint32_t)h ? (uint32_t)h : 1;
}

// step_over runs a program that wants nothing, or at most the name, which
// goes to *name.
static inline const uint8_t *step_over(struct dwarf *d, const struct unit *u,
				       const struct op *op, const uint8_t *p,
				       const uint8_t *e, struct bytes *name)
{
	for (;; op++) {
		const uint8_t *from = p;
		switch ((enum act)op->act) {
		case ACT_END:
			return p;
		case ACT_READ: {
			if (op->form == FORM_STRING) {
				p = step_cstr(p, e);
				if (!p)
					return NULL;
				name->at = from;
				name->len = (uint64_t)(p - from) - 1;
				continue;
			}
			uint16_t form = op->form;
			struct value v;
			p = value_read(d, u, &form, op->implicit, p, e, &v);
			if (p && op->slot == SLOT_NAME && v.at) {
				name->at = v.at;
				name->len = strlen((const char *)v.at);
			}
			break;
		}
		case ACT_FIXED:
		case ACT_CSTR:
		case ACT_LEB:
		case ACT_BLOCK1:
		case ACT_BLOCK2:
		case ACT_BLOCK4:
		case ACT_BLOCKLEB:
		case ACT_BAD:
			p = step_op(op, p, e);
			break;
		}
		if (!p)
			return NULL;
	}
}

const uint8_t *step_children(struct dwarf *d, const struct unit *u,
			     const uint8_t *p, const uint8_t *e)
{
	const struct abbrev_table *t = u->table;
	struct bytes name;
	for (uint32_t depth = 1; depth && p != e;) {
		uint64_t code;
		p = step_code(p, e, &code);
		if (!p)
			return NULL;
		if (code == 0) {
			depth--;
			continue;
		}
		const struct abbrev *a = abbrev_of(t, code);
		if (!a)
			return NULL;
		p = step_over(d, u, t->ops + a->skip, p, e, &name);
		if (!p || (a->kids && depth == LIMIT_DWARF_DEPTH))
			return NULL;
		depth += a->kids;
	}
	return p;
}

static struct named_list *list_of(struct dwarf *d, const struct abbrev *a,
				  uint32_t depth)
{
	switch ((enum sort)a->sort) {
	case SORT_TYPE:
		return &d->types;
	case SORT_CONSTANT:
		return &d->constants;
	case SORT_VARIABLE:
		return depth == 1 ? &d->globals : NULL;
	case SORT_FUNC:
		return &d->funcs;
	case SORT_CODE:
	case SORT_OTHER:
		break;
	}
	return NULL;
}

// index_entries is the pass itself. Fails: NOMEM; CORRUPT where it stops.
static enum hc index_entries(struct dwarf *d, const struct unit *u,
			     struct hc_err *err)
{
	const struct abbrev_table *const t = u->table;
	const uint8_t *const info = d->info.at, *const e = info + u->end;
	const uint8_t *p = info + u->first, *at = p;
	uint32_t depth = 0;
	do {
		uint64_t code;
		at = p;
		p = step_code(p, e, &code);
		if (p && code == 0) {
			depth -= depth > 0;
			continue;
		}
		const struct abbrev *a = p ? abbrev_of(t, code) : NULL;
		struct bytes name = { 0 };
		p = a ? step_over(d, u, t->ops + a->scan, p, e, &name) : NULL;
		if (!p)
			break;
		struct named_list *list = list_of(d, a, depth);
		if (list) {
			struct named *n = vec_push(d->pool, list);
			if (!n)
				return hc_nomem(err);
			n->ref = (uint32_t)(at - info);
			n->hash = name.at ? name_hash(name.at, name.len) : 0;
		}
		if (a->kids && (a->sort == SORT_FUNC || a->sort == SORT_CODE))
			p = step_children(d, u, p, e);
		else if (a->kids && ++depth > LIMIT_DWARF_DEPTH)
			p = NULL;
	} while (p && depth && p != e);
	return p ? HC_OK : hc_fail(err, HC_CORRUPT, (uint64_t)(at - info),
				   "an entry that cannot be stepped over");
}

enum hc unit_index(struct dwarf *d, struct unit *u, struct hc_err *err)
{
	struct hc_err why;
	const uint64_t n[] = { d->types.n, d->constants.n, d->globals.n,
			       d->funcs.n };
	if (u->indexed)
		return HC_OK;
	enum hc got = unit_prepare(d, u, &why);
	if (got == HC_OK)
		got = index_entries(d, u, &why);
	if (got == HC_FAIL && why.kind == HC_NOMEM) {
		d->types.n = n[0];
		d->constants.n = n[1];
		d->globals.n = n[2];
		d->funcs.n = n[3];
		return hc_nomem(err);
	}
	if (got == HC_FAIL)
		unit_give_up(d, u, &why);
	u->indexed = true;
	d->trouble.units_read++;
	return HC_OK;
}

static int by_ref(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	return (a->ref > b->ref) - (a->ref < b->ref);
}

static void sort_list(struct named_list *l)
{
	for (uint64_t i = 1; i < l->n; i++)
		if (l->at[i - 1].ref > l->at[i].ref) {
			qsort(l->at, l->n, sizeof(*l->at), by_ref);
			return;
		}
}

enum hc index_all(struct dwarf *d, struct hc_err *err)
{
	if (d->all_indexed)
		return HC_OK;
	for (uint32_t i = 0; i < d->n_units; i++)
		HC_TRY(unit_index(d, &d->units[i], err));
	sort_list(&d->types);
	sort_list(&d->constants);
	sort_list(&d->globals);
	sort_list(&d->funcs);
	d->all_indexed = true;
	return HC_OK;
}
