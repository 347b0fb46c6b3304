// abbrev.c: an abbreviation table, compiled into programs for the cursor.
#include "libdwarfread/dw.h"
#include "libdwarfread/entry.h"

#include "libcore/base/search.h"

#include <stdlib.h>

// Tables of one file do not overlap, so all of them together are as long as
// the section, times 8 when units of every number size share them; a file whose
// tables do overlap is cut short here.
#define OVERLAP 16

// struct abbrev_cache holds the compiled tables, found by key.
// Shape: slots is a power of two of table numbers + 1, at most half full.
struct abbrev_cache {
	VEC(struct abbrev_table *);
	uint32_t *slots;
	uint64_t n_slots;
	uint64_t left; // bytes of abbreviations that may still be compiled
};

// struct build is a table while it is made.
struct build {
	struct dwarf *d;
	const struct unit *u;
	struct { VEC(struct abbrev); } abbrevs;
	struct { VEC(struct op); } ops;
	struct dw_attribute attributes[LIMIT_DWARF_ATTRIBUTES];
	uint32_t n_attributes; // of the abbreviation in hand
};

static enum slot slot_of(uint64_t attribute)
{
	switch (attribute) { // Source: DWARF 5, 7.5.4; Go's cmd/internal/dwarf
	case 0x02: return SLOT_LOCATION;
	case 0x03: return SLOT_NAME;
	case 0x0b: return SLOT_LEN;
	case 0x11: return SLOT_LOW;
	case 0x12: return SLOT_HIGH;
	case 0x13: return SLOT_LANGUAGE;
	case 0x1c: return SLOT_VALUE;
	case 0x2f: return SLOT_UPPER;
	case 0x31: return SLOT_ORIGIN;
	case 0x37: return SLOT_COUNT;
	case 0x38: return SLOT_OFFSET;
	case 0x3c: return SLOT_DECLARATION;
	case 0x3e: return SLOT_ENCODING;
	case 0x47: return SLOT_SPECIFICATION;
	case 0x40: return SLOT_FRAME_BASE;
	case 0x49: return SLOT_TYPE;
	case 0x4b: return SLOT_RESULT;
	case 0x51: return SLOT_STRIDE;
	case 0x55: return SLOT_RANGES;
	case 0x6b: return SLOT_BIT_OFFSET;
	case 0x72: return SLOT_STR_BASE;
	case 0x73: return SLOT_ADDR_BASE;
	case 0x74: return SLOT_RANGES_BASE;
	case 0x8c: return SLOT_LISTS_BASE;
	case 0x2900: return SLOT_GO_KIND;
	case 0x2901: return SLOT_GO_KEY;
	case 0x2902: return SLOT_GO_ELEM;
	case 0x2903: return SLOT_GO_EMBEDDED;
	case 0x2904: return SLOT_GO_TYPE;
	case 0x2906: return SLOT_GO_DICT;
	case 0x2907: return SLOT_GO_CLOSURE;
	default: return SLOT_NONE;
	}
}

static bool is_type_tag(uint16_t tag)
{
	switch (tag) {
	case TAG_ARRAY: case TAG_CLASS: case TAG_ENUM: case TAG_POINTER:
	case TAG_REFERENCE: case TAG_STRUCT: case TAG_SUBROUTINE:
	case TAG_TYPEDEF: case TAG_UNION: case TAG_BASE: case TAG_CONST:
	case TAG_VOLATILE: case TAG_RESTRICT: case TAG_INTERFACE:
	case TAG_UNSPECIFIED: case TAG_RVALUE_REFERENCE: case TAG_ATOMIC:
		return true;
	default:
		return false;
	}
}

static enum sort sort_of(uint16_t tag, uint32_t slots)
{
	if (is_type_tag(tag))
		return SORT_TYPE;
	if (tag == TAG_CONSTANT)
		return SORT_CONSTANT;
	if (tag == TAG_VARIABLE)
		return slots >> SLOT_LOCATION & 1 ? SORT_VARIABLE : SORT_OTHER;
	if (tag == TAG_INLINED)
		return SORT_CODE;
	if (tag == TAG_FUNC)
		return slots & (1u << SLOT_LOW | 1u << SLOT_RANGES) ?
			       SORT_FUNC : SORT_CODE;
	return SORT_OTHER;
}

