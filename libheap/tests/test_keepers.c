// test_keepers.c: shapes whose answer is known, what the work may cost, and
// sums by type.
#include "libheap/retained.h"
#include "libheap/tests/pools.h"
#include "libheap/tests/randheap.h"

#include <check.h>
#include <string.h>

Suite *keepers_suite(void);

enum { EACH = 512, SLOT = 16, PER = EACH * SLOT };
#define BASE UINT64_C(0xc000000000)

// objects_add adds n objects of 16 bytes, of two words unless they are leaves,
// and returns the address of the first; they lie one after another.
static taddr objects_add(struct heapwriter *hw, taddr at, uint32_t n,
			 uint32_t flags)
{
	hw->page_shift = 13;
	for (uint32_t i = 0; i < n; i += EACH) {
		uint32_t r = hw_region_add(hw, at + i * UINT64_C(16), SLOT,
					   EACH, flags,
					   flags & HEAP_NOSCAN ? 0 : 2);
		for (uint32_t k = 0; k < EACH && i + k < n; k++)
			hw_alloc(hw, r, k);
	}
	return at;
}

// put stores a pointer as word w of object i.
static void put(struct heapwriter *hw, uint32_t i, uint32_t w, taddr to)
{
	hw_put(hw, i / EACH, i % EACH, w, to);
}

static struct heap_retained *retained(struct heapwriter *hw)
{
	struct hc_err err = { 0 };
	struct heap_retained *r = NULL;
	struct heap *heap = hw_heap(hw, &theirs);
	heap->edges_worth = 5;
	heap->processors = 8;
	enum hc got = heap_retain(heap, false, &r, &err);
	ck_assert_msg(got == HC_OK, "%s (%s)", err.msg, err.src);
	return r;
}

static struct heap_keeper keeper(struct heap_retained *r, taddr at)
{
	struct heap_keeper k;
	struct heap_ref ref;
	ck_assert(heap_find(r->heap, at, &ref) == HC_OK);
	ck_assert(heap_keeper_of(r, ref, &k) == HC_OK);
	return k;
}

START_TEST(an_object_of_a_list_retains_all_behind_it)
{
	enum { N = 100000 };
	struct heapwriter hw = { .pool = &mine };
	objects_add(&hw, BASE, N, 0);
	for (uint32_t i = 0; i + 1 < N; i++)
		put(&hw, i, 0, BASE + SLOT * (i + UINT64_C(1)));
	hw_root(&hw, BASE, 0x1000);
	struct heap_retained *r = retained(&hw);
	for (uint32_t i = 0; i < N; i++)
		ck_assert_uint_eq(keeper(r, BASE + SLOT * (uint64_t)i).objects,
				  N - i);
	heap_close(r->heap);
}
END_TEST

START_TEST(a_ring_is_retained_by_where_it_is_entered)
{
	enum { N = 1000, IN = 77 };
	struct heapwriter hw = { .pool = &mine };
	objects_add(&hw, BASE, N, 0);
	for (uint32_t i = 0; i < N; i++) {
		put(&hw, i, 0, BASE + SLOT * ((i + UINT64_C(1)) % N));
		put(&hw, i, 1, BASE + SLOT * ((i + UINT64_C(1)) % N) + 8);
	}
	hw_root(&hw, BASE + SLOT * IN, 0x1000);
	struct heap_retained *r = retained(&hw);
	ck_assert_uint_eq(keeper(r, BASE + SLOT * IN).objects, N);
	ck_assert_uint_eq(keeper(r, BASE + SLOT * (IN - 1)).objects, 1);
	ck_assert_uint_eq(keeper(r, BASE + SLOT * (IN + 1)).objects, N - 1);
	hw_root(&hw, BASE + SLOT * (IN + 500), 0x2000); // a second way in
	struct heap_retained *two = retained(&hw);
	ck_assert_uint_eq(keeper(two, BASE + SLOT * IN).objects, 500);
	heap_close(r->heap);
	heap_close(two->heap);
}
END_TEST

START_TEST(a_star_retains_its_own_and_not_what_is_shared)
{
	enum { LEAVES = 3000 };
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	uint32_t r = hw_region_add(&hw, BASE, LEAVES * 8, 2, 0, LEAVES);
	taddr leaf = BASE + 0x100000;
	hw_alloc(&hw, r, 0);
	hw_alloc(&hw, r, 1);
	objects_add(&hw, leaf, LEAVES, HEAP_NOSCAN);
	for (uint32_t i = 0; i < LEAVES; i++) {
		hw_put(&hw, r, 0, i, leaf + SLOT * (uint64_t)i + 3);
		hw_put(&hw, r, 1, i, i % 3 ? 0 : leaf + SLOT * (uint64_t)i);
	}
	hw_root(&hw, BASE, 0x1000);
	hw_root(&hw, BASE + LEAVES * 8, 0x1008);
	struct heap_retained *got = retained(&hw);
	ck_assert_uint_eq(keeper(got, BASE).objects, 1 + LEAVES / 3 * 2);
	ck_assert_uint_eq(keeper(got, BASE + LEAVES * 8).objects, 1);
	ck_assert_uint_eq(heap_keeper_all(got).objects, LEAVES + 2);
	// Two of three leaves are folded; they take no node.
	ck_assert_uint_eq(got->n_objects, 2 + LEAVES / 3);
	heap_close(got->heap);
}
END_TEST

