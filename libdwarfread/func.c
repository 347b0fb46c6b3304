// func.c: functions by code address.
#include "libdwarfread/entry.h"

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

// span_from sets *ret to the code of the entry, if it has some.
static bool span_from(const struct entry *e, struct span_of_func *ret)
{
	uint64_t low = entry_number(e, SLOT_LOW);
	uint64_t high = entry_number(e, SLOT_HIGH);
	if (!form_is_address(e->form[SLOT_HIGH]) &&
	    __builtin_add_overflow(low, high, &high))
		return false;
	*ret = (struct span_of_func){ low, high, e->ref };
	return entry_has(e, SLOT_LOW) && entry_has(e, SLOT_HIGH) && low < high;
}

static int by_low(const void *x, const void *y)
{
	const struct span_of_func *a = x, *b = y;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->ref > b->ref) - (a->ref < b->ref);
}

static enum hc map_funcs(struct dwarf *d, struct hc_err *err)
{
	struct entry e;
	HC_TRY(index_all(d, err));
	struct span_of_func *at = pool_new(d->pool, struct span_of_func,
					   d->funcs.n);
	if (!at)
		return hc_nomem(err);
	for (uint64_t i = 0; i < d->funcs.n; i++)
		if (entry_of(d, d->funcs.at[i].ref, &e, NULL) == HC_OK)
			d->n_func_spans += span_from(&e, &at[d->n_func_spans]);
	if (d->n_func_spans)
		qsort(at, d->n_func_spans, sizeof(*at), by_low);
	d->func_spans = at;
	return HC_OK;
}

enum hc dwarf_find_func(struct dwarf *d, uint64_t pc, struct dwarf_func *ret,
			struct hc_err *err)
{
	struct entry e;
	if (!d->func_spans)
		HC_TRY(map_funcs(d, err));
	uint64_t low = 0, high = d->n_func_spans; // first with low > pc
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (d->func_spans[mid].low <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || pc >= d->func_spans[low - 1].high)
		return HC_NONE;
	const struct span_of_func *f = &d->func_spans[low - 1];
	HC_TRY(entry_of(d, f->ref, &e, err));
	*ret = (struct dwarf_func){ f->ref, name_of(d, &e), f->low, f->high };
	return HC_OK;
}
