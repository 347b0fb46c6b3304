// retained_by.c: what all objects of a type, or of a group of types, retain.
#include "libheap/retained.h"

// Bits of a path: PATH_BELOW is set below the top, the others stand for groups.
#define PATH_BELOW UINT64_C(1)
#define PATH_GROUPS 63u

// struct sums is one walk over the tree of keepers, or with part over what is
// below one of them, and then one pass over the edges to folded objects.
// Shape: inside[g] counts the objects of group g on the way from the root to
//        where the walk is. mixed[g] is the number, from 1, of a group that
//        has members both with pointers and folded: only then is it asked
//        what lies above a folded one, which path[v] says of its owner, for
//        as many groups at a time as have room there.
struct sums {
	const struct heap_retained *r;
	const uint32_t *group;
	uint32_t n_groups;
	struct heap_sum *sum;
	uint32_t *inside, *mixed, *of; // of: each node's that is an object
	uint32_t n_mixed, round;
	bool *has_node, part;
	uint64_t *path;
};

static uint32_t group_of(const struct sums *s, uint32_t region, uint32_t word,
			 unsigned bit)
{
	const struct heap_types *types = heap_types(s->r->heap);
	uint64_t index = UINT64_C(64) * word + bit;
	uint32_t type = types ? heap_types_at(types, region, index) : 0;
	uint32_t g = s->group ? s->group[type] : type;
	return g < s->n_groups ? g : 0;
}

// is_uniform says whether all objects of a region are of one group.
static bool is_uniform(const struct sums *s, uint32_t region)
{
	const struct heap_types *types = heap_types(s->r->heap);
	return !types || types->of_region[region] != HEAP_MIXED;
}

// count_group adds n folded objects of a group that only has such, or finds out
// that it has others.
static void count_group(struct sums *s, uint32_t g, uint64_t n, uint64_t slot)
{
	struct heap_sum *sum = &s->sum[g];
	if (s->has_node[g] && !s->mixed[g])
		s->mixed[g] = ++s->n_mixed;
	if (s->part)
		return;
	sum->objects += n;
	sum->own_bytes += n * slot;
	if (s->has_node[g])
		return;
	sum->bytes += n * slot;
	sum->retained_objects += n;
}

// count_leaves counts the folded objects of a region.
static void count_leaves(struct sums *s, uint32_t region)
{
	const struct heap_region *r = &s->r->heap->regions[region];
	bool uniform = is_uniform(s, region);
	for (uint32_t k = 0; k < region_words(r); k++) {
		uint32_t w = r->first_word + k;
		uint64_t bits = s->r->nodes.in[w] & ~s->r->nodes.rank[w].bits;
		while (bits) {
			unsigned bit = (unsigned)__builtin_ctzll(bits);
			uint64_t some = uniform ? bits : bits & -bits;
			count_group(s, group_of(s, region, w, bit),
				    (uint64_t)__builtin_popcountll(some),
				    r->slot);
			bits &= ~some;
		}
	}
}

// find_groups finds the group of each node. One without pointers keeps nothing
// else alive, so it is never above a folded object.
static void find_groups(struct sums *s, uint32_t region)
{
	const struct heap_region *r = &s->r->heap->regions[region];
	bool scanned = !(r->flags & HEAP_NOSCAN);
	for (uint32_t k = 0; k < region_words(r); k++) {
		uint32_t w = r->first_word + k;
		uint64_t bits = s->r->nodes.rank[w].bits;
		uint32_t v = s->r->nodes.rank[w].before;
		for (; bits; bits &= bits - 1) {
			uint32_t g = group_of(s, region, w,
					      (unsigned)__builtin_ctzll(bits));
			s->of[v++] = g;
			if (scanned)
				s->has_node[g] = true;
		}
	}
}

