// write_edges.c: every pointer between objects, region by region.
//
// An object is the number of its shape (which of its words are pointers), then
// for each pointer how far it is from where it was guessed to lead: where the
// same pointer of the object before led. See FORMAT.md.
#include "libheap/dump/write.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 1024
#define TABLE (4 * SHAPES_MAX)

struct edge {
	uint64_t offset, target; // slot number in the file
	uint64_t inside;         // bytes into the target
	uint32_t slot;
};

struct edges {
	struct writer *w;
	const uint64_t *allocated;
	uint32_t region;
	struct { VEC(struct edge); } found; // of one region
	bool sorted, nomem;
	struct { VEC(uint64_t); } shapes; // n, offsets, n, offsets, …
	uint64_t *start; // in shapes, of each shape
	uint32_t n_shapes;
	uint32_t *table; // hash table: number of a shape plus 1
	struct { VEC(uint64_t); } lengths; // bytes of each region
	uint64_t guess[EDGE_GUESSES];
	struct edge_sink sink;
	taddr target[BATCH];
	struct edge_source source[BATCH];
	struct heap_aim aim[BATCH];
};

static bool comes_before(const struct edge *a, const struct edge *b)
{
	return a->slot < b->slot ||
	       (a->slot == b->slot && a->offset <= b->offset);
}

static void take_edge(struct edges *e, uint32_t i)
{
	uint32_t region = e->aim[i].region;
	uint32_t word = e->aim[i].word, bit = e->aim[i].bit;
	const struct heap_region *r = &e->w->regions[region];
	if (!(e->allocated[word] >> bit & 1))
		return;
	struct edge *one = vec_push(e->w->pool, &e->found);
	if (!one) {
		e->nomem = true;
		return;
	}
	uint64_t slot = UINT64_C(64) * (word - r->first_word) + bit;
	one->slot = e->source[i].slot;
	one->offset = e->source[i].offset;
	one->target = e->w->first[region] + slot;
	one->inside = e->target[i] - r->base - slot * r->slot;
	if (e->found.n > 1 && !comes_before(one - 1, one))
		e->sorted = false;
}

static void on_batch(struct edge_sink *sink)
{
	struct edges *e = sink->ctx;
	heap_aim(e->w->heap, e->target, sink->n, e->allocated, 3, e->aim);
	for (uint32_t i = 0; i < sink->n && !e->nomem; i++)
		take_edge(e, i);
	sink->n = 0;
}

