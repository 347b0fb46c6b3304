// test_reach.c: a search through everything alive is the nearest way to each
// object; one from a single object counts what is below it.
#include "libheap/tests/naive.h"
#include "libheap/tests/pools.h"
#include "libheap/tests/randheap.h"

#include <check.h>

Suite *reach_suite(void);

static const struct rand_shape shapes[] = {
	{ 8, 100, 8, 3, 5, 60, 20, 30 },
	{ 30, 300, 3, 5, 10, 70, 30, 40 },
	{ 60, 600, 2, 2, 0, 55, 5, 44 },
	{ 5, 10, 4000, 1, 0, 98, 0, 20 },
};

// leads says whether a word of object from points into object to.
static bool leads(const struct heapwriter *hw, uint64_t from, uint64_t to)
{
	for (uint32_t w = 0; w < naive_words(hw, from); w++)
		if (naive_find(hw, naive_word(hw, from, w)) == to)
			return true;
	return false;
}

// check_met holds one object of the list against the heap as it was written.
static void check_met(const struct heapwriter *hw, const uint32_t *depth,
		      const struct heap_met *met, size_t i, size_t first)
{
	uint64_t object = naive_number(hw, met[i].object);
	if (i < first) {
		ck_assert_uint_eq(depth[object], 0);
		ck_assert_uint_lt(met[i].from, hw->roots.n);
		taddr target = hw->roots.at[met[i].from].target;
		ck_assert_uint_eq(naive_find(hw, target), object);
		return;
	}
	ck_assert_uint_lt(met[i].from, i);
	uint64_t up = naive_number(hw, met[met[i].from].object);
	ck_assert_uint_eq(depth[object], depth[up] + 1);
	ck_assert(leads(hw, up, object));
}

START_TEST(everything_alive_is_met_once_nearest_first)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct heapwriter hw = { .pool = &mine };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		uint64_t edges, reachable = 0;
		hw.backwards = seed % 2;
		rand_heap(&hw, seed + 177, &shapes[_i]);
		struct heap *heap = hw_heap(&hw, &theirs);
		uint32_t *depth = naive_depths(&hw, &mine, &edges);
		bool *seen = pool_new(&mine, bool, hw.n_slots);
		struct heap_met *met = NULL;
		size_t n = 0, first = 0;
		ck_assert(!heap_reach(heap, &theirs, &met, &n, &first, NULL));
		for (uint64_t o = 0; o < hw.n_slots; o++)
			reachable += depth[o] != UINT32_MAX;
		ck_assert_uint_eq(n, reachable);
		for (size_t i = 0; i < n; i++) {
			uint64_t object = naive_number(&hw, met[i].object);
			ck_assert(!seen[object]);
			seen[object] = true;
			check_met(&hw, depth, met, i, first);
		}
		heap_close(heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

// naive_below returns the bytes of all that can be reached from an object.
static uint64_t naive_below(const struct heapwriter *hw, uint64_t object)
{
	uint64_t *queue = pool_new(&mine, uint64_t, hw->n_slots + 1);
	bool *met = pool_new(&mine, bool, hw->n_slots + 1);
	uint64_t n = 0, bytes = 0;
	queue[n++] = object;
	met[object] = true;
	for (uint64_t i = 0; i < n; i++) {
		struct heap_ref ref = naive_ref(hw, queue[i]);
		bytes += hw->regions.at[ref.region].slot;
		for (uint32_t w = 0; w < naive_words(hw, queue[i]); w++) {
			uint64_t to = naive_find(hw,
						 naive_word(hw, queue[i], w));
			if (to == NAIVE_NONE || met[to])
				continue;
			met[to] = true;
			queue[n++] = to;
		}
	}
	return bytes;
}

START_TEST(what_is_below_an_object_is_counted_up_to_a_limit)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct heapwriter hw = { .pool = &mine };
		struct heap_below *below;
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		rand_heap(&hw, seed + 1770, &shapes[_i]);
		struct heap *heap = hw_heap(&hw, &theirs);
		ck_assert(!heap_below_open(heap, &theirs, &below, NULL));
		for (uint64_t o = 0; o < hw.n_slots; o += 1 + o / 8) {
			struct heap_ref ref = naive_ref(&hw, o);
			taddr at = heap_ref_at(heap, ref);
			if (naive_find(&hw, at) == NAIVE_NONE)
				continue;
			char *c = pool_mark(&mine);
			uint64_t all = naive_below(&hw, o);
			uint64_t got = heap_below_bytes(below, ref, all / 2);
			ck_assert_uint_ge(got, all / 2);
			ck_assert_uint_le(got, all);
			ck_assert_uint_eq(heap_below_bytes(below, ref, all + 1),
					  all);
			pool_rewind(&mine, c);
		}
		heap_close(heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

START_TEST(short_of_memory_all_may_be_below)
{
	struct heapwriter hw = { .pool = &mine };
	struct heap_below *below;
	rand_heap(&hw, 5, &shapes[1]);
	struct heap *heap = hw_heap(&hw, &theirs);
	ck_assert(!heap_below_open(heap, &theirs, &below, NULL));
	uint64_t o = 0;
	while (naive_find(&hw, heap_ref_at(heap, naive_ref(&hw, o))) != o)
		o++;
	struct heap_ref ref = naive_ref(&hw, o);
	theirs.fail_after = 1;
	ck_assert_uint_eq(heap_below_bytes(below, ref, 12345678), 12345678);
	theirs.fail_after = 0;
	ck_assert_uint_lt(heap_below_bytes(below, ref, 12345678), 12345678);
	heap_close(heap);
}
END_TEST

START_TEST(memory_running_out_is_said)
{
	struct heapwriter hw = { .pool = &mine };
	rand_heap(&hw, 5, &shapes[1]);
	struct heap *heap = hw_heap(&hw, &theirs);
	for (uint64_t after = 1;; after++) {
		struct hc_err err = { 0 };
		struct heap_met *met = NULL;
		size_t n = 77, first = 0;
		char *b = pool_mark(&theirs);
		theirs.fail_after = after;
		enum hc got = heap_reach(heap, &theirs, &met, &n, &first,
					 &err);
		theirs.fail_after = 0;
		pool_rewind(&theirs, b);
		if (got == HC_OK)
			break;
		ck_assert_int_eq(got, HC_FAIL);
		ck_assert_int_eq(err.kind, HC_NOMEM);
		ck_assert(met == NULL && n == 77);
	}
	heap_close(heap);
}
END_TEST

Suite *reach_suite(void)
{
	Suite *s = suite_create("reach");
	TCase *t = tcase_create("reach");
	tcase_add_checked_fixture(t, pools_open, pools_close);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, everything_alive_is_met_once_nearest_first, 0,
			    4);
	tcase_add_loop_test(t,
			    what_is_below_an_object_is_counted_up_to_a_limit,
			    0, 4);
	tcase_add_test(t, short_of_memory_all_may_be_below);
	tcase_add_test(t, memory_running_out_is_said);
	suite_add_tcase(s, t);
	return s;
}