// step_of sets how to step over a value of the form.
static struct op step_of(const struct unit *u, uint64_t form)
{
	const uint32_t off_len = u->off_len;
	switch (form) {
	case FORM_ADDR:
		return (struct op){ .act = ACT_FIXED, .n = u->addr_len };
	case FORM_REF_ADDR: // Source: DWARF 2, 7.5.4; DWARF 3 changed it
		return (struct op){ .act = ACT_FIXED,
				    .n = u->version <= 2 ? u->addr_len :
							   off_len };
	case FORM_STRP: case FORM_SEC_OFFSET: case FORM_STRP_SUP:
	case FORM_LINE_STRP: case FORM_GNU_REF_ALT: case FORM_GNU_STRP_ALT:
		return (struct op){ .act = ACT_FIXED, .n = off_len };
	case FORM_FLAG_PRESENT: case FORM_IMPLICIT_CONST:
		return (struct op){ .act = ACT_FIXED, .n = 0 };
	case FORM_DATA1: case FORM_FLAG: case FORM_REF1: case FORM_STRX1:
	case FORM_ADDRX1:
		return (struct op){ .act = ACT_FIXED, .n = 1 };
	case FORM_DATA2: case FORM_REF2: case FORM_STRX2: case FORM_ADDRX2:
		return (struct op){ .act = ACT_FIXED, .n = 2 };
	case FORM_STRX3: case FORM_ADDRX3:
		return (struct op){ .act = ACT_FIXED, .n = 3 };
	case FORM_DATA4: case FORM_REF4: case FORM_REF_SUP4: case FORM_STRX4:
	case FORM_ADDRX4:
		return (struct op){ .act = ACT_FIXED, .n = 4 };
	case FORM_DATA8: case FORM_REF8: case FORM_REF_SIG8: case FORM_REF_SUP8:
		return (struct op){ .act = ACT_FIXED, .n = 8 };
	case FORM_DATA16:
		return (struct op){ .act = ACT_FIXED, .n = 16 };
	case FORM_STRING:
		return (struct op){ .act = ACT_CSTR };
	case FORM_SDATA: case FORM_UDATA: case FORM_REF_UDATA: case FORM_STRX:
	case FORM_ADDRX: case FORM_LOCLISTX: case FORM_RNGLISTX:
		return (struct op){ .act = ACT_LEB };
	case FORM_BLOCK1:
		return (struct op){ .act = ACT_BLOCK1 };
	case FORM_BLOCK2:
		return (struct op){ .act = ACT_BLOCK2 };
	case FORM_BLOCK4:
		return (struct op){ .act = ACT_BLOCK4 };
	case FORM_BLOCK: case FORM_EXPRLOC:
		return (struct op){ .act = ACT_BLOCKLEB };
	case FORM_INDIRECT:
		return (struct op){ .act = ACT_READ };
	default:
		return (struct op){ .act = ACT_BAD };
	}
}

// add_op appends op to the program that began at first, joined to its
// neighbour when both step over a fixed number of bytes.
static bool add_op(struct build *b, uint64_t first, struct op op)
{
	if (op.act == ACT_FIXED) {
		if (op.n == 0)
			return true;
		struct op *last = b->ops.n > first ? &b->ops.at[b->ops.n - 1] :
						     NULL;
		if (last && last->act == ACT_FIXED &&
		    last->n <= UINT32_MAX - op.n) {
			last->n += op.n;
			return true;
		}
	}
	struct op *at = vec_push(b->d->pool, &b->ops);
	if (at)
		*at = op;
	return at != NULL;
}

// add_program makes the program that reads the slots in `wanted`, and sets
// *ret to where it begins. Of two equal attributes the first one counts.
static bool add_program(struct build *b, uint32_t wanted, uint32_t *ret)
{
	const uint64_t first = b->ops.n;
	for (uint32_t i = 0; i < b->n_attributes; i++) {
		const struct dw_attribute a = b->attributes[i];
		enum slot slot = slot_of(a.name);
		struct op op = step_of(b->u, a.form);
		if (op.act != ACT_BAD && wanted >> slot & 1)
			op.act = ACT_READ;
		if (op.act == ACT_READ) {
			op.slot = wanted >> slot & 1 ? (uint8_t)slot : SLOT_NONE;
			op.form = (uint16_t)a.form;
			op.implicit = a.implicit;
			wanted &= ~(1u << slot);
		}
		if (!add_op(b, first, op))
			return false;
	}
	*ret = (uint32_t)first;
	return add_op(b, b->ops.n, (struct op){ .act = ACT_END }) &&
	       b->ops.n <= UINT32_MAX;
}

// take_attributes reads those of the abbreviation in hand, and returns which
// slots they fill. libdwarf counts to each from the first, hence the limit.
static uint32_t take_attributes(struct build *b, uint64_t n)
{
	uint32_t slots = 0, i = 0;
	while (i < n && dw_attribute(b->d->dw, i, &b->attributes[i]))
		slots |= 1u << slot_of(b->attributes[i++].name);
	b->n_attributes = i;
	return slots & ~(1u << SLOT_NONE);
}

