// types.c: many objects of one type that together keep much, though no single
// holder has them.
#include "libheap/heap.h"

enum { MANY = 8 };

// struct best is the object of a type that keeps most.
struct best {
	struct heap_keeper keeper;
	bool asked, any;
};

// best_find looks at every live object of the types that are asked for.
static void best_find(struct heap_suspects *s, struct best *best, uint32_t n)
{
	size_t n_regions;
	const struct heap_region *r = heap_regions(s->heap, &n_regions);
	const uint64_t *live = heap_live(s->heap);
	for (size_t i = 0; i < n_regions; i++) {
		for (uint32_t k = 0; k < r[i].n_slots; k++) {
			struct heap_ref ref = { (uint32_t)i, k };
			struct heap_keeper keeper;
			if (!heap_bit(live, &r[i], k))
				continue;
			uint32_t t = heap_type_of(s->heap, ref);
			if (t >= n || !best[t].asked ||
			    heap_keeper_of(s->retained, ref, &keeper) ||
			    (best[t].any &&
			     keeper.bytes <= best[t].keeper.bytes))
				continue;
			best[t].keeper = keeper;
			best[t].any = true;
		}
	}
}

// is_said says whether what is above the keeper, or a type there, is one of
// the suspects already.
static bool is_said(struct heap_suspects *s, struct heap_keeper k,
		    struct hc_err *err)
{
	for (;;) {
		for (uint64_t i = 0; i < s->n; i++) {
			const struct heap_suspect *other = &s->at[i];
			if (!other->has_keeper)
				continue;
			if (other->keeper.kind == k.kind &&
			    other->keeper.node == k.node)
				return true;
			if (!other->has_point &&
			    k.kind == HEAP_KEEPER_OBJECT &&
			    other->type == heap_type_of(s->heap, k.object))
				return true;
		}
		if (heap_keeper_above(s->retained, &k, &k, err))
			return false;
	}
}

// next_type returns the one of those asked for that keeps most, 0 for none;
// what keeps nothing but itself comes last.
static uint32_t next_type(const struct heap_suspects *s,
			  const struct heap_sum *sum, const struct best *best)
{
	uint32_t most = 0;
	bool most_leaf = false;
	for (uint32_t t = 1; t < s->n_types; t++) {
		bool leaf = sum[t].bytes == sum[t].own_bytes;
		if (!best[t].any || (most && leaf && !most_leaf))
			continue;
		if (!most || (most_leaf && !leaf) ||
		    sum[t].bytes > sum[most].bytes) {
			most = t;
			most_leaf = leaf;
		}
	}
	return most;
}

enum hc suspects_types(struct heap_suspects *s, struct hc_err *err)
{
	struct heap_sum *sum;
	struct best *best = pool_new(s->pool, struct best, s->n_types +
							   UINT64_C(1));
	uint32_t t;
	if (!best)
		return hc_nomem(err);
	HC_TRY(heap_retained_by(s->retained, NULL, NULL, s->n_types, s->pool,
				&sum, err));
	for (t = 1; t < s->n_types; t++)
		best[t].asked = sum[t].objects >= MANY &&
				sum[t].bytes >= s->least &&
				s->explained[t] < sum[t].bytes / 2;
	best_find(s, best, s->n_types);
	while ((t = next_type(s, sum, best)) != 0) {
		best[t].any = false;
		if (is_said(s, best[t].keeper, err))
			continue;
		struct heap_suspect *to = suspects_add(s, "type", sum[t].bytes,
						       sum[t].objects);
		if (!to)
			return hc_nomem(err);
		to->has_keeper = true;
		to->keeper = best[t].keeper;
		to->type = t;
		to->type_bytes = sum[t].bytes;
	}
	return HC_OK;
}
