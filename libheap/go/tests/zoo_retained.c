// zoo_retained.c: what is retained, held against the definition: what cannot
// be reached any more without it.
#include "libheap/go/tests/zoo.h"

enum { N_OBJECTS = 120, N_HOLDERS = 60, N_STRIPPED = 8, BATCH = 128 };

// struct edge leads from an object to another, by number of slot; a root has
// NOBODY as from, and the key of its holder.
#define NOBODY UINT32_MAX
struct edge {
	uint32_t from, to;
	uint64_t key;
};

// struct plain is the graph as a list of edges.
struct plain {
	struct zoo *z;
	uint32_t *base; // number of each region's first slot
	uint32_t n_slots, region;
	struct { VEC(struct edge); } edges;
	uint32_t *first; // edges of a slot, when sorted
	bool *met;
	uint32_t *queue;
	struct edge_sink sink;
	taddr target[BATCH];
	struct edge_source source[BATCH];
};

static uint32_t number(const struct plain *p, struct heap_ref ref)
{
	return p->base[ref.region] + ref.slot;
}

static void add(struct plain *p, uint32_t from, taddr target, uint64_t key)
{
	struct heap_ref ref;
	struct edge *e;

	if (heap_find(p->z->heap, target, &ref))
		return;
	e = vec_push(&p->z->pool, &p->edges);
	ck_assert_ptr_nonnull(e);
	*e = (struct edge){ from, number(p, ref), key };
}

static void flush(struct edge_sink *sink)
{
	struct plain *p = sink->ctx;
	uint32_t i;

	for (i = 0; i < sink->n; i++)
		add(p, p->base[p->region] + p->source[i].slot, p->target[i],
		    0);
	sink->n = 0;
}

static uint64_t key_of(const struct zoo *z, struct heap_root root)
{
	return heap_reader_of(z->heap)->holder(heap_self(z->heap), &root);
}

static void take_root(void *ctx, const struct heap_root *root)
{
	struct plain *p = ctx;

	add(p, NOBODY, root->target, key_of(p->z, *root));
}

static struct plain *plain_make(struct zoo *z)
{
	struct plain *p = pool_new(&z->pool, struct plain, 1);
	size_t n, i;
	const struct heap_region *r = heap_regions(z->heap, &n);

	ck_assert_ptr_nonnull(p);
	p->z = z;
	p->sink = (struct edge_sink){ p->target, p->source, 0, BATCH, flush,
				      p };
	p->base = pool_new(&z->pool, uint32_t, n + 1);
	ck_assert_ptr_nonnull(p->base);
	for (i = 0; i < n; i++) {
		p->base[i] = p->n_slots;
		p->n_slots += r[i].n_slots;
	}
	heap_reader_of(z->heap)->roots(heap_self(z->heap), take_root, p);
	p->met = pool_new(&z->pool, bool, p->n_slots + 1);
	p->queue = pool_new(&z->pool, uint32_t, p->n_slots + 1);
	p->first = pool_new(&z->pool, uint32_t, p->n_slots + 2);
	ck_assert(p->met && p->queue && p->first);
	for (p->region = 0; p->region < n; p->region++) {
		heap_scan(z->heap, p->region, NULL, &p->sink);
		flush(&p->sink);
	}
	// Edges come in order of their source, roots before them.
	for (i = 0; i < p->edges.n; i++)
		if (p->edges.at[i].from != NOBODY)
			p->first[p->edges.at[i].from + 1]++;
		else
			p->first[0]++;
	for (i = 0; i <= p->n_slots; i++)
		p->first[i + 1] += p->first[i];
	return p;
}

static void meet(struct plain *p, uint32_t *n, uint32_t to, uint32_t gone)
{
	if (to == gone || p->met[to])
		return;
	p->met[to] = true;
	p->queue[(*n)++] = to;
}

