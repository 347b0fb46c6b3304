// test_retained.c: what is retained is what would be gone: dominators by the
// definition.
#include "libheap/retained.h"
#include "libheap/tests/naive.h"
#include "libheap/tests/pools.h"
#include "libheap/tests/randheap.h"

#include <check.h>
#include <string.h>

Suite *retained_suite(void);

// struct plain is the graph by the plainest way: objects are numbered as
// naive.h does, then come the root words, each of them a holder.
struct plain {
	const struct heapwriter *hw;
	uint64_t n, n_all;
	bool *in, *met;
	uint64_t *queue;
	uint64_t *kept; // of each word, its object or NAIVE_NONE
	uint64_t *first;
	bool garbage;
	const bool *start; // in garbage: below the root
};

static struct plain plain_make(const struct heapwriter *hw, bool garbage)
{
	struct plain p = { .hw = hw, .garbage = garbage };
	uint64_t edges, words = 0;
	uint32_t *depth = naive_depths(hw, &mine, &edges);
	p.n = hw->n_slots;
	p.n_all = p.n + hw->roots.n;
	p.in = pool_new(&mine, bool, p.n + 1);
	p.met = pool_new(&mine, bool, p.n_all + 1);
	p.queue = pool_new(&mine, uint64_t, p.n_all + 1);
	p.first = pool_new(&mine, uint64_t, p.n + 1);
	for (uint64_t i = 0; i < p.n; i++) {
		struct heap_ref ref = naive_ref(hw, i);
		bool live = depth[i] != UINT32_MAX;
		p.in[i] = garbage ? !live && hw_is(hw->regions.at[ref.region]
							   .allocated,
						   ref.slot) :
				    live;
		p.first[i] = words;
		words += naive_words(hw, i);
	}
	p.first[p.n] = words;
	p.kept = pool_new(&mine, uint64_t, words + 1);
	for (uint64_t i = 0; i < p.n; i++) {
		for (uint32_t w = 0; w < naive_words(hw, i); w++) {
			uint64_t to = naive_find(hw, naive_word(hw, i, w));
			p.kept[p.first[i] + w] =
				to != NAIVE_NONE && p.in[to] ? to : NAIVE_NONE;
		}
	}
	return p;
}

static void plain_meet(struct plain *p, uint64_t *n, uint64_t v, uint64_t gone)
{
	if (v == NAIVE_NONE || v == gone || p->met[v])
		return;
	p->met[v] = true;
	p->queue[(*n)++] = v;
}

// plain_reach marks in met what is reachable without `gone`.
static void plain_reach(struct plain *p, uint64_t gone)
{
	uint64_t n = 0;
	memset(p->met, 0, p->n_all);
	for (uint64_t i = 0; p->garbage && i < p->n; i++)
		if (p->start[i])
			plain_meet(p, &n, i, gone);
	for (uint64_t i = 0; !p->garbage && i < p->hw->roots.n; i++)
		if (p->n + i != gone)
			plain_meet(p, &n,
				   naive_find(p->hw,
					      p->hw->roots.at[i].target),
				   gone);
	for (uint64_t k = 0; k < n; k++) {
		uint64_t v = p->queue[k];
		if (!p->in[v])
			continue;
		for (uint64_t w = p->first[v]; w < p->first[v + 1]; w++)
			plain_meet(p, &n, p->kept[w], gone);
	}
}

// check_one compares what a keeper retains with what is gone without it.
static void check_one(struct plain *p, struct heap_retained *r,
		      const struct heap_keeper *k, uint64_t node)
{
	uint64_t bytes = 0, objects = 0;
	plain_reach(p, node);
	for (uint64_t i = 0; i < p->n; i++) {
		if (!p->in[i] || p->met[i])
			continue;
		struct heap_ref ref = naive_ref(p->hw, i);
		bytes += p->hw->regions.at[ref.region].slot;
		objects++;
	}
	if (k->bytes != bytes || k->objects != objects)
		ck_abort_msg("node %" PRIu64 ": %" PRIu64 " bytes of %" PRIu64
			     ", %" PRIu64 " objects of %" PRIu64,
			     node, k->bytes, bytes, k->objects, objects);
	// The one above retains it, and no one between does.
	struct heap_keeper up;
	struct hc_err err;
	ck_assert(heap_keeper_above(r, k, &up, &err) == HC_OK);
	if (up.kind == HEAP_KEEPER_ALL)
		return;
	if (up.kind == HEAP_KEEPER_OBJECT) {
		plain_reach(p, naive_number(p->hw, up.object));
		ck_assert(!p->met[node]);
	}
	ck_assert_uint_ge(up.bytes, k->bytes);
}

