// test_paths.c: every path is one, step by step, and none that is shorter is
// missing.
#include "libheap/tests/naive.h"
#include "libheap/tests/pools.h"
#include "libheap/tests/randheap.h"

#include <check.h>
#include <stdlib.h>

Suite *paths_suite(void);

// check_path follows a path in the heap as it was written.
static void check_path(const struct heapwriter *hw,
		       const struct heap_path *path, uint64_t goal)
{
	ck_assert_uint_ge(path->n_steps, 1);
	ck_assert_uint_lt(path->root.detail, hw->roots.n);
	const struct heap_root *root = &hw->roots.at[path->root.detail];
	ck_assert_uint_eq(root->at, path->root.at);
	taddr at = root->target;
	ck_assert_uint_eq(at, path->root.target);
	for (size_t i = 0; i < path->n_steps; i++) {
		uint64_t object = naive_number(hw, path->steps[i].object);
		uint64_t offset = path->steps[i].offset;
		ck_assert_uint_eq(naive_find(hw, at), object);
		if (i + 1 == path->n_steps) {
			ck_assert_uint_eq(object, goal);
			ck_assert_uint_eq(offset, 0);
			break;
		}
		ck_assert_uint_eq(offset % 8, 0);
		ck_assert_uint_lt(offset / 8, naive_words(hw, object));
		at = naive_word(hw, object, (uint32_t)(offset / 8));
	}
}

// check_first says that no earlier word of a step leads to the next one.
static void check_first(const struct heapwriter *hw,
			const struct heap_path *path)
{
	for (size_t i = 0; i + 1 < path->n_steps; i++) {
		uint64_t from = naive_number(hw, path->steps[i].object);
		uint64_t to = naive_number(hw, path->steps[i + 1].object);
		uint32_t w = 0;
		while (naive_find(hw, naive_word(hw, from, w)) != to)
			w++;
		ck_assert_uint_eq(path->steps[i].offset, w * UINT64_C(8));
	}
}

static bool is_same_path(const struct heap_path *a, const struct heap_path *b)
{
	if (a->root.at != b->root.at || a->n_steps != b->n_steps)
		return false;
	for (size_t i = 0; i < a->n_steps; i++) {
		const struct heap_step *x = &a->steps[i], *y = &b->steps[i];
		if (x->object.region != y->object.region ||
		    x->object.slot != y->object.slot || x->offset != y->offset)
			return false;
	}
	return true;
}

static void check_distinct(const struct heap_path *path, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			ck_assert_uint_le(path[i - 1].n_steps, path[i].n_steps);
		for (size_t k = 0; k < i; k++)
			if (is_same_path(&path[i], &path[k]))
				ck_abort_msg("path %zu is path %zu", i, k);
	}
}

// struct brute counts all simple paths to a goal by their number of steps.
enum { LONGEST = 64 };
struct brute {
	const struct heapwriter *hw;
	uint64_t goal;
	bool *on;
	uint64_t n[LONGEST];
};

static void brute_from(struct brute *b, uint64_t object, uint32_t steps)
{
	if (object == b->goal) {
		b->n[steps]++;
		return;
	}
	b->on[object] = true;
	for (uint32_t w = 0; w < naive_words(b->hw, object); w++) {
		uint64_t to = naive_find(b->hw, naive_word(b->hw, object, w));
		if (to != NAIVE_NONE && !b->on[to])
			brute_from(b, to, steps + 1);
	}
	b->on[object] = false;
}

static const struct rand_shape small = { 3, 4, 2, 3, 5, 35, 10, 20 };

// check_small compares with all paths that there are.
static void check_small(const struct heapwriter *hw, struct heap *heap,
			uint64_t goal, size_t max)
{
	struct brute b = { .hw = hw, .goal = goal };
	struct heap_path *path = NULL;
	struct hc_err err = { 0 };
	size_t n = 0, seen = 0;
	b.on = pool_new(&mine, bool, hw->n_slots);
	for (uint64_t i = 0; i < hw->roots.n; i++) {
		uint64_t to = naive_find(hw, hw->roots.at[i].target);
		if (to != NAIVE_NONE)
			brute_from(&b, to, 1);
	}
	enum hc got = heap_paths(heap, naive_ref(hw, goal), max, false,
				 &theirs, &path, &n, &err);
	if (got == HC_OK) {
		check_distinct(path, n);
		for (size_t i = 0; i < n; i++)
			check_path(hw, &path[i], goal);
	}
	for (uint32_t steps = 1; steps < LONGEST; steps++) {
		size_t want = b.n[steps] < max - seen ? b.n[steps] : max - seen;
		for (size_t i = 0; i < want; i++)
			ck_assert(seen + i < n &&
				  path[seen + i].n_steps == steps);
		seen += want;
	}
	ck_assert_int_eq(got, seen ? HC_OK : HC_NONE);
	ck_assert_uint_eq(n, seen);
}

