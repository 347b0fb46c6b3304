// cmd_objects.c: `heapcore objects`: one line per object, in address order.
#include "cli/commands.h"
#include "cli/types.h"

#include <string.h>

#define NAMES 64 // types remembered of a region

// struct listing is the state of one list.
// Shape: names remembers what objects of a type are called in this region,
//        in the place of the type number modulo NAMES.
struct listing {
	struct session *s;
	const uint64_t *live, *dead;
	uint64_t matched, printed, max;
	uint32_t region;
	struct { uint32_t type; const char *name; } names[NAMES];
	char *mark; // of s->scratch at the region's begin
};

static const char *type_name(struct listing *l, struct heap_ref ref)
{
	uint32_t type = heap_type_of(l->s->heap, ref);
	uint32_t i = type % NAMES;
	if (!l->names[i].name || l->names[i].type != type) {
		l->names[i].type = type;
		l->names[i].name = type_of_object(l->s, ref);
	}
	return l->names[i].name;
}

static void row_text(struct listing *l, taddr at, uint64_t size,
		     const char *type, bool live, bool dead)
{
	struct out *out = l->s->out;
	out_addr(out, at);
	out_printf(out, " %12s  %-13s  ", word_size(size, out->exact).at,
		   live ? "live" :
		   dead ? "dead, unswept" :
			  "garbage");
	out_name(out, type);
	out_text(out, "\n");
}

// row_json is written by hand: this is the longest list there is.
static void row_json(struct listing *l, taddr at, uint64_t size,
		     const char *type, bool live)
{
	struct out *out = l->s->out;
	out_text(out, "{\"address\": \"");
	out_addr(out, at);
	out_text(out, "\", \"size\": ");
	out_u64(out, size);
	out_text(out, ", \"type\": \"");
	out_escaped(out, ESCAPE_JSON, type);
	out_text(out, live ? "\", \"live\": true}\n" :
			     "\", \"live\": false}\n");
}

static void list_object(struct listing *l, const struct heap_region *r,
			uint32_t slot)
{
	struct session *s = l->s;
	struct heap_ref ref = { l->region, slot };
	bool live = heap_bit(l->live, r, slot);
	if ((s->o.live && !live) || (s->o.garbage && live) ||
	    !types_wanted(s, heap_type_of(s->heap, ref)))
		return;
	l->matched++;
	if (l->printed == l->max)
		return;
	l->printed++;
	taddr at = r->base + slot * r->slot;
	if (s->o.json)
		row_json(l, at, r->slot, type_name(l, ref), live);
	else
		row_text(l, at, r->slot, type_name(l, ref), live,
			 heap_bit(l->dead, r, slot));
}

static void list_region(struct listing *l, const struct heap_region *r,
			const uint64_t *allocated)
{
	if (r->slot < l->s->o.min_size)
		return;
	memset(l->names, 0, sizeof(l->names));
	pool_rewind(&l->s->scratch, l->mark);
	for (uint32_t first = 0; first < r->n_slots; first += 64) {
		uint64_t bits = allocated[r->first_word + first / 64];
		for (; bits; bits &= bits - 1)
			list_object(l, r, first +
				    (uint32_t)__builtin_ctzll(bits));
	}
}

enum hc cmd_objects(struct session *s)
{
	size_t n;
	HC_TRY(types_try(s));
	HC_TRY(session_mark(s));
	const struct heap_region *regions = heap_regions(s->heap, &n);
	struct listing l = { .s = s,
			     .live = heap_live(s->heap),
			     .dead = heap_dead(s->heap),
			     .max = session_rows(s),
			     .mark = pool_mark(&s->scratch) };
	for (size_t i = 0; i < n && !out_stopped(s->out); i++) {
		if (s->o.json && l.printed == l.max)
			break;
		l.region = (uint32_t)i;
		list_region(&l, &regions[i], heap_allocated(s->heap));
	}
	session_phase(s, "list the objects", l.printed, "objects");
	if (!s->o.json && l.matched > l.printed)
		out_printf(s->out, "… %s more objects (-n all shows them, "
			   "--json is whole)\n",
			   word_count(l.matched - l.printed).at);
	if (!s->o.json && l.matched == 0)
		out_text(s->out, "no such objects\n");
	return HC_OK;
}