// check_first says that the first few of what is below a keeper are the first
// of all that is.
static void check_first(struct heap_retained *r, const struct heap_keeper *k,
			const struct heap_keeper *below, uint64_t n)
{
	for (size_t max = 0; max < 4; max++) {
		struct heap_keeper *first;
		uint64_t all;
		size_t got;
		ck_assert(!heap_keepers_below(r, k, max, &mine, &first, &got,
					      &all, NULL));
		ck_assert_uint_eq(all, n);
		ck_assert_uint_eq(got, n < max ? n : max);
		for (size_t i = 0; i < got; i++) {
			ck_assert_uint_eq(first[i].node, below[i].node);
			ck_assert_uint_eq(first[i].object.region,
					  below[i].object.region);
			ck_assert_uint_eq(first[i].object.slot,
					  below[i].object.slot);
		}
	}
}

// check_below adds up what is right below a keeper.
static void check_below(struct heap_retained *r, const struct heap_keeper *k)
{
	struct heap_keeper *below;
	struct hc_err err = { 0 };
	uint64_t bytes = k->own_bytes, all;
	uint64_t objects = k->kind == HEAP_KEEPER_OBJECT;
	size_t n;
	ck_assert(heap_keepers_below(r, k, SIZE_MAX, &mine, &below, &n, &all,
				     &err) == HC_OK);
	ck_assert_uint_eq(n, all);
	for (size_t i = 0; i < n; i++) {
		struct heap_keeper up;
		bytes += below[i].bytes;
		objects += below[i].objects;
		ck_assert(i == 0 || below[i].bytes <= below[i - 1].bytes);
		ck_assert(heap_keeper_above(r, &below[i], &up, &err) == HC_OK);
		ck_assert_uint_eq(up.node, k->node);
	}
	ck_assert_uint_eq(bytes, k->bytes);
	ck_assert_uint_eq(objects, k->objects);
	check_first(r, k, below, n);
}

static uint64_t total(const struct plain *p)
{
	uint64_t bytes = 0;
	for (uint64_t i = 0; i < p->n; i++)
		if (p->in[i])
			bytes += p->hw->regions.at[naive_ref(p->hw, i).region]
					 .slot;
	return bytes;
}

// check_all compares every object and holder of a heap.
static void check_all(struct plain *p, struct heap_retained *r)
{
	struct heap_keeper k = heap_keeper_all(r);
	ck_assert_uint_eq(k.bytes, total(p));
	check_below(r, &k);
	for (uint64_t i = 0; i < p->n; i++) {
		enum hc got = heap_keeper_of(r, naive_ref(p->hw, i), &k);
		ck_assert_int_eq(got, p->in[i] ? HC_OK : HC_NONE);
		if (got)
			continue;
		ck_assert_uint_eq(naive_number(p->hw, k.object), i);
		check_one(p, r, &k, i);
		check_below(r, &k);
	}
	for (uint32_t i = 0; i < heap_holders(r); i++) {
		k = heap_holder(r, i);
		check_one(p, r, &k, p->n + k.root.detail);
		check_below(r, &k);
	}
}

