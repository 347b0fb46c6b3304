// cmd_reachable.c: `heapcore reachable ADDR`: why is it alive?
#include "cli/commands.h"
#include "cli/holders.h"
#include "cli/object.h"
#include "cli/paths.h"
#include "cli/types.h"

#define HOLDERS_SHOWN 10
#define ROOTS_SHOWN 20

// struct answer is what was found out about the address.
struct answer {
	struct heap_ref object;
	bool is_object, live, unswept;
	struct heap_path *paths;
	size_t n_paths;
	struct heap_referrer *holders;
	size_t n_holders;
	uint64_t all_holders;
};

static bool bit_of(const struct heap *heap, const uint64_t *map,
		   struct heap_ref ref)
{
	size_t n;
	return heap_bit(map, &heap_regions(heap, &n)[ref.region], ref.slot);
}

// max_paths says how many paths are wanted: one, -n, or those of all roots.
static size_t max_paths(const struct session *s)
{
	uint64_t max = option_given(&s->o, TOP) ? s->o.top :
		       !s->o.all_roots		? 1 :
		       s->o.json		? UINT64_MAX :
						  ROOTS_SHOWN;
	return max < SIZE_MAX ? (size_t)max : SIZE_MAX;
}

static enum hc find_answer(struct session *s, struct answer *ret)
{
	HC_TRY(types_try(s));
	HC_TRY(session_mark(s));
	if (heap_find(s->heap, s->o.address, &ret->object))
		return HC_OK;
	ret->is_object = true;
	ret->live = bit_of(s->heap, heap_live(s->heap), ret->object);
	ret->unswept = bit_of(s->heap, heap_dead(s->heap), ret->object);
	if (!ret->live)
		return heap_referrers(s->heap, ret->object,
				      option_given(&s->o, TOP) ?
					      (size_t)s->o.top :
					      HOLDERS_SHOWN,
				      &s->pool, &ret->holders, &ret->n_holders,
				      &ret->all_holders, &s->err);
	enum hc got = heap_paths(s->heap, ret->object, max_paths(s),
				 s->o.all_roots, &s->pool, &ret->paths,
				 &ret->n_paths, &s->err);
	session_phase(s, "find paths", ret->n_paths, "paths");
	return got == HC_FAIL ? got : HC_OK;
}

// which_text begins the answer: the address and the object that holds it.
static void which_text(struct session *s, const struct answer *a)
{
	struct out *out = s->out;
	taddr base = heap_ref_at(s->heap, a->object);
	struct word size = word_size(heap_ref_size(s->heap, a->object),
				     out->exact);
	bool inside = base != s->o.address;
	if (inside)
		out_printf(out, "0x%" PRIx64 " is byte 0x%" PRIx64 " of the ",
			   s->o.address, s->o.address - base);
	out_printf(out, "%s at 0x%" PRIx64 " (%s, ", inside ? "object" :
							      "The object",
		   base, size.at);
	out_name(out, type_of_object(s, a->object));
	out_text(out, inside ? "), which " : ") ");
}

static void garbage_text(struct session *s, const struct answer *a)
{
	struct out *out = s->out;
	which_text(s, a);
	out_text(out, a->unswept ?
		 "is dead: the last collection found it so, and it is only "
		 "not swept yet.\n" :
		 "is garbage: allocated, but no root leads to it.\n");
	if (a->all_holders == 0) {
		out_text(out, "No object points to it either.\n");
		return;
	}
	out_printf(out, "\n%s word%s in other dead objects point%s to it:\n",
		   word_count(a->all_holders).at,
		   a->all_holders == 1 ? "" : "s",
		   a->all_holders == 1 ? "s" : "");
	for (size_t i = 0; i < a->n_holders; i++) {
		const struct heap_referrer *h = &a->holders[i];
		out_printf(out, "  0x%" PRIx64 " + 0x%" PRIx64 "  (%s, ",
			   heap_ref_at(s->heap, h->from), h->offset,
			   word_size(heap_ref_size(s->heap, h->from),
				     out->exact).at);
		out_name(out, type_of_object(s, h->from));
		out_text(out, ")  ");
		out_name(out, label_of(s, h->from, h->offset));
		out_text(out, "\n");
	}
	if (a->all_holders > a->n_holders)
		out_printf(out, "  … %s more (-n all shows them)\n",
			   word_count(a->all_holders - a->n_holders).at);
}

static enum hc live_text(struct session *s, const struct answer *a)
{
	which_text(s, a);
	out_text(s->out, "is alive:\n");
	for (size_t i = 0; i < a->n_paths; i++) {
		out_text(s->out, "\n");
		HC_TRY(path_text(s, &a->paths[i]));
	}
	if (a->n_paths == 0)
		out_text(s->out, "it was marked, but no path was found\n");
	if (a->n_paths > 0 && a->n_paths == max_paths(s))
		out_printf(s->out, "\nThere may be more: %s\n",
			   s->o.all_roots ?
				   "-n all shows the path from every root" :
				   "-n 5 shows other paths, --all-roots one "
				   "from every root");
	return HC_OK;
}

static enum hc answer_json(struct session *s, const struct answer *a)
{
	struct json j;
	json_begin(&j, s->out);
	json_addr(&j, "address", s->o.address);
	if (a->is_object) {
		json_addr(&j, "object", heap_ref_at(s->heap, a->object));
		json_u64(&j, "size", heap_ref_size(s->heap, a->object));
		json_text(&j, "type", type_of_object(s, a->object));
	} else {
		json_null(&j, "object");
	}
	json_bool(&j, "live", a->live);
	json_open(&j, "paths", '[');
	for (size_t i = 0; i < a->n_paths; i++)
		HC_TRY(path_json(&j, s, &a->paths[i]));
	json_close(&j, ']');
	if (a->is_object && !a->live) {
		json_bool(&j, "unswept", a->unswept);
		json_u64(&j, "referrers_count", a->all_holders);
		referrers_json(&j, s, a->holders, a->n_holders);
	}
	json_end(&j);
	return HC_OK;
}

// answer_type merges the paths of all objects of a type.
static enum hc answer_type(struct session *s)
{
	struct holders h;
	HC_TRY(types_open(s));
	HC_TRY(holders_find(s, &h));
	bool any = h.at[0].count.objects > 0;
	if (s->o.json)
		holders_json(s, &h);
	else if (any)
		holders_text(s, &h, session_rows(s));
	else
		out_text(s->out, "No live object is of such a type.\n");
	return any ? HC_OK : HC_NONE;
}

enum hc cmd_reachable(struct session *s)
{
	if (s->o.type)
		return answer_type(s);
	struct answer a = { 0 };
	HC_TRY(find_answer(s, &a));
	if (s->o.json)
		HC_TRY(answer_json(s, &a));
	else if (a.live)
		HC_TRY(live_text(s, &a));
	else if (a.is_object)
		garbage_text(s, &a);
	else
		no_object_text(s, s->o.address);
	return a.live ? HC_OK : HC_NONE;
}