// count_nodes adds up the nodes, with part those below the top.
static void count_nodes(struct sums *s, const struct heap_region *r)
{
	for (uint32_t k = 0; k < region_words(r); k++) {
		uint32_t w = r->first_word + k;
		uint32_t v = s->r->nodes.rank[w].before;
		uint32_t end = v + (uint32_t)__builtin_popcountll(
					   s->r->nodes.rank[w].bits);
		for (; v < end; v++) {
			if (s->part && !(s->path[v] & PATH_BELOW))
				continue;
			s->sum[s->of[v]].objects++;
			s->sum[s->of[v]].own_bytes += r->slot;
		}
	}
}

// path_bit returns the bit of a group in this round, 0 when it has none.
static inline uint64_t path_bit(const struct sums *s, uint32_t g)
{
	uint32_t i = s->mixed[g] - 1 - s->round * PATH_GROUPS;
	return i < PATH_GROUPS ? UINT64_C(2) << i : 0;
}

// enter comes to a node on a path, whose new bits it returns.
static inline uint64_t enter(struct sums *s, uint32_t v, uint64_t path)
{
	if (v >= s->r->n_objects)
		return path;
	uint32_t g = s->of[v];
	if (s->inside[g]++ == 0) {
		path |= path_bit(s, g);
		if (s->round == 0) {
			s->sum[g].bytes += s->r->bytes[v];
			s->sum[g].retained_objects += s->r->objects[v];
		}
	}
	if (s->path)
		s->path[v] = path;
	return path;
}

static inline uint64_t leave(struct sums *s, uint32_t v, uint64_t path)
{
	if (v >= s->r->n_objects || --s->inside[s->of[v]] > 0)
		return path;
	return path & ~path_bit(s, s->of[v]);
}

// sums_walk goes down and up the tree below top; next[v] counts the children
// that it has been to, and is all 0 again in the end.
static void sums_walk(struct sums *s, uint32_t top, uint32_t *next)
{
	const struct heap_retained *r = s->r;
	uint64_t path = enter(s, top, PATH_BELOW);
	for (uint32_t v = top;;) {
		if (next[v] < r->first[v + 1] - r->first[v]) {
			v = r->child[r->first[v] + next[v]++];
			path = enter(s, v, path);
			continue;
		}
		next[v] = 0;
		path = leave(s, v, path);
		if (v == top)
			return;
		v = r->above[v];
	}
}

// add_leaf adds a folded object whose owner has a path.
static void add_leaf(struct sums *s, struct page_hit hit, uint64_t path)
{
	uint32_t region = heap_hit_ref(s->r->heap, hit).region;
	uint32_t g = group_of(s, region, hit.word, hit.bit);
	uint64_t slot = s->r->heap->regions[region].slot, bit = path_bit(s, g);
	if (s->part && s->round == 0) {
		s->sum[g].objects++;
		s->sum[g].own_bytes += slot;
	}
	if (s->mixed[g] ? !bit || (path & bit) : !s->part || s->round)
		return;
	s->sum[g].bytes += slot;
	s->sum[g].retained_objects++;
}

enum { LEAF_BATCH = 128 };

// struct leaf_pass reads the edges of one region after the other.
struct leaf_pass {
	struct sums *s;
	const struct heap_region *region;
	struct edge_sink sink;
	taddr target[LEAF_BATCH];
	struct edge_source source[LEAF_BATCH];
	struct page_hit hit[LEAF_BATCH];
};

static void leaf_flush(struct edge_sink *sink)
{
	struct leaf_pass *pass = sink->ctx;
	const struct heap_retained *r = pass->s->r;
	uint32_t n = sink->n;
	sink->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		pass->hit[i] = pagemap_find(&r->heap->map, sink->target[i]);
		__builtin_prefetch(&r->nodes.rank[pass->hit[i].word]);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = sink->source[i].slot;
		uint32_t v = node_at(&r->nodes,
				     pass->region->first_word + slot / 64,
				     slot % 64);
		if (v != NODE_NONE && (pass->s->path[v] & PATH_BELOW) &&
		    retained_is_leaf(r, pass->hit[i]))
			add_leaf(pass->s, pass->hit[i], pass->s->path[v]);
	}
}

