// cmd_objects.c: `heapcore objects`: one line per object, in address order.
#include "cli/commands.h"

// struct listing is the state of one list.
struct listing {
	struct session *s;
	const uint64_t *live, *dead;
	uint64_t matched, printed, max;
};

static void object_text(struct listing *l, taddr at, uint64_t size, bool live,
			bool dead)
{
	struct out *out = l->s->out;
	out_addr(out, at);
	out_printf(out, " %12s  %s\n", word_size(size, out->exact).at,
		   live ? "live" :
		   dead ? "dead, unswept" :
			  "garbage");
}

// object_json is written by hand: this is the longest list there is.
static void object_json(struct listing *l, taddr at, uint64_t size, bool live)
{
	struct out *out = l->s->out;
	out_text(out, "{\"address\": \"");
	out_addr(out, at);
	out_text(out, "\", \"size\": ");
	out_u64(out, size);
	out_text(out, live ? ", \"live\": true}\n" : ", \"live\": false}\n");
}

static void list_object(struct listing *l, const struct heap_region *r,
			uint32_t slot)
{
	const struct options *o = &l->s->o;
	bool live = heap_bit(l->live, r, slot);
	if ((o->live && !live) || (o->garbage && live))
		return;
	l->matched++;
	if (l->printed == l->max)
		return;
	l->printed++;
	taddr at = r->base + slot * r->slot;
	if (o->json)
		object_json(l, at, r->slot, live);
	else
		object_text(l, at, r->slot, live,
			    heap_bit(l->dead, r, slot));
}

static void list_region(struct listing *l, const struct heap_region *r,
			const uint64_t *allocated)
{
	if (r->slot < l->s->o.min_size)
		return;
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
	HC_TRY(session_mark(s));
	const struct heap_region *regions = heap_regions(s->heap, &n);
	struct listing l = { s, heap_live(s->heap), heap_dead(s->heap), 0, 0,
			     session_rows(s) };
	for (size_t i = 0; i < n && !out_stopped(s->out); i++) {
		if (s->o.json && l.printed == l.max)
			break;
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