START_TEST(the_shortest_distinct_paths_come_first)
{
	static const size_t maxes[] = { 1, 2, 5, 30 };
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct heapwriter hw = { .pool = &mine };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		rand_heap(&hw, seed + 1000 + 100 * (uint64_t)_i, &small);
		struct heap *heap = hw_heap(&hw, &theirs);
		for (uint64_t goal = 0; goal < hw.n_slots; goal++)
			check_small(&hw, heap, goal, maxes[seed % 4]);
		heap_close(heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

static const struct rand_shape larger[] = {
	{ 8, 100, 8, 3, 5, 60, 20, 30 },
	{ 30, 300, 3, 5, 10, 70, 30, 40 },
	{ 60, 600, 2, 2, 0, 55, 5, 44 },
	{ 5, 10, 4000, 1, 0, 98, 0, 20 },
};

START_TEST(one_path_is_as_short_as_any)
{
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct heapwriter hw = { .pool = &mine };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		uint64_t s = seed + 1, edges;
		hw.backwards = seed % 2;
		rand_heap(&hw, seed + 77, &larger[_i]);
		struct heap *heap = hw_heap(&hw, &theirs);
		uint32_t *depth = naive_depths(&hw, &mine, &edges);
		for (int i = 0; i < 60; i++) {
			uint64_t goal = rand_below(&s, hw.n_slots);
			struct heap_path *path = NULL;
			size_t n = 0;
			enum hc got = heap_paths(heap, naive_ref(&hw, goal), 1,
						 false, &theirs, &path, &n,
						 NULL);
			ck_assert_int_eq(got, depth[goal] == UINT32_MAX ?
						      HC_NONE :
						      HC_OK);
			if (got)
				continue;
			ck_assert_uint_eq(n, 1);
			ck_assert_uint_eq(path->n_steps,
					  depth[goal] + UINT64_C(1));
			check_path(&hw, path, goal);
			check_first(&hw, path);
		}
		heap_close(heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

// root_steps returns how many steps the shortest path from one root has.
static size_t root_steps(struct heapwriter *hw, uint64_t root, uint64_t goal)
{
	struct heapwriter alone = *hw;
	uint64_t edges;
	alone.roots.at = &hw->roots.at[root];
	alone.roots.n = 1;
	uint32_t *depth = naive_depths(&alone, &mine, &edges);
	return depth[goal] == UINT32_MAX ? 0 : depth[goal] + (size_t)1;
}

START_TEST(all_roots_that_reach_it_are_found)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct heapwriter hw = { .pool = &mine };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		uint64_t s = seed + 1;
		struct rand_shape shape = larger[seed % 2];
		shape.n_roots = 20;
		rand_heap(&hw, seed + 77, &shape);
		struct heap *heap = hw_heap(&hw, &theirs);
		for (int i = 0; i < 5; i++) {
			uint64_t goal = rand_below(&s, hw.n_slots);
			struct heap_path *path = NULL;
			size_t n = 0, want = 0;
			enum hc got = heap_paths(heap, naive_ref(&hw, goal),
						 1000, true, &theirs, &path, &n,
						 NULL);
			for (uint64_t r = 0; r < hw.roots.n; r++)
				want += root_steps(&hw, r, goal) != 0;
			ck_assert_int_eq(got, want ? HC_OK : HC_NONE);
			ck_assert_uint_eq(n, want);
			check_distinct(path, n);
			for (size_t k = 0; k < n; k++) {
				check_path(&hw, &path[k], goal);
				ck_assert_uint_eq(
					root_steps(&hw, path[k].root.detail,
						   goal),
					path[k].n_steps);
			}
		}
		heap_close(heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

// ladder writes n objects, each pointing to the next and back to the one
// before, and returns the last.
static uint64_t ladder(struct heapwriter *hw, uint32_t n)
{
	hw->page_shift = 13;
	for (uint32_t i = 0; i < n; i++) {
		if (i % 512 == 0)
			hw_region_add(hw,
				      UINT64_C(0xc000000000) + i * UINT64_C(16),
				      16, 512, 0, 2);
		hw_alloc(hw, i / 512, i % 512);
		taddr at = hw_addr(hw, i / 512, i % 512);
		hw_put(hw, i / 512, i % 512, 0, i + 1 < n ? at + 16 : 0);
		hw_put(hw, i / 512, i % 512, 1, i ? at - 16 : 0);
	}
	hw_root(hw, UINT64_C(0xc000000000), 0x1000);
	return n - 1;
}

START_TEST(a_path_may_have_very_many_steps)
{
	struct heapwriter hw = { .pool = &mine };
	enum { N = 200000 };
	uint64_t goal = ladder(&hw, N);
	struct heap *heap = hw_heap(&hw, &theirs);
	for (size_t max = 1; max < 6; max += 4) {
		struct heap_path *path = NULL;
		size_t n = 0;
		ck_assert(heap_paths(heap, naive_ref(&hw, goal), max, false,
				     &theirs, &path, &n, NULL) == HC_OK);
		ck_assert_uint_eq(n, 1);
		ck_assert_uint_eq(path->n_steps, N);
		for (uint32_t i = 0; i < N; i++)
			if (naive_number(&hw, path->steps[i].object) != i)
				ck_abort_msg("step %u", i);
	}
	heap_close(heap);
}
END_TEST

START_TEST(a_tangle_with_one_way_out_ends)
{
	// Root -> a -> goal, and a -> 400 objects that all point to each
	// other's neighbours and to a: countless ways, but only one path.
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	uint64_t s = 9;
	hw_region_add(&hw, 0x10000, 64, 512, 0, 8);
	for (uint32_t i = 0; i < 402; i++)
		hw_alloc(&hw, 0, i);
	for (uint32_t i = 2; i < 402; i++)
		for (uint32_t w = 0; w < 8; w++)
			hw_put(&hw, 0, i, w,
			       w ? hw_addr(&hw, 0,
					   2 + (uint32_t)rand_below(&s, 400)) :
				   hw_addr(&hw, 0, 0));
	hw_put(&hw, 0, 0, 3, hw_addr(&hw, 0, 1));
	hw_put(&hw, 0, 0, 4, hw_addr(&hw, 0, 2));
	hw_root(&hw, hw_addr(&hw, 0, 0), 0x1000);
	struct heap *heap = hw_heap(&hw, &theirs);
	struct heap_path *path = NULL;
	size_t n = 0;
	ck_assert(heap_paths(heap, naive_ref(&hw, 1), 5, false, &theirs, &path,
			     &n, NULL) == HC_OK);
	ck_assert_uint_eq(n, 1);
	check_path(&hw, path, 1);
	heap_close(heap);
}
END_TEST

START_TEST(the_same_word_named_twice_is_one_root)
{
	struct heapwriter hw = { .pool = &mine };
	ladder(&hw, 10);
	hw_root(&hw, UINT64_C(0xc000000000), 0x1000);
	hw_root(&hw, UINT64_C(0xc000000000), 0x1008);
	struct heap *heap = hw_heap(&hw, &theirs);
	struct heap_path *path = NULL;
	size_t n = 0;
	for (int all = 0; all < 2; all++) {
		ck_assert(heap_paths(heap, naive_ref(&hw, 9), 10, all, &theirs,
				     &path, &n, NULL) == HC_OK);
		ck_assert_uint_eq(n, 2);
		ck_assert_uint_eq(path[0].root.at, 0x1000);
		ck_assert_uint_eq(path[1].root.at, 0x1008);
	}
	heap_close(heap);
}
END_TEST

START_TEST(memory_running_out_is_said)
{
	struct heapwriter hw = { .pool = &mine };
	ladder(&hw, 600);
	hw_root(&hw, UINT64_C(0xc000000100), 0x1008);
	struct heap *heap = hw_heap(&hw, &theirs);
	static const size_t max[] = { 1, 5, 5 };
	for (uint64_t k = 1;; k++) {
		struct heap_path *path = NULL;
		struct hc_err err = { 0 };
		size_t n = 77;
		char *b = pool_mark(&theirs);
		theirs.fail_after = k;
		enum hc got = heap_paths(heap, naive_ref(&hw, 599), max[_i],
					 _i == 2, &theirs, &path, &n, &err);
		theirs.fail_after = 0;
		pool_rewind(&theirs, b);
		if (got == HC_OK)
			break;
		ck_assert_int_eq(got, HC_FAIL);
		ck_assert_int_eq(err.kind, HC_NOMEM);
		ck_assert(path == NULL && n == 77);
	}
	heap_close(heap);
}
END_TEST

Suite *paths_suite(void)
{
	Suite *s = suite_create("paths");
	TCase *t = tcase_create("paths");
	tcase_add_checked_fixture(t, pools_open, pools_close);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, the_shortest_distinct_paths_come_first, 0, 10);
	tcase_add_loop_test(t, one_path_is_as_short_as_any, 0, 4);
	tcase_add_test(t, all_roots_that_reach_it_are_found);
	tcase_add_test(t, a_path_may_have_very_many_steps);
	tcase_add_test(t, a_tangle_with_one_way_out_ends);
	tcase_add_test(t, the_same_word_named_twice_is_one_root);
	tcase_add_loop_test(t, memory_running_out_is_said, 0, 3);
	suite_add_tcase(s, t);
	return s;
}