// steps_of returns what it takes for a list of n objects, each with a string
// of its own, all of which are in a table too.
static uint64_t steps_of(uint32_t n, bool *ret_lengauer)
{
	struct heapwriter hw = { .pool = &mine };
	taddr leaf = BASE + UINT64_C(0x10000000);
	char *a = pool_mark(&mine), *b = pool_mark(&theirs);
	objects_add(&hw, BASE, n, 0);
	uint32_t table = hw_region_add(&hw, BASE + UINT64_C(0x8000000),
				       UINT64_C(8) * n, 1, 0, n);
	hw_alloc(&hw, table, 0);
	objects_add(&hw, leaf, n, HEAP_NOSCAN);
	for (uint32_t i = 0; i < n; i++) {
		put(&hw, i, 0, BASE + SLOT * (i + UINT64_C(1)));
		put(&hw, i, 1, leaf + SLOT * (uint64_t)i);
		hw_put(&hw, table, 0, i, leaf + SLOT * (uint64_t)i);
	}
	put(&hw, n - 1, 0, 0);
	hw_root(&hw, BASE, 0x1000);
	hw_root(&hw, BASE + UINT64_C(0x8000000), 0x1008);
	struct heap_retained *r = retained(&hw);
	ck_assert_uint_eq(keeper(r, BASE).objects, n);
	uint64_t steps = r->work.steps + r->work.more_steps;
	*ret_lengauer = r->work.lengauer;
	heap_close(r->heap);
	pool_rewind(&mine, a);
	pool_rewind(&theirs, b);
	return steps;
}

START_TEST(twice_the_list_with_its_table_takes_twice_the_steps)
{
	bool lengauer;
	uint64_t last = steps_of(20000, &lengauer);
	for (uint32_t n = 40000; n <= 160000; n *= 2) {
		uint64_t steps = steps_of(n, &lengauer);
		ck_assert(lengauer);
		ck_assert_uint_le(10 * steps, 23 * last);
		last = steps;
	}
}
END_TEST

static const struct rand_shape shape = { 12, 60, 4, 4, 5, 40, 10, 24 };

START_TEST(any_number_of_threads_finds_the_same)
{
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct heapwriter hw = { .pool = &mine, .threads = 1 };
		rand_heap(&hw, seed, &shape);
		struct heap_retained *one = retained(&hw);
		hw.threads = 8;
		struct heap_retained *eight = retained(&hw);
		ck_assert_uint_eq(one->n, eight->n);
		ck_assert_mem_eq(one->above, eight->above,
				 one->n * sizeof(*one->above));
		ck_assert_mem_eq(one->bytes, eight->bytes,
				 one->n * sizeof(*one->bytes));
		heap_close(one->heap);
		heap_close(eight->heap);
	}
}
END_TEST

// is_within says whether k is top or below it; *ret_inside, whether something
// of the same group is above k up to top.
static bool is_within(struct heap_retained *r, const struct heap_keeper *top,
		      struct heap_keeper k, uint32_t group, bool *ret_inside)
{
	struct hc_err err;
	bool is_leaf = k.node == NODE_NONE;
	uint64_t object = heap_ref_at(r->heap, k.object);
	*ret_inside = false;
	for (bool self = true;; self = false) {
		if (!self && k.kind == HEAP_KEEPER_OBJECT &&
		    heap_type_of(r->heap, k.object) % 4 == group)
			*ret_inside = true;
		if (k.node == top->node &&
		    (!self || !is_leaf ||
		     object == heap_ref_at(r->heap, top->object)))
			return true;
		if (heap_keeper_above(r, &k, &k, &err))
			return false;
	}
}

// check_groups compares sums by group below a keeper with those over all
// objects.
static void check_groups(struct heap_retained *r, const struct heap_keeper *top)
{
	static const uint32_t group[8] = { 0, 1, 2, 3, 0, 1, 2, 3 };
	struct heap_sum want[4] = { 0 }, *got;
	struct hc_err err;
	for (uint32_t i = 0; i < r->heap->n_regions; i++) {
		const struct heap_region *region = &r->heap->regions[i];
		for (uint32_t k = 0; k < region->n_slots; k++) {
			struct heap_ref ref = { i, k };
			struct heap_keeper keep;
			bool inside;
			if (heap_keeper_of(r, ref, &keep))
				continue;
			uint32_t g = heap_type_of(r->heap, ref) % 4;
			if (!is_within(r, top, keep, g, &inside))
				continue;
			want[g].objects++;
			want[g].own_bytes += region->slot;
			if (inside)
				continue;
			want[g].bytes += keep.bytes;
			want[g].retained_objects += keep.objects;
		}
	}
	ck_assert(heap_retained_by(r, top, group, 4, &mine, &got, &err) ==
		  HC_OK);
	ck_assert_mem_eq(got, want, sizeof(want));
}

