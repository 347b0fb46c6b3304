// retained_by.c: what all objects of a type, or of a group of types, retain.
#include "libheap/one.h"
#include "libheap/retained.h"

// struct sums is one walk over the tree of keepers, or with part over what is
// below one of them.
// Shape: inside[g] counts the objects of group g on the way from the root to
//        where the walk is. mixed[g] says that it has members both with
//        pointers and folded: only then are folded ones looked for on the way.
struct sums {
	const struct heap_retained *r;
	const uint32_t *group;
	uint32_t n_groups;
	struct heap_sum *sum;
	uint32_t *inside, *of; // of: the group of each node that is an object
	bool *has_node, *mixed;
	bool any_mixed, part;
};

static uint32_t group_of(const struct sums *s, uint32_t word, unsigned bit)
{
	uint32_t type = s->r->heap->types ?
				s->r->heap->types[UINT64_C(64) * word + bit] :
				0;
	uint32_t g = s->group ? s->group[type] : type;
	return g < s->n_groups ? g : 0;
}

// count_leaves adds the folded objects of the groups that only have such, or
// finds the others.
static void count_leaves(struct sums *s, const struct heap_region *r)
{
	for (uint32_t k = 0; k < region_words(r); k++) {
		uint32_t w = r->first_word + k;
		uint64_t bits = s->r->nodes.in[w] & ~s->r->nodes.rank[w].bits;
		for (; bits; bits &= bits - 1) {
			uint32_t g = group_of(s, w,
					      (unsigned)__builtin_ctzll(bits));
			s->sum[g].objects++;
			s->sum[g].own_bytes += r->slot;
			if (s->has_node[g]) {
				s->mixed[g] = s->any_mixed = true;
				continue;
			}
			s->sum[g].bytes += r->slot;
			s->sum[g].retained_objects++;
		}
	}
}

// count_nodes finds the group of each node, and adds them up.
static void count_nodes(struct sums *s, const struct heap_region *r)
{
	for (uint32_t k = 0; k < region_words(r); k++) {
		uint32_t w = r->first_word + k;
		uint64_t bits = s->r->nodes.rank[w].bits;
		uint32_t v = s->r->nodes.rank[w].before;
		for (; bits; bits &= bits - 1) {
			uint32_t g = group_of(s, w,
					      (unsigned)__builtin_ctzll(bits));
			s->of[v++] = g;
			if (s->part)
				continue;
			s->sum[g].objects++;
			s->sum[g].own_bytes += r->slot;
			s->has_node[g] = true;
		}
	}
}

static void sum_leaf(void *ctx, taddr target, uint64_t offset)
{
	struct sums *s = ctx;
	struct page_hit hit = pagemap_find(&s->r->heap->map, target);
	(void)offset;
	if (!retained_is_leaf(s->r, hit))
		return;
	uint32_t g = group_of(s, hit.word, hit.bit);
	uint32_t region = heap_hit_ref(s->r->heap, hit).region;
	uint64_t slot = s->r->heap->regions[region].slot;
	if (s->part) {
		s->sum[g].objects++;
		s->sum[g].own_bytes += slot;
	}
	if ((!s->part && !s->mixed[g]) || s->inside[g])
		return;
	s->sum[g].bytes += slot;
	s->sum[g].retained_objects++;
}

// node_group returns the group of a node.
static uint32_t node_group(const struct sums *s, struct heap_ref ref)
{
	const struct heap_region *r = &s->r->heap->regions[ref.region];
	return group_of(s, r->first_word + ref.slot / 64, ref.slot % 64);
}

static void enter(struct sums *s, uint32_t v, struct one *one)
{
	if (v >= s->r->n_objects)
		return;
	uint32_t g = s->of[v];
	if (s->inside[g]++ == 0) {
		s->sum[g].bytes += s->r->bytes[v];
		s->sum[g].retained_objects += s->r->objects[v];
	}
	if (!s->any_mixed && !s->part)
		return;
	struct heap_ref ref = node_ref(&s->r->nodes, v);
	if (s->part) {
		s->sum[g].objects++;
		s->sum[g].own_bytes += heap_ref_size(s->r->heap, ref);
	}
	one_scan(one, ref, sum_leaf, s);
}

static void leave(struct sums *s, uint32_t v)
{
	if (v < s->r->n_objects)
		s->inside[s->of[v]]--;
}

// sums_walk goes down and up the tree below top; next[v] counts the children
// that it has been to.
static void sums_walk(struct sums *s, uint32_t top, uint32_t *next,
		      struct one *one)
{
	const struct heap_retained *r = s->r;
	enter(s, top, one);
	for (uint32_t v = top;;) {
		if (next[v] < r->first[v + 1] - r->first[v]) {
			v = r->child[r->first[v] + next[v]++];
			enter(s, v, one);
		} else if (v == top) {
			return;
		} else {
			leave(s, v);
			v = r->above[v];
		}
	}
}

static enum hc sums_run(struct sums *s, uint32_t top, struct pool *work,
			struct hc_err *err)
{
	const struct heap_retained *r = s->r;
	struct one *one = pool_new(work, struct one, 1);
	uint32_t *next = pool_new(work, uint32_t, r->n);
	s->inside = pool_new(work, uint32_t, s->n_groups);
	s->has_node = pool_new(work, bool, s->n_groups);
	s->mixed = pool_new(work, bool, s->n_groups);
	s->of = pool_new(work, uint32_t, r->n_objects + UINT64_C(1));
	if (!one || !next || !s->of || !s->inside || !s->has_node || !s->mixed)
		return hc_nomem(err);
	HC_TRY(one_open(one, r->heap, work, err));
	for (uint32_t i = 0; i < r->heap->n_regions; i++)
		count_nodes(s, &r->heap->regions[i]);
	for (uint32_t i = 0; !s->part && i < r->heap->n_regions; i++)
		count_leaves(s, &r->heap->regions[i]);
	sums_walk(s, top, next, one);
	return HC_OK;
}

// leaf_sum is the answer for an object that was folded.
static void leaf_sum(struct sums *s, struct heap_ref ref)
{
	struct heap_sum *sum = &s->sum[node_group(s, ref)];
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
