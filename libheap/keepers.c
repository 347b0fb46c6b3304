// keepers.c: the tree of keepers, up, down and across.
#include "libheap/one.h"
#include "libheap/retained.h"

#include <stdlib.h>

enum hc retained_tree(struct heap_retained *r, struct hc_err *err)
{
	if (r->child)
		return HC_OK;
	uint32_t *first = pool_new_dense(r->heap->pool, uint32_t,
					 r->n + UINT64_C(2));
	uint32_t *child = pool_new_dense(r->heap->pool, uint32_t, r->n);
	if (!first || !child)
		return hc_nomem(err);
	for (uint32_t v = 0; v < r->root; v++)
		first[r->above[v] + 2]++;
	for (uint32_t v = 0; v <= r->n; v++)
		first[v + 1] += first[v];
	for (uint32_t v = 0; v < r->root; v++)
		child[first[r->above[v] + 1]++] = v;
	r->first = first;
	r->child = child;
	return HC_OK;
}

// object_keeper describes the node of an object.
static struct heap_keeper object_keeper(const struct heap_retained *r,
					uint32_t v, struct heap_ref object)
{
	return (struct heap_keeper){ .kind = HEAP_KEEPER_OBJECT,
				     .object = object,
				     .own_bytes = heap_ref_size(r->heap, object),
				     .bytes = r->bytes[v],
				     .objects = r->objects[v],
				     .node = v };
}

// keeper_at describes a node.
static struct heap_keeper keeper_at(const struct heap_retained *r, uint32_t v)
{
	if (v < r->n_objects)
		return object_keeper(r, v, node_ref(&r->nodes, v));
	struct heap_keeper k = { .kind = HEAP_KEEPER_ALL, .bytes = r->bytes[v],
				 .objects = r->objects[v], .node = v };
	if (v < r->root) {
		k.kind = HEAP_KEEPER_HOLDER;
		k.root = r->holder[v - r->n_objects];
	}
	return k;
}

// leaf_keeper describes an object that was folded into the one above it.
static struct heap_keeper leaf_keeper(const struct heap_retained *r,
				      struct heap_ref ref)
{
	uint64_t size = heap_ref_size(r->heap, ref);
	return (struct heap_keeper){ .kind = HEAP_KEEPER_OBJECT, .object = ref,
				     .own_bytes = size, .bytes = size,
				     .objects = 1, .node = NODE_NONE };
}

struct heap_keeper heap_keeper_all(const struct heap_retained *r)
{
	return keeper_at(r, r->root);
}

uint32_t heap_holders(const struct heap_retained *r)
{
	return r->n_holders;
}

struct heap_keeper heap_holder(const struct heap_retained *r, uint32_t i)
{
	return keeper_at(r, r->n_objects + i);
}

enum hc heap_keeper_of(struct heap_retained *r, struct heap_ref object,
		       struct heap_keeper *ret)
{
	const struct heap_region *region = &r->heap->regions[object.region];
	if (!heap_bit(r->nodes.in, region, object.slot))
		return HC_NONE;
	uint32_t v = node_of(&r->nodes, object);
	*ret = v == NODE_NONE ? leaf_keeper(r, object) :
					object_keeper(r, v, object);
	return HC_OK;
}

// leaf_above finds the one object that points to a folded leaf.
static enum hc leaf_above(struct heap_retained *r, struct heap_ref leaf,
			  struct heap_keeper *ret, struct hc_err *err)
{
	struct heap_referrer *from;
	struct pool pool;
	uint64_t all;
	size_t n;
	HC_TRY(scratch_open(r->heap->pool, &pool, err));
	enum hc got = heap_referrers(r->heap, leaf, SIZE_MAX, &pool, &from, &n,
				     &all, err);
	for (size_t i = 0; got == HC_OK && i < n; i++) {
		uint32_t v = node_of(&r->nodes, from[i].from);
		if (v == NODE_NONE)
			continue;
		*ret = object_keeper(r, v, from[i].from);
		break;
	}
	scratch_close(r->heap->pool, &pool);
	return got;
}

enum hc heap_keeper_above(struct heap_retained *r,
			  const struct heap_keeper *keeper,
			  struct heap_keeper *ret, struct hc_err *err)
{
	if (keeper->kind == HEAP_KEEPER_ALL)
		return HC_NONE;
	if (keeper->node == NODE_NONE)
		return leaf_above(r, keeper->object, ret, err);
	*ret = keeper_at(r, r->above[keeper->node]);
	return HC_OK;
}

