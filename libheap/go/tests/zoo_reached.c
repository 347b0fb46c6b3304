// zoo_reached.c: what is reachable, against what the program said and what
// the collector itself kept.
#include "libheap/go/tests/zoo.h"

static bool lives(const struct zoo *z, taddr at)
{
	struct heap_ref ref;
	size_t n;

	if (heap_find(z->heap, at, &ref))
		return false;
	return heap_bit(heap_live(z->heap),
			&heap_regions(z->heap, &n)[ref.region], ref.slot);
}

static void
objects_are_reachable_exactly_when_the_program_says_so(struct zoo *z)
{
	struct zoo_set set;
	const char *line = z->truth;
	unsigned i, n = 0;

	if (zoo_is(z->i, "gc") || zoo_is(z->i, "leak"))
		return;
	for (; zoo_next_set(&line, &set); n++)
		for (i = 0; i < set.n; i++)
			zoo_require(z, lives(z, set.at[i]) == set.live,
				    "0x%" PRIx64 " of \"%s\" is%s alive",
				    set.at[i], set.name,
				    set.live ? "" : " not");
	if (zoo_is(z->i, "heap") || zoo_is(z->i, "dirty"))
		zoo_require(z, n > 40, "%u sets", n);
}

// These modes collect before they die, so what is allocated is what was kept.
// In `heap` that is exact (but for two closures that the collection of 1.24
// itself made); in the others a goroutine or the death itself may leave some:
// what becomes of texts that a panic makes and of ended goroutines' closures.
static void reachable_objects_are_those_that_the_collector_kept(struct zoo *z)
{
	struct heap_totals t = heap_totals(z->heap);
	uint64_t most = zoo_minor(z->i) == 24 ? 2 : 0;

	if (zoo_is(z->i, "gc") || zoo_is(z->i, "leak") || zoo_is(z->i, "dirty"))
		return;
	if (!zoo_is(z->i, "heap"))
		most += 1 + t.live_objects / 500;
	zoo_require(z, t.live_objects > 150, "%" PRIu64, t.live_objects);
	zoo_require(z, t.garbage_objects <= most,
		    "%" PRIu64 " live, %" PRIu64 " garbage", t.live_objects,
		    t.garbage_objects);
	zoo_require(z, t.unswept_objects == 0, "%" PRIu64 " unswept",
		    t.unswept_objects);
}

static void nothing_reachable_is_free_or_found_dead(struct zoo *z)
{
	size_t i, n;
	const struct heap_region *r = heap_regions(z->heap, &n);
	uint32_t k;

	for (i = 0; i < n; i++)
		for (k = 0; k < r[i].n_slots; k++) {
			if (!heap_bit(heap_live(z->heap), &r[i], k))
				continue;
			zoo_require(z, heap_bit(heap_allocated(z->heap), &r[i],
						k),
				    "0x%" PRIx64 " is free",
				    r[i].base + k * r[i].slot);
			zoo_require(z, !heap_bit(heap_dead(z->heap), &r[i], k),
				    "0x%" PRIx64 " is dead",
				    r[i].base + k * r[i].slot);
		}
}

// Types that are asked for first leave marks on the way, and marking goes on
// from those.
static void marks_are_the_same_when_types_come_first(struct zoo *z)
{
	const struct heap_region *r;
	struct hc_err err = { 0 };
	struct zoo typed;
	size_t i, n;
	uint32_t k;

	zoo_open(z->i, &typed);
	zoo_require(z, heap_type(typed.heap, &err) == HC_OK, "%s", err.msg);
	r = heap_regions(z->heap, &n);
	for (i = 0; i < n; i++)
		for (k = 0; k < r[i].n_slots; k++)
			zoo_require(z,
				    heap_bit(heap_live(z->heap), &r[i], k) ==
					    heap_bit(heap_live(typed.heap),
						     &r[i], k),
				    "0x%" PRIx64, r[i].base + k * r[i].slot);
	zoo_close(&typed);
}

static void undamaged_cores_give_no_findings(struct zoo *z)
{
	const struct findings *f = core_findings(z->core);

	zoo_require(z, f->n == 0, "%s: %s", f->at[0].kind, f->at[0].text);
}

const struct zoo_claim zoo_reached[] = {
	ZOO_CLAIM(objects_are_reachable_exactly_when_the_program_says_so),
	ZOO_CLAIM(reachable_objects_are_those_that_the_collector_kept),
	ZOO_CLAIM(nothing_reachable_is_free_or_found_dead),
	ZOO_CLAIM(marks_are_the_same_when_types_come_first),
	ZOO_CLAIM(undamaged_cores_give_no_findings),
	{ NULL, NULL },
};
