// vars.c: the variables of one function, with their scopes and locations.
#include "libdwarfread/place.h"

#define MAX_SCOPES 128 // nested blocks and inlined calls; the most seen is 24
#define HOPS 8         // abstract origins on the way to a name
#define EXPRESSION_BYTES (UINT64_C(1) << 20)

// struct block is an entry whose children are being read: the function, a
// lexical block, or a call that was inlined.
struct block {
	const struct dwarf_range *ranges;
	uint32_t n_ranges;
	uint32_t inlined;
};

// struct gather is the answer while it is made. The lists grow in the pool; one
// is finished before the next begins.
struct gather {
	struct dwarf *d;
	struct pool *pool;
	const struct unit *unit;
	struct dwarf_piece base;
	struct list_budget budget;
	struct { VEC(struct dwarf_var); } vars;
	struct { VEC(struct dwarf_range); } ranges;
	struct { VEC(struct dwarf_location); } locations;
	bool no_memory;
	struct block stack[MAX_SCOPES];
	uint32_t depth;
};

static bool keep_range(void *ctx, struct dwarf_range range)
{
	struct gather *g = ctx;
	if (range.low >= range.high)
		return true;
	struct dwarf_range *at = vec_push(g->pool, &g->ranges);
	g->no_memory |= !at;
	if (at)
		*at = range;
	return at != NULL;
}

static bool keep_location(void *ctx, struct dwarf_range range,
			  const struct dw_op *ops, uint32_t n_ops)
{
	struct gather *g = ctx;
	struct places p;
	if (range.low >= range.high)
		return true;
	places_from(g->d, g->unit, &g->base, ops, n_ops, &p);
	struct dwarf_piece *pieces = pool_new(g->pool, struct dwarf_piece, p.n);
	struct dwarf_location *at = vec_push(g->pool, &g->locations);
	g->no_memory |= !at || !pieces;
	if (!at || !pieces)
		return false;
	memcpy(pieces, p.at, p.n * sizeof(*pieces));
	*at = (struct dwarf_location){ range, pieces, p.n };
	return true;
}

// take_ranges fills in the code of a block. One that cannot be read has none,
// which is the whole function.
static enum hc take_ranges(struct gather *g, const struct entry *e,
			   struct block *ret, struct hc_err *err)
{
	const struct dw_visitor v = { .range = keep_range, .ctx = g };
	struct dwarf_range one;
	struct hc_err why;
	g->ranges.at = NULL;
	g->ranges.n = g->ranges.cap = 0;
	if (code_of(e, &one)) {
		(void)keep_range(g, one);
	} else if (entry_has(e, SLOT_RANGES)) {
		enum hc got = list_check(g->d, e, SLOT_RANGES, &g->budget,
					 &why);
		if (!got)
			got = dw_ranges(g->d->dw, e->ref, &v, &why);
		if (got == HC_FAIL && why.kind == HC_LIMIT)
			return hc_fail(err, HC_LIMIT, why.at, "%s", why.msg);
		if (got == HC_FAIL)
			trouble_note(g->d, &why);
	}
	if (g->no_memory)
		return hc_nomem(err);
	ret->ranges = g->ranges.at;
	ret->n_ranges = (uint32_t)g->ranges.n;
	return HC_OK;
}

static enum hc take_locations(struct gather *g, const struct entry *e,
			      struct dwarf_var *to, struct hc_err *err)
{
	const struct dw_visitor v = { .location = keep_location, .ctx = g };
	struct hc_err why;
	if (!entry_has(e, SLOT_LOCATION))
		return HC_OK;
	g->locations.at = NULL;
	g->locations.n = g->locations.cap = 0;
	enum hc got = list_check(g->d, e, SLOT_LOCATION, &g->budget, &why);
	if (!got)
		got = dw_locations(g->d->dw, e->ref, &v, &why);
	if (g->no_memory)
		return hc_nomem(err);
	if (got == HC_FAIL && why.kind == HC_LIMIT)
		return hc_fail(err, HC_LIMIT, why.at, "%s", why.msg);
	if (got == HC_FAIL)
		trouble_note(g->d, &why);
	to->locations = g->locations.at;
	to->n_locations = (uint32_t)g->locations.n;
	return HC_OK;
}