static int by_place(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool same_shape(const struct edges *e, uint32_t id,
		       const struct edge *at, uint64_t n)
{
	const uint64_t *s = e->shapes.at + e->start[id];
	if (s[0] != n)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (s[1 + i] != at[i].offset)
			return false;
	return true;
}

static bool add_shape(struct edges *e, const struct edge *at, uint64_t n)
{
	e->start[e->n_shapes] = e->shapes.n;
	for (uint64_t i = 0; i <= n; i++) {
		uint64_t *v = vec_push(e->w->pool, &e->shapes);
		if (!v) {
			e->nomem = true;
			return false;
		}
		*v = i == 0 ? n : at[i - 1].offset;
	}
	e->n_shapes++;
	return true;
}

// shape_code returns the code of these n pointers, EDGES_INLINE when their
// places have to be written out.
static uint64_t shape_code(struct edges *e, const struct edge *at, uint64_t n)
{
	uint64_t h = n;
	if (n > SHAPE_MAX)
		return EDGES_INLINE;
	for (uint64_t i = 0; i < n; i++)
		h = (h ^ at[i].offset) * UINT64_C(0x9e3779b97f4a7c15);
	h = h >> 40 & (TABLE - 1);
	for (; e->table[h]; h = (h + 1) & (TABLE - 1))
		if (same_shape(e, e->table[h] - 1, at, n))
			return EDGES_SHAPE + (e->table[h] - 1);
	if (e->n_shapes == SHAPES_MAX || !add_shape(e, at, n))
		return EDGES_INLINE;
	e->table[h] = e->n_shapes;
	return EDGES_SHAPE + (e->n_shapes - 1);
}

static uint64_t bytes_of(uint64_t v)
{
	return (70 - (uint64_t)__builtin_clzll(v | 1)) / 7;
}

// write_object writes the n pointers of one object, returning the bytes.
static uint64_t write_object(struct edges *e, const struct edge *at,
			     uint64_t n)
{
	struct pack *p = e->w->pack;
	uint64_t code = n ? shape_code(e, at, n) : EDGES_NONE;
	uint64_t len = bytes_of(code), last = 0;
	pack_u(p, code);
	if (code == EDGES_INLINE) {
		pack_u(p, n);
		len += bytes_of(n);
	}
	for (uint64_t i = 0; code == EDGES_INLINE && i < n; i++) {
		pack_u(p, at[i].offset - last);
		len += bytes_of(at[i].offset - last);
		last = at[i].offset;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t *guess = &e->guess[i < EDGE_GUESSES ? i :
							EDGE_GUESSES - 1];
		uint64_t v = zigzag(*guess, at[i].target) << 1 |
			     (at[i].inside != 0);
		*guess = at[i].target;
		pack_u(p, v);
		len += bytes_of(v);
		if (at[i].inside) {
			pack_u(p, at[i].inside);
			len += bytes_of(at[i].inside);
		}
	}
	return len;
}

// write_region writes the pointers found, object by object.
static uint64_t write_region(struct edges *e)
{
	const struct heap_region *r = &e->w->regions[e->region];
	const uint64_t *map = heap_allocated(e->w->heap) + r->first_word;
	const struct edge *at = e->found.at, *end = at + e->found.n;
	uint64_t len = 0;
	for (uint64_t i = 0; i < EDGE_GUESSES; i++)
		e->guess[i] = e->w->first[e->region];
	for (uint32_t word = 0; word < region_slots64(r); word++) {
		for (uint64_t bits = map[word]; bits; bits &= bits - 1) {
			uint32_t slot = 64 * word +
					(uint32_t)__builtin_ctzll(bits);
			const struct edge *from = at;
			while (at < end && at->slot == slot)
				at++;
			len += write_object(e, from, (uint64_t)(at - from));
		}
	}
	return len;
}

static enum hc scan_region(struct edges *e, uint32_t region)
{
	uint64_t *len = vec_push(e->w->pool, &e->lengths);
	e->region = region;
	e->found.n = 0;
	e->sorted = true;
	heap_scan(e->w->heap, region, NULL, &e->sink);
	on_batch(&e->sink);
	if (!len || e->nomem)
		return hc_nomem(e->w->err);
	if (!e->sorted)
		qsort(e->found.at, e->found.n, sizeof(*e->found.at), by_place);
	*len = e->found.n ? write_region(e) : 0;
	return e->nomem ? hc_nomem(e->w->err) : HC_OK;
}

static void write_shapes(struct edges *e)
{
	struct pack *p = e->w->pack;
	pack_section(p, DUMP_EDGE_LENGTHS);
	for (uint64_t i = 0; i < e->lengths.n; i++)
		pack_u(p, e->lengths.at[i]);
	pack_section(p, DUMP_SHAPES);
	pack_u(p, e->n_shapes);
	for (uint32_t i = 0; i < e->n_shapes; i++) {
		const uint64_t *s = e->shapes.at + e->start[i];
		pack_u(p, s[0]);
		for (uint64_t k = 1; k <= s[0]; k++)
			pack_u(p, s[k] - (k > 1 ? s[k - 1] : 0));
	}
}

enum hc write_edges(struct writer *w)
{
	struct edges *e = pool_new(w->pool, struct edges, 1);
	if (!e)
		return hc_nomem(w->err);
	e->w = w;
	e->allocated = heap_allocated(w->heap);
	e->sink = (struct edge_sink){ e->target, e->source, 0, BATCH, on_batch,
				      e };
	e->start = pool_new(w->pool, uint64_t, SHAPES_MAX);
	e->table = pool_new(w->pool, uint32_t, TABLE);
	if (!e->start || !e->table)
		return hc_nomem(w->err);
	pack_section(w->pack, DUMP_EDGES);
	for (size_t i = 0; i < w->n_regions && !pack_failed(w->pack); i++)
		HC_TRY(scan_region(e, (uint32_t)i));
	write_shapes(e);
	return HC_OK;
}