// reach marks what is reachable without the object `gone`, or, when that is
// NOBODY, without the holder of that key.
static void reach(struct plain *p, uint32_t gone, uint64_t key)
{
	uint32_t i, k, n = 0;

	memset(p->met, 0, p->n_slots);
	for (i = 0; i < p->first[0]; i++)
		if (gone != NOBODY || p->edges.at[i].key != key)
			meet(p, &n, p->edges.at[i].to, gone);
	for (k = 0; k < n; k++)
		for (i = p->first[p->queue[k]]; i < p->first[p->queue[k] + 1];
		     i++)
			meet(p, &n, p->edges.at[i].to, gone);
}

static void keeper_holds(struct plain *p, const struct heap_keeper *k)
{
	uint64_t bytes = 0, objects = 0;
	bool is_object = k->kind == HEAP_KEEPER_OBJECT;
	size_t n, i;
	const struct heap_region *r = heap_regions(p->z->heap, &n);
	const uint64_t *live = heap_live(p->z->heap);
	uint32_t slot;

	reach(p, is_object ? number(p, k->object) : NOBODY,
	      is_object ? 0 : key_of(p->z, k->root));
	for (i = 0; i < n; i++)
		for (slot = 0; slot < r[i].n_slots; slot++) {
			if (!heap_bit(live, &r[i], slot) ||
			    p->met[p->base[i] + slot])
				continue;
			objects++;
			bytes += r[i].slot;
		}
	zoo_require(p->z, k->bytes == bytes && k->objects == objects,
		    "it retains %" PRIu64 " bytes in %" PRIu64 " objects, not %"
		    PRIu64 " in %" PRIu64, bytes, objects, k->bytes,
		    k->objects);
}

static void what_is_retained_would_be_gone(struct zoo *z)
{
	bool stripped = strstr(z->name, "stripped") != NULL;
	struct heap_retained *r;
	struct hc_err err = { 0 };
	struct plain *p = plain_make(z);
	size_t n, i, live = (size_t)heap_totals(z->heap).live_objects;
	const struct heap_region *regions = heap_regions(z->heap, &n);
	size_t step = live / (stripped ? N_STRIPPED : N_OBJECTS) + 1, at = 0;
	uint32_t k, holders;

	ck_assert_int_eq(heap_retain(z->heap, false, &r, &err), HC_OK);
	for (i = 0; i < n; i++)
		for (k = 0; k < regions[i].n_slots; k++) {
			struct heap_ref ref = { (uint32_t)i, k };
			struct heap_keeper keeper;

			if (!heap_bit(heap_live(z->heap), &regions[i], k) ||
			    at++ % step)
				continue;
			ck_assert(heap_keeper_of(r, ref, &keeper) == HC_OK);
			keeper_holds(p, &keeper);
		}
	holders = heap_holders(r);
	step = holders / (stripped ? N_STRIPPED : N_HOLDERS) + 1;
	for (k = 0; k < holders; k += (uint32_t)step) {
		struct heap_keeper keeper = heap_holder(r, k);

		keeper_holds(p, &keeper);
	}
}

static void holders_keep_all_live_bytes(struct zoo *z)
{
	struct heap_retained *r;
	struct heap_keeper all, *below;
	struct hc_err err = { 0 };
	uint64_t bytes = 0, n_all;
	size_t n, i;

	ck_assert_int_eq(heap_retain(z->heap, false, &r, &err), HC_OK);
	all = heap_keeper_all(r);
	ck_assert_int_eq(heap_keepers_below(r, &all, SIZE_MAX, &z->pool,
					    &below, &n, &n_all, &err),
			 HC_OK);
	for (i = 0; i < n; i++)
		bytes += below[i].bytes;
	zoo_require(z, bytes == heap_totals(z->heap).live_bytes &&
			       bytes == all.bytes,
		    "holders keep %" PRIu64 " bytes of %" PRIu64, bytes,
		    heap_totals(z->heap).live_bytes);
}

const struct zoo_claim zoo_retained[] = {
	ZOO_CLAIM(holders_keep_all_live_bytes),
	ZOO_CLAIM(what_is_retained_would_be_gone),
	{ NULL, NULL },
};