// retained_of opens a heap and finds what is retained in it.
static struct heap_retained *retained_of(struct heapwriter *hw, bool garbage,
					 bool lengauer)
{
	struct hc_err err = { 0 };
	struct heap_retained *r = NULL;
	struct heap *heap = hw_heap(hw, &theirs);
	heap->dom_steps = lengauer ? 0 : heap->dom_steps;
	heap->edges_worth = 1 + hw->threads % 7;
	heap->processors = 8;
	enum hc got = heap_retain(heap, garbage, &r, &err);
	ck_assert_msg(got == HC_OK, "%s (%s)", err.msg, err.src);
	return r;
}

static const struct rand_shape shapes[] = {
	{ 2, 12, 3, 2, 5, 30, 10, 20 },
	{ 3, 8, 4, 3, 2, 40, 5, 20 },
	{ 6, 30, 3, 2, 5, 45, 20, 24 },
	{ 4, 40, 2, 1, 0, 40, 0, 24 }, // chains
	{ 3, 10, 200, 2, 0, 90, 0, 20 }, // fan-out
};
enum { N_SHAPES = sizeof(shapes) / sizeof(*shapes), SEEDS = 400 };

START_TEST(what_is_retained_is_what_would_be_gone)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct heapwriter hw = { .pool = &mine, .threads = 1 + (unsigned)seed % 8 };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		rand_heap(&hw, seed + 7000 + SEEDS * (uint64_t)_i,
			  &shapes[_i % N_SHAPES]);
		hw.backwards = seed % 2;
		struct plain p = plain_make(&hw, false);
		struct heap_retained *r = retained_of(&hw, false,
						      _i >= N_SHAPES);
		check_all(&p, r);
		heap_close(r->heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

// starts_of finds in garbage what nothing points to, and of each ring that
// nothing else leads to the member that is at the top of the library's tree.
static bool *starts_of(struct plain *p, struct heap_retained *r)
{
	bool *start = pool_new(&mine, bool, p->n + 1);
	bool *other = pool_new(&mine, bool, p->n + 1);
	struct heap_keeper all = heap_keeper_all(r), *below;
	struct hc_err err;
	uint64_t n_all;
	size_t n;
	ck_assert(heap_keepers_below(r, &all, SIZE_MAX, &mine, &below, &n,
				     &n_all, &err) == HC_OK);
	for (uint64_t i = 0; i < p->n; i++)
		for (uint64_t w = p->first[i]; p->in[i] && w < p->first[i + 1];
		     w++)
			if (p->kept[w] != NAIVE_NONE && p->kept[w] != i)
				other[p->kept[w]] = true;
	for (uint64_t i = 0; i < p->n; i++)
		start[i] = p->in[i] && !other[i];
	p->start = start;
	// Whatever that does not reach is behind a ring: walk from each object
	// on top that is not reached; what comes back to it is one.
	for (size_t i = 0; i < n; i++) {
		uint64_t v = naive_number(p->hw, below[i].object);
		plain_reach(p, NAIVE_NONE);
		if (!p->met[v])
			start[v] = true;
	}
	return start;
}

START_TEST(garbage_is_retained_by_what_nothing_points_to)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct heapwriter hw = { .pool = &mine, .threads = 1 + (unsigned)seed % 8 };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		struct rand_shape shape = shapes[_i];
		shape.n_roots = seed % 2;
		rand_heap(&hw, seed + 900 + SEEDS * (uint64_t)_i, &shape);
		struct plain p = plain_make(&hw, true);
		struct heap_retained *r = retained_of(&hw, true, seed % 3 == 0);
		p.start = starts_of(&p, r);
		plain_reach(&p, NAIVE_NONE);
		for (uint64_t i = 0; i < p.n; i++)
			ck_assert(p.met[i] == p.in[i]);
		check_all(&p, r);
		heap_close(r->heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

Suite *retained_suite(void)
{
	Suite *s = suite_create("retained");
	TCase *t = tcase_create("retained");
	tcase_add_checked_fixture(t, pools_open, pools_close);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, what_is_retained_is_what_would_be_gone, 0,
			    2 * N_SHAPES);
	tcase_add_loop_test(t, garbage_is_retained_by_what_nothing_points_to,
			    0, N_SHAPES);
	suite_add_tcase(s, t);
	return s;
}