// describe takes what the entry says, and what its abstract origins say where
// it does not.
static void describe(struct dwarf *d, struct entry *e, struct dwarf_var *to)
{
	for (int hops = 0; hops < HOPS; hops++) {
		if (!to->name)
			to->name = entry_string(e, SLOT_NAME);
		if (!to->type)
			to->type = entry_ref(e, SLOT_TYPE);
		if (!to->closure_off && entry_has(e, SLOT_GO_CLOSURE))
			to->closure_off = entry_number(e, SLOT_GO_CLOSURE) + 1;
		if (!to->dict_index && entry_has(e, SLOT_GO_DICT))
			to->dict_index = entry_number(e, SLOT_GO_DICT) + 1;
		to->is_result |= entry_number(e, SLOT_RESULT) != 0;
		if (entry_of(d, entry_ref(e, SLOT_ORIGIN), e, NULL))
			return;
	}
}

static enum hc add_var(struct gather *g, const struct entry *e,
		       struct hc_err *err)
{
	const struct block *in = &g->stack[g->depth - 1];
	struct entry walk = *e;
	struct dwarf_var v = {
		.ref = e->ref,
		.is_param = e->tag == TAG_PARAMETER,
		.inlined = in->inlined,
		.scopes = in->ranges,
		.n_scopes = in->n_ranges,
	};
	HC_TRY(take_locations(g, e, &v, err));
	describe(g->d, &walk, &v);
	struct dwarf_var *at = vec_push(g->pool, &g->vars);
	if (!at)
		return hc_nomem(err);
	*at = v;
	return HC_OK;
}

static enum hc enter(struct gather *g, const struct entry *e,
		     struct hc_err *err)
{
	struct block b = { 0 };
	if (g->depth == MAX_SCOPES)
		return hc_fail(err, HC_LIMIT, e->ref, "scopes %d deep",
			       MAX_SCOPES);
	if (g->depth) {
		b.inlined = g->stack[g->depth - 1].inlined;
		HC_TRY(take_ranges(g, e, &b, err));
	}
	if (e->tag == TAG_INLINED)
		b.inlined = entry_ref(e, SLOT_ORIGIN);
	g->stack[g->depth++] = b;
	return HC_OK;
}

// gather_from reads all below the function. Types and other functions in it
// are passed by.
static enum hc gather_from(struct gather *g, const struct entry *func,
			   struct hc_err *err)
{
	struct entry e;
	uint32_t at = func->next;
	HC_TRY(enter(g, func, err));
	while (g->depth && at != g->unit->end) {
		enum hc got = entry_read(g->d, g->unit, at, &e, err);
		if (got == HC_NONE) {
			g->depth--;
			at = e.next;
			continue;
		}
		HC_TRY(got);
		if (e.tag == TAG_VARIABLE || e.tag == TAG_PARAMETER)
			HC_TRY(add_var(g, &e, err));
		at = e.next;
		if (e.kids &&
		    (e.tag == TAG_LEXICAL_BLOCK || e.tag == TAG_INLINED))
			HC_TRY(enter(g, &e, err));
		else if (e.kids)
			HC_TRY(entry_behind(g->d, &e, &at, err));
	}
	return HC_OK;
}

enum hc dwarf_func_vars(struct dwarf *d, uint32_t ref, struct pool *pool,
			struct dwarf_var **ret, uint64_t *ret_n,
			struct hc_err *err)
{
	struct entry func;
	HC_TRY(entry_of(d, ref, &func, err));
	struct gather g = {
		.d = d,
		.pool = pool,
		.unit = func.unit,
		.base = frame_base_of(&func),
		.budget = { LIMIT_DWARF_LIST, EXPRESSION_BYTES },
	};
	HC_TRY(dw_open(d, err));
	if (func.kids)
		HC_TRY(gather_from(&g, &func, err));
	*ret = g.vars.at;
	*ret_n = g.vars.n;
	return HC_OK;
}

static bool range_has(struct dwarf_range range, uint64_t pc)
{
	return range.low <= pc && pc < range.high;
}

const struct dwarf_location *dwarf_var_at(const struct dwarf_var *v,
					  uint64_t pc)
{
	bool in_scope = v->n_scopes == 0;
	for (uint32_t i = 0; i < v->n_scopes && !in_scope; i++)
		in_scope = range_has(v->scopes[i], pc);
	for (uint32_t i = 0; i < v->n_locations && in_scope; i++)
		if (range_has(v->locations[i].range, pc))
			return &v->locations[i];
	return NULL;
}
