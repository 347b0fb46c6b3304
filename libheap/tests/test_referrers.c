// test_referrers.c: every word that points to an object, and no other.
#include "libheap/tests/naive.h"
#include "libheap/tests/pools.h"
#include "libheap/tests/randheap.h"

#include <check.h>

Suite *referrers_suite(void);

static const struct rand_shape shape = { 8, 60, 8, 3, 5, 50, 20, 30 };

// check_all compares with a look at every word of the heap.
static void check_all(const struct heapwriter *hw, struct heap *heap,
		      uint64_t object, size_t max)
{
	struct heap_referrer *found = NULL;
	size_t n = 0, k = 0;
	uint64_t all = 0, want = 0;
	struct heap_ref to = naive_ref(hw, object);
	ck_assert(heap_referrers(heap, to, max, &theirs, &found, &n, &all,
				 NULL) == HC_OK);
	for (uint64_t from = 0; from < hw->n_slots; from++) {
		struct heap_ref ref = naive_ref(hw, from);
		if (!hw_is(hw->regions.at[ref.region].allocated, ref.slot))
			continue;
		for (uint32_t w = 0; w < naive_words(hw, from); w++) {
			if (naive_find(hw, naive_word(hw, from, w)) != object)
				continue;
			want++;
			if (k == max)
				continue;
			if (k >= n || found[k].offset != w * UINT64_C(8) ||
			    naive_number(hw, found[k].from) != from ||
			    naive_number(hw, found[k].to) != object)
				ck_abort_msg("referrer %zu of %" PRIu64, k,
					     object);
			k++;
		}
	}
	ck_assert_uint_eq(all, want);
	ck_assert_uint_eq(n, k);
}

START_TEST(referrers_equal_the_reference)
{
	static const size_t max[] = { 0, 1, 3, 1000000 };
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct heapwriter hw = { .pool = &mine };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		uint64_t s = seed + 1;
		hw.backwards = seed % 2;
		rand_heap(&hw, seed + 10 * (uint64_t)_i, &shape);
		struct heap *heap = hw_heap(&hw, &theirs);
		for (int i = 0; i < 12; i++) {
			uint64_t object = rand_below(&s, hw.n_slots);
			struct heap_ref ref = naive_ref(&hw, object);
			if (hw_is(hw.regions.at[ref.region].allocated,
				  ref.slot))
				check_all(&hw, heap, object, max[i % 4]);
		}
		heap_close(heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

START_TEST(memory_running_out_is_said)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	struct heap_referrer *found = NULL;
	struct hc_err err = { 0 };
	size_t n = 77;
	uint64_t all = 77;
	hw_region_add(&hw, 0x10000, 64, 1, 0, 8);
	hw_alloc(&hw, 0, 0);
	hw_put(&hw, 0, 0, 5, 0x10008);
	struct heap *heap = hw_heap(&hw, &theirs);
	theirs.fail_after = 1;
	ck_assert(heap_referrers(heap, (struct heap_ref){ 0, 0 }, 5, &theirs,
				 &found, &n, &all, &err) == HC_FAIL);
	ck_assert_int_eq(err.kind, HC_NOMEM);
	ck_assert(!found && n == 77 && all == 77);
	heap_close(heap);
}
END_TEST

Suite *referrers_suite(void)
{
	Suite *s = suite_create("referrers");
	TCase *t = tcase_create("referrers");
	tcase_add_checked_fixture(t, pools_open, pools_close);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, referrers_equal_the_reference, 0, 10);
	tcase_add_test(t, memory_running_out_is_said);
	suite_add_tcase(s, t);
	return s;
}
