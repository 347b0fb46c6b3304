// object.c: see object.h: what is known of one object.
#include "cli/object.h"

#include "cli/graph.h"
#include "cli/names.h"

enum hc object_find(struct session *s, taddr at, size_t max,
		    struct object *ret)
{
	struct object o = { 0 };
	struct heap_path *path = NULL;
	size_t n;
	if (heap_find(s->heap, at, &o.ref))
		return HC_NONE;
	o.region = heap_regions(s->heap, &n)[o.ref.region];
	o.live = heap_bit(heap_live(s->heap), &o.region, o.ref.slot);
	o.unswept = !o.live &&
		    heap_bit(heap_dead(s->heap), &o.region, o.ref.slot);
	HC_TRY(heap_referrers(s->heap, o.ref, max, &s->pool, &o.referrers,
			      &o.n_referrers, &o.all_referrers, &s->err));
	session_phase(s, "find referrers", o.all_referrers, "words");
	if (o.live) {
		enum hc got = heap_paths(s->heap, o.ref, 1, false, &s->pool,
					 &path, &n, &s->err);
		if (got == HC_FAIL)
			return got;
		if (got == HC_OK && n)
			o.path = path[0];
		session_phase(s, "find the path", o.path.n_steps, "steps");
	}
	*ret = o;
	return HC_OK;
}

enum hc object_references(struct session *s, struct heap_ref ref,
			  object_reference_fn *fn, void *ctx)
{
	size_t n;
	const struct heap_region *r =
		&heap_regions(s->heap, &n)[ref.region];
	struct graph_scan scan = { .heap = s->heap, .edge = fn, .ctx = ctx };
	uint64_t words = ((uint64_t)r->n_slots + 63) / 64;
	char *mark = pool_mark(&s->pool);
	uint64_t *slots = pool_new(&s->pool, uint64_t, words);
	if (!slots)
		return hc_nomem(&s->err);
	slots[ref.slot / 64] = UINT64_C(1) << (ref.slot % 64);
	graph_scan_region(&scan, ref.region, slots);
	pool_rewind(&s->pool, mark);
	return HC_OK;
}

void no_object_text(struct session *s, taddr at)
{
	struct out *out = s->out;
	const char *symbol = name_address(s, at);
	const char *use = name_use(s, at, 1);
	out_printf(out, "0x%" PRIx64 " is in no object of the heap", at);
	if (symbol || use) {
		out_text(out, ": it is ");
		out_name(out, symbol ? symbol : use);
		if (symbol && use) {
			out_text(out, ", ");
			out_name(out, use);
		}
	} else if (core_mapped_bytes(s->core, at, 1) == 0) {
		out_text(out, ": nothing was mapped there");
	}
	out_text(out, ".\n");
}