// struct below gathers what is right below a keeper: the first `most` of it in
// the order of most_first, and some more.
// Shape: n is how many there are in all. Once `most` are in order, cut is set
//        and floor the bytes of the last.
struct below {
	const struct heap_retained *r;
	struct pool *pool;
	struct { VEC(struct heap_keeper); } at;
	uint64_t most, n, floor;
	bool cut, full;
};

static int most_first(const void *a, const void *b)
{
	const struct heap_keeper *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->object.region != y->object.region)
		return x->object.region < y->object.region ? -1 : 1;
	return x->object.slot < y->object.slot ? -1 :
						 x->object.slot > y->object.slot;
}

// below_sort puts what was gathered in order and drops what is not among the
// first.
static void below_sort(struct below *b)
{
	if (b->at.n > 1)
		qsort(b->at.at, b->at.n, sizeof(*b->at.at), most_first);
	if (b->at.n < b->most || !b->most)
		return;
	b->at.n = b->most;
	b->cut = true;
	b->floor = b->at.at[b->most - 1].bytes;
}

static void below_add(struct below *b, struct heap_keeper keeper)
{
	struct heap_keeper *at = vec_push(b->pool, &b->at);
	if (at)
		*at = keeper;
	b->full |= !at;
	if (b->at.n / 2 > b->most)
		below_sort(b);
}

static void below_leaf(void *ctx, taddr target, uint64_t offset)
{
	struct below *b = ctx;
	struct page_hit hit = pagemap_find(&b->r->heap->map, target);
	(void)offset;
	if (!retained_is_leaf(b->r, hit))
		return;
	struct heap_keeper leaf =
		leaf_keeper(b->r, heap_hit_ref(b->r->heap, hit));
	b->n++;
	if (!b->cut || leaf.bytes >= b->floor)
		below_add(b, leaf);
}

// below_nodes takes in the nodes below one, in their order: of those with the
// same bytes, the first.
static void below_nodes(struct below *b, uint32_t v)
{
	const struct heap_retained *r = b->r;
	b->n += r->first[v + 1] - r->first[v];
	for (uint32_t i = r->first[v]; i < r->first[v + 1] && !b->full; i++)
		if (!b->cut || r->bytes[r->child[i]] > b->floor)
			below_add(b, keeper_at(r, r->child[i]));
}

// below_gather finds them.
static enum hc below_gather(struct below *b, struct heap_retained *r,
			    const struct heap_keeper *keeper,
			    struct hc_err *err)
{
	uint32_t v = keeper->node;
	if (v == NODE_NONE)
		return HC_OK;
	HC_TRY(retained_tree(r, err));
	below_nodes(b, v);
	if (keeper->kind == HEAP_KEEPER_OBJECT) {
		struct one *one = pool_new(b->pool, struct one, 1);
		if (!one)
			return hc_nomem(err);
		HC_TRY(one_open(one, r->heap, b->pool, err));
		one_scan(one, keeper->object, below_leaf, b);
	}
	return b->full ? hc_nomem(err) : HC_OK;
}

enum hc heap_keepers_below(struct heap_retained *r,
			   const struct heap_keeper *keeper, size_t max,
			   struct pool *pool, struct heap_keeper **ret,
			   size_t *ret_n, uint64_t *ret_all,
			   struct hc_err *err)
{
	struct pool scratch;
	HC_TRY(scratch_open(pool, &scratch, err));
	struct below b = { .r = r, .pool = &scratch, .most = max };
	enum hc got = below_gather(&b, r, keeper, err);
	struct heap_keeper *out = NULL;
	below_sort(&b);
	size_t n = b.at.n < max ? (size_t)b.at.n : max;
	if (got == HC_OK) {
		out = pool_new(pool, struct heap_keeper, n + 1);
		got = out ? HC_OK : hc_nomem(err);
	}
	for (size_t i = 0; out && i < n; i++)
		out[i] = b.at.at[i];
	scratch_close(pool, &scratch);
	HC_TRY(got);
	*ret = out;
	*ret_n = n;
	*ret_all = b.n;
	return HC_OK;
}
