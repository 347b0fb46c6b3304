// func.c: functions by code address.
#include "libdwarfread/dw.h"
#include "libdwarfread/entry.h"

#include "libcore/base/search.h"

#include <stdlib.h>

#define HOPS 8 // from a function to the one that holds its name

static const char *name_of(struct dwarf *d, const struct entry *from)
{
	struct entry e = *from;
	for (int hops = 0; hops < HOPS; hops++) {
		const char *name = entry_string(&e, SLOT_NAME);
		if (name)
			return name;
		enum slot next = entry_has(&e, SLOT_ORIGIN) ?
					 SLOT_ORIGIN : SLOT_SPECIFICATION;
		if (entry_of(d, entry_ref(&e, next), &e, NULL))
			break;
	}
	return NULL;
}

static int by_low(const void *x, const void *y)
{
	const struct span_of_func *a = x, *b = y;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->ref > b->ref) - (a->ref < b->ref);
}

// struct spans is the map while it is made.
struct spans {
	struct dwarf *d;
	struct { VEC(struct span_of_func); } list;
	uint32_t ref; // the function in hand
	bool no_memory;
};

static bool keep_span(void *ctx, struct dwarf_range range)
{
	struct spans *s = ctx;
	if (range.low >= range.high)
		return true;
	struct span_of_func *at = vec_push(s->d->pool, &s->list);
	s->no_memory |= !at;
	if (at)
		*at = (struct span_of_func){ range.low, range.high, s->ref };
	return at != NULL;
}

// take_spans keeps the code of a function, which C compilers may have split.
static void take_spans(struct spans *s, const struct entry *e,
		       struct list_budget *budget)
{
	const struct dw_visitor v = { .range = keep_span, .ctx = s };
	struct dwarf_range code;
	struct hc_err why;
	s->ref = e->ref;
	if (code_of(e, &code)) {
		(void)keep_span(s, code);
		return;
	}
	if (!entry_has(e, SLOT_RANGES))
		return;
	enum hc got = dw_open(s->d, &why);
	if (!got)
		got = list_check(s->d, e, SLOT_RANGES, budget, &why);
	if (!got)
		got = dw_ranges(s->d->dw, e->ref, &v, &why);
	if (got == HC_FAIL)
		trouble_note(s->d, &why);
}

static enum hc map_funcs(struct dwarf *d, struct hc_err *err)
{
	struct entry e;
	struct spans s = { .d = d };
	struct list_budget budget = { LIMIT_DWARF_LIST, 0 };
	HC_TRY(index_all(d, err));
	for (uint64_t i = 0; i < d->funcs.n && !s.no_memory; i++)
		if (entry_of(d, d->funcs.at[i].ref, &e, NULL) == HC_OK)
			take_spans(&s, &e, &budget);
	if (s.no_memory)
		return hc_nomem(err);
	if (s.list.n)
		qsort(s.list.at, s.list.n, sizeof(*s.list.at), by_low);
	d->func_spans = s.list.at;
	d->n_func_spans = s.list.n;
	d->funcs_mapped = true;
	return HC_OK;
}

enum hc dwarf_find_func(struct dwarf *d, uint64_t pc, struct dwarf_func *ret,
			struct hc_err *err)
{
	struct entry e;
	if (!d->funcs_mapped)
		HC_TRY(map_funcs(d, err));
	uint64_t low = search_while(i, d->n_func_spans,
				    d->func_spans[i].low <= pc);
	if (low == 0 || pc >= d->func_spans[low - 1].high)
		return HC_NONE;
	const struct span_of_func *f = &d->func_spans[low - 1];
	HC_TRY(entry_of(d, f->ref, &e, err));
	*ret = (struct dwarf_func){ f->ref, name_of(d, &e), f->low, f->high };
	return HC_OK;
}