// leaves_run goes through all pointers in address order.
static void leaves_run(struct sums *s, struct leaf_pass *pass)
{
	const struct heap *heap = s->r->heap;
	pass->s = s;
	pass->sink = (struct edge_sink){ .target = pass->target,
					 .source = pass->source,
					 .cap = LEAF_BATCH,
					 .flush = leaf_flush, .ctx = pass };
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		pass->region = &heap->regions[i];
		heap_scan(heap, i, s->r->nodes.in + pass->region->first_word,
			  &pass->sink);
		leaf_flush(&pass->sink);
	}
}

// sums_count does what needs no path.
static void sums_count(struct sums *s)
{
	const struct heap *heap = s->r->heap;
	for (uint32_t i = 0; i < heap->n_regions; i++)
		find_groups(s, i);
	for (uint32_t i = 0; i < heap->n_regions; i++)
		count_leaves(s, i);
}

static enum hc sums_run(struct sums *s, uint32_t top, struct pool *work,
			struct hc_err *err)
{
	const struct heap_retained *r = s->r;
	struct leaf_pass *pass = pool_new(work, struct leaf_pass, 1);
	uint32_t *next = pool_new_dense(work, uint32_t, r->n);
	s->inside = pool_new(work, uint32_t, s->n_groups);
	s->has_node = pool_new(work, bool, s->n_groups);
	s->mixed = pool_new(work, uint32_t, s->n_groups);
	s->of = pool_new_dense(work, uint32_t, r->n_objects + UINT64_C(1));
	if (!pass || !next || !s->of || !s->inside || !s->has_node || !s->mixed)
		return hc_nomem(err);
	sums_count(s);
	if (s->n_mixed || s->part) {
		s->path = pool_new_dense(work, uint64_t,
					 r->n_objects + UINT64_C(1));
		if (!s->path)
			return hc_nomem(err);
	}
	do {
		sums_walk(s, top, next);
		if (s->path)
			leaves_run(s, pass);
	} while (++s->round * PATH_GROUPS < s->n_mixed);
	for (uint32_t i = 0; i < r->heap->n_regions; i++)
		count_nodes(s, &r->heap->regions[i]);
	return HC_OK;
}

// leaf_sum is the answer for an object that was folded.
static void leaf_sum(struct sums *s, struct heap_ref ref)
{
	const struct heap_region *r = &s->r->heap->regions[ref.region];
	struct heap_sum *sum = &s->sum[group_of(
		s, ref.region, r->first_word + ref.slot / 64, ref.slot % 64)];
	sum->own_bytes = sum->bytes = heap_ref_size(s->r->heap, ref);
	sum->objects = sum->retained_objects = 1;
}

enum hc heap_retained_by(struct heap_retained *r, const struct heap_keeper *top,
			 const uint32_t *group, uint32_t n_groups,
			 struct pool *pool, struct heap_sum **ret,
			 struct hc_err *err)
{
	struct sums s = { .r = r, .group = group, .n_groups = n_groups,
			  .part = top && top->node != r->root };
	struct pool work;
	HC_TRY(retained_tree(r, err));
	s.sum = pool_new(pool, struct heap_sum, n_groups + UINT64_C(1));
	if (!s.sum)
		return hc_nomem(err);
	if (top && top->node == NODE_NONE) {
		leaf_sum(&s, top->object);
		*ret = s.sum;
		return HC_OK;
	}
	HC_TRY(scratch_open(pool, &work, err));
	enum hc got = sums_run(&s, top ? top->node : r->root, &work, err);
	scratch_close(pool, &work);
	HC_TRY(got);
	*ret = s.sum;
	return HC_OK;
}
