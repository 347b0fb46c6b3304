// cmd_retained.c: `heapcore retained`: who holds the memory.
#include "cli/commands.h"
#include "cli/keepergroups.h"
#include "cli/keepers.h"
#include "cli/keepertree.h"
#include "cli/types.h"

#include <string.h>

#define ABOVE_SHOWN 8

// asked_keeper finds the keeper that --of names, else that of everything.
static enum hc asked_keeper(struct session *s, struct heap_retained *r,
			    struct heap_keeper *ret)
{
	struct heap_ref ref;
	if (!option_given(&s->o, OF)) {
		*ret = heap_keeper_all(r);
		return HC_OK;
	}
	if (heap_find(s->heap, s->o.of, &ref) == HC_OK &&
	    heap_keeper_of(r, ref, ret) == HC_OK)
		return HC_OK;
	// A variable stands for what it holds.
	for (uint32_t i = 0; i < heap_holders(r); i++) {
		*ret = heap_holder(r, i);
		if (ret->root.at && ret->root.at == s->o.of)
			return HC_OK;
	}
	return HC_NONE;
}

// above_text prints who retains the keeper, outermost last.
static enum hc above_text(struct session *s, struct heap_retained *r,
			  struct heap_keeper k)
{
	uint64_t whole = heap_keeper_all(r).bytes;
	keeper_numbers(s->out, k.objects, k.bytes, whole);
	HC_TRY(keeper_text(s, &k));
	out_text(s->out, "\n");
	for (unsigned n = 0;; n++) {
		enum hc got = heap_keeper_above(r, &k, &k, &s->err);
		if (got == HC_FAIL)
			return got;
		if (got == HC_NONE || k.kind == HEAP_KEEPER_ALL)
			break;
		if (n == ABOVE_SHOWN) {
			out_text(s->out, "  … and so on (--json has all)\n");
			break;
		}
		keeper_numbers(s->out, k.objects, k.bytes, whole);
		out_text(s->out, "  retained by ");
		HC_TRY(keeper_text(s, &k));
		out_text(s->out, "\n");
	}
	out_text(s->out, "\n");
	return HC_OK;
}

static enum hc above_json(struct session *s, struct heap_retained *r,
			  struct json *j, struct heap_keeper k)
{
	HC_TRY(keeper_json(j, "of", s, &k));
	json_open(j, "above", '[');
	enum hc got;
	while ((got = heap_keeper_above(r, &k, &k, &s->err)) == HC_OK &&
	       k.kind != HEAP_KEEPER_ALL)
		HC_TRY(keeper_json(j, NULL, s, &k));
	json_close(j, ']');
	return got == HC_FAIL ? got : HC_OK;
}

static enum hc tree_json(struct session *s, struct heap_retained *r,
			 const struct heap_keeper *top)
{
	uint64_t rows = session_rows(s), all;
	struct heap_keeper *below;
	struct json j;
	size_t n;
	HC_TRY(heap_keepers_below(r, top, rows < SIZE_MAX ? (size_t)rows :
							    SIZE_MAX,
				  &s->pool, &below, &n, &all, &s->err));
	json_begin(&j, s->out);
	json_u64(&j, "total_bytes", heap_keeper_all(r).bytes);
	json_u64(&j, "total_objects", heap_keeper_all(r).objects);
	if (option_given(&s->o, OF))
		HC_TRY(above_json(s, r, &j, *top));
	json_u64(&j, "holders_count", all);
	json_open(&j, "holders", '[');
	for (size_t i = 0; i < n && !out_stopped(s->out); i++)
		HC_TRY(keeper_json(&j, NULL, s, &below[i]));
	json_close(&j, ']');
	json_end(&j);
	return HC_OK;
}

static enum hc tree_text(struct session *s, struct heap_retained *r,
			 const struct heap_keeper *top)
{
	struct heap_keeper all = heap_keeper_all(r);
	if (option_given(&s->o, OF))
		HC_TRY(above_text(s, r, *top));
	HC_TRY(keepers_tree(s, r, top, session_rows(s)));
	out_printf(s->out, "\n%s %s objects, %s. "
		   "`heapcore retained --of ADDR` goes on from any of them.\n",
		   word_count(all.objects).at,
		   s->o.garbage ? "unreachable" : "live",
		   word_size(all.bytes, s->out->exact).at);
	return HC_OK;
}

enum hc cmd_retained(struct session *s)
{
	struct heap_retained *r;
	struct heap_keeper top;
	// Variables and goroutines have no types to wait for. Types come first:
	// marking then goes on beside that.
	if (!s->o.by || strcmp(s->o.by, "type") == 0 ||
	    strcmp(s->o.by, "package") == 0)
		HC_TRY(types_try(s));
	HC_TRY(keepers_open(s, &r));
	if (s->o.by)
		return keepers_groups(s, r);
	enum hc got = asked_keeper(s, r, &top);
	if (got == HC_NONE)
		return hc_fail(&s->err, HC_UNSUPPORTED, s->o.of,
			       s->o.garbage ? "no object that is garbage" :
					      "no live object and no variable");
	return s->o.json ? tree_json(s, r, &top) : tree_text(s, r, &top);
}