START_TEST(groups_count_nothing_twice)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct heapwriter hw = { .pool = &mine };
		uint64_t s = seed + 1;
		rand_heap(&hw, seed, &shape);
		struct heap_retained *r = retained(&hw);
		uint64_t n = UINT64_C(64) * r->heap->n_words;
		struct heap_types *types = &r->heap->types;
		types->of = pool_new(&theirs, uint32_t, n);
		types->of_region = pool_new(&theirs, uint32_t,
					    r->heap->n_regions);
		for (uint64_t i = 0; i < n; i++)
			types->of[i] = (uint32_t)rand_below(&s, 8);
		for (uint32_t i = 0; i < r->heap->n_regions; i++)
			types->of_region[i] = rand_below(&s, 3) ?
						      HEAP_MIXED :
						      (uint32_t)i % 8;
		struct heap_keeper top = heap_keeper_all(r);
		check_groups(r, &top);
		for (uint32_t i = 0; i < heap_holders(r); i++) {
			top = heap_holder(r, i);
			check_groups(r, &top);
		}
		for (uint32_t i = 0; i < r->heap->n_regions; i++) {
			struct heap_ref ref = { i, 0 };
			if (heap_keeper_of(r, ref, &top) == HC_OK)
				check_groups(r, &top);
		}
		heap_close(r->heap);
	}
}
END_TEST

// fail_at lets allocation k fail; returns whether that was felt.
static bool fail_at(struct heapwriter *hw, uint64_t k, bool garbage,
		    bool lengauer)
{
	struct heap_retained *r, *again;
	struct hc_err err = { 0 };
	char *b = pool_mark(&theirs);
	struct heap *heap = hw_heap(hw, &theirs);
	ck_assert(heap_mark(heap, &err) == HC_OK);
	heap->dom_steps = lengauer ? 0 : heap->dom_steps;
	heap->edges_worth = 5;
	heap->processors = 8;
	theirs.fail_after = k;
	enum hc got = heap_retain(heap, garbage, &r, &err);
	theirs.fail_after = 0;
	ck_assert(got == HC_OK || err.kind == HC_NOMEM);
	ck_assert(heap_retain(heap, garbage, &again, &err) == HC_OK);
	ck_assert(got || r == again);
	heap_close(heap);
	pool_rewind(&theirs, b);
	return got != HC_OK;
}

START_TEST(memory_running_out_is_said_and_harmless)
{
	struct heapwriter hw = { .pool = &mine };
	uint64_t k = 1;
	rand_heap(&hw, 12, &shape);
	while (fail_at(&hw, k, _i & 1, _i & 2))
		k++;
	ck_assert_uint_ge(k, 8); // each pool counts for itself
}
END_TEST

START_TEST(too_little_memory_is_said_before_the_work)
{
	enum { N = 200000 };
	struct heapwriter hw = { .pool = &mine };
	struct heap_retained *r;
	struct hc_err err = { 0 };
	struct pool small;
	uint64_t need;
	objects_add(&hw, BASE, N, 0);
	for (uint32_t i = 0; i + 1 < N; i++)
		put(&hw, i, 0, BASE + SLOT * (i + UINT64_C(1)));
	hw_root(&hw, BASE, 0x1000);
	ck_assert(pool_open(6 << 20, &small, NULL) == HC_OK);
	struct heap *heap = hw_heap(&hw, &small);
	ck_assert(heap_retained_need(heap, &need, &err) == HC_OK);
	ck_assert_uint_ge(need, 40 * N);
	ck_assert(heap_retain(heap, false, &r, &err) == HC_FAIL);
	ck_assert_int_eq(err.kind, HC_LIMIT);
	ck_assert_ptr_nonnull(strstr(err.msg, " 9 MB of memory"));
	ck_assert_uint_eq(heap_totals(heap).live_objects, N);
	heap_close(heap);
	pool_close(&small);
}
END_TEST

Suite *keepers_suite(void)
{
	Suite *s = suite_create("keepers");
	TCase *t = tcase_create("keepers");
	tcase_add_checked_fixture(t, pools_open, pools_close);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, an_object_of_a_list_retains_all_behind_it);
	tcase_add_test(t, a_ring_is_retained_by_where_it_is_entered);
	tcase_add_test(t, a_star_retains_its_own_and_not_what_is_shared);
	tcase_add_test(t, twice_the_list_with_its_table_takes_twice_the_steps);
	tcase_add_test(t, any_number_of_threads_finds_the_same);
	tcase_add_test(t, groups_count_nothing_twice);
	tcase_add_loop_test(t, memory_running_out_is_said_and_harmless, 0,
			    4);
	tcase_add_test(t, too_little_memory_is_said_before_the_work);
	suite_add_tcase(s, t);
	return s;
}