static enum hc add_abbrev(struct build *b, const struct dw_abbrev *from,
			  struct hc_err *err)
{
	if (from->n_attributes > LIMIT_DWARF_ATTRIBUTES)
		return hc_fail(err, HC_LIMIT, b->u->abbrev_off,
			       "an abbreviation of %" PRIu64 " attributes",
			       from->n_attributes);
	struct abbrev *a = vec_push(b->d->pool, &b->abbrevs);
	if (!a)
		return hc_nomem(err);
	uint32_t slots = take_attributes(b, from->n_attributes);
	*a = (struct abbrev){ .code = from->code,
			      .tag = from->tag,
			      .sort = (uint8_t)sort_of(from->tag, slots),
			      .kids = from->kids };
	uint32_t scan = a->sort == SORT_TYPE || a->sort == SORT_CONSTANT ||
					a->sort == SORT_VARIABLE ?
				1u << SLOT_NAME : 0;
	if (!add_program(b, slots, &a->full) ||
	    !add_program(b, scan, &a->scan) ||
	    !add_program(b, 0, &a->skip))
		return hc_nomem(err);
	return HC_OK;
}

static int by_code(const void *x, const void *y)
{
	const struct abbrev *a = x, *b = y;
	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return a->full < b->full ? -1 : 1; // the first of equals stays first
}

const struct abbrev *abbrev_search(const struct abbrev_table *t, uint64_t code)
{
	uint64_t low = search_while(i, t->n, t->at[i].code < code);
	return low < t->n && t->at[low].code == code ? &t->at[low] : NULL;
}

// compile reads the table at the unit's offset until it ends. One that breaks
// off is kept as far as it goes: an unknown code then gives the unit up.
static enum hc compile(struct build *b, struct abbrev_cache *cache,
		       struct abbrev_table *ret, struct hc_err *err)
{
	uint64_t off = b->u->abbrev_off;
	struct dw_abbrev a;
	ret->dense = true;
	for (;;) {
		uint64_t from = off;
		enum hc got = dw_abbrev_next(b->d->dw, &off, &a, err);
		uint64_t used = off - from;
		if (got == HC_FAIL && b->abbrevs.n == 0)
			return got;
		if (got || used == 0)
			break;
		if (used > cache->left)
			return hc_fail(err, HC_LIMIT, b->u->abbrev_off,
				       "abbreviation tables that overlap");
		cache->left -= used;
		HC_TRY(add_abbrev(b, &a, err));
		if (a.code != b->abbrevs.n)
			ret->dense = false;
	}
	if (b->abbrevs.n == 0)
		return hc_fail(err, HC_CORRUPT, b->u->abbrev_off,
			       "no abbreviations there");
	if (!ret->dense)
		qsort(b->abbrevs.at, b->abbrevs.n, sizeof(*b->abbrevs.at),
		      by_code);
	ret->at = b->abbrevs.at;
	ret->n = b->abbrevs.n;
	ret->ops = b->ops.at;
	return HC_OK;
}

static enum hc cache_of(struct dwarf *d, struct abbrev_cache **ret,
			struct hc_err *err)
{
	if (!d->abbrevs) {
		uint64_t n = 16;
		while (n < 2 * (uint64_t)d->n_units)
			n *= 2;
		struct abbrev_cache *c = pool_new(d->pool, struct abbrev_cache,
						  1);
		uint32_t *slots = pool_new(d->pool, uint32_t, n);
		if (!c || !slots)
			return hc_nomem(err);
		c->slots = slots;
		c->n_slots = n;
		c->left = section_len(d, SEC_ABBREV) * OVERLAP;
		d->abbrevs = c;
	}
	*ret = d->abbrevs;
	return HC_OK;
}

enum hc abbrev_table_get(struct dwarf *d, const struct unit *u,
			 const struct abbrev_table **ret, struct hc_err *err)
{
	struct abbrev_cache *c;
	struct hc_err why;
	HC_TRY(cache_of(d, &c, err));
	const uint64_t key = (uint64_t)u->abbrev_off << 16 |
			     (uint64_t)(u->version <= 2) << 8 |
			     (uint64_t)(u->addr_len == 8) << 1 |
			     (uint64_t)(u->off_len == 8);
	uint64_t i = (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
		     (c->n_slots - 1);
	for (; c->slots[i]; i = (i + 1) & (c->n_slots - 1))
		if (c->at[c->slots[i] - 1]->key == key) {
			*ret = c->at[c->slots[i] - 1];
			return HC_OK;
		}
	struct build b = { .d = d, .u = u };
	struct abbrev_table *t = pool_new(d->pool, struct abbrev_table, 1);
	if (!t)
		return hc_nomem(err);
	HC_TRY(dw_open(d, err));
	const uint64_t left = c->left;
	enum hc got = compile(&b, c, t, &why);
	if (got && why.kind == HC_NOMEM)
		c->left = left; // it may be tried again
	if (got && err)
		*err = why;
	HC_TRY(got);
	t->key = key;
	struct abbrev_table **at = vec_push(d->pool, c);
	if (!at)
		return hc_nomem(err);
	*at = t;
	c->slots[i] = (uint32_t)c->n;
	*ret = t;
	return HC_OK;
}
