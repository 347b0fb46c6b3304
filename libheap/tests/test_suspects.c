// test_suspects.c: what is planted is found, where it accumulates.
#include "libheap/inside.h"
#include "libheap/tests/heapwriter.h"

#include <check.h>

Suite *suspects_suite(void);

static struct pool mine, theirs;

static void setup(void)
{
	ck_assert(pool_open(UINT64_C(1) << 32, &mine, NULL) == HC_OK);
	ck_assert(pool_open(UINT64_C(1) << 32, &theirs, NULL) == HC_OK);
}

static void teardown(void)
{
	pool_close(&mine);
	pool_close(&theirs);
}

#define BASE UINT64_C(0xc000000000)
enum { N = 4000 };

// plant writes: a root to a box, the box to a table, the table to N objects of
// 64 bytes each with a leaf of 128; and a list of N objects of 16 bytes below
// another root. Regions: 0 box, 1 table, 2 objects, 3 leaves, 4 list.
static void plant(struct heapwriter *hw)
{
	hw->page_shift = 13;
	hw_region_add(hw, BASE, 64, 1, 0, 8);
	hw_region_add(hw, BASE + 0x10000, 8 * N, 1, 0, N);
	hw_region_add(hw, BASE + 0x100000, 64, N, 0, 8);
	hw_region_add(hw, BASE + 0x200000, 128, N, HEAP_NOSCAN, 0);
	hw_region_add(hw, BASE + 0x400000, 16, N, 0, 2);
	hw_alloc(hw, 0, 0);
	hw_alloc(hw, 1, 0);
	hw_put(hw, 0, 0, 3, hw_addr(hw, 1, 0));
	for (uint32_t i = 0; i < N; i++) {
		hw_alloc(hw, 2, i);
		hw_alloc(hw, 3, i);
		hw_alloc(hw, 4, i);
		hw_put(hw, 1, 0, i, hw_addr(hw, 2, i));
		hw_put(hw, 2, i, 5, hw_addr(hw, 3, i));
		if (i + 1 < N)
			hw_put(hw, 4, i, 0, hw_addr(hw, 4, i + 1));
	}
	hw_root(hw, hw_addr(hw, 0, 0), 0x1000);
	hw_root(hw, hw_addr(hw, 4, 0), 0x2000);
}

START_TEST(a_table_that_grows_is_where_it_accumulates)
{
	struct heapwriter hw = { .pool = &mine };
	struct heap_suspects s;
	struct hc_err err = { 0 };
	plant(&hw);
	struct heap *heap = hw_heap(&hw, &theirs);
	ck_assert(heap_suspects(heap, 10, &mine, &s, &err) == HC_OK);
	ck_assert_uint_eq(s.n, 1); // the list is below a tenth
	ck_assert_str_eq(s.at[0].kind, "holder");
	ck_assert_uint_eq(s.at[0].keeper.root.at, 0x1000);
	ck_assert_uint_eq(s.at[0].bytes, 64 + 8 * N + (64 + 128) * N);
	ck_assert(s.at[0].has_point);
	ck_assert_uint_eq(heap_ref_at(heap, s.at[0].point.object),
			  hw_addr(&hw, 1, 0));
	heap_close(heap);
}
END_TEST

START_TEST(a_list_accumulates_where_it_begins)
{
	struct heapwriter hw = { .pool = &mine };
	struct heap_suspects s;
	struct hc_err err = { 0 };
	plant(&hw);
	struct heap *heap = hw_heap(&hw, &theirs);
	ck_assert(heap_suspects(heap, 5, &mine, &s, &err) == HC_OK);
	ck_assert_uint_eq(s.n, 2);
	ck_assert_uint_eq(s.at[1].keeper.root.at, 0x2000);
	ck_assert_uint_eq(s.at[1].bytes, 16 * N);
	ck_assert_uint_eq(heap_ref_at(heap, s.at[1].point.object),
			  hw_addr(&hw, 4, 0));
	heap_close(heap);
}
END_TEST

START_TEST(an_empty_heap_has_none)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	struct heap_suspects s;
	struct hc_err err = { 0 };
	struct heap *heap = hw_heap(&hw, &theirs);
	ck_assert(heap_suspects(heap, 10, &mine, &s, &err) == HC_OK);
	ck_assert_uint_eq(s.n, 0);
	ck_assert_uint_eq(s.live, 0);
	heap_close(heap);
}
END_TEST

START_TEST(memory_running_out_is_said_and_harmless)
{
	struct heapwriter hw = { .pool = &mine };
	struct heap_suspects s;
	struct hc_err err = { 0 };
	plant(&hw);
	struct heap *heap = hw_heap(&hw, &theirs);
	enum hc got = HC_FAIL;
	uint64_t k = 0;
	struct pool answers;
	ck_assert(pool_open(UINT64_C(1) << 32, &answers, NULL) == HC_OK);
	while (got) {
		answers.fail_after = ++k;
		got = heap_suspects(heap, 5, &answers, &s, &err);
		ck_assert(got == HC_OK || err.kind == HC_NOMEM);
		answers.fail_after = 0;
	}
	ck_assert_uint_ge(k, 4);
	ck_assert_uint_eq(s.n, 2);
	pool_close(&answers);
	heap_close(heap);
}
END_TEST

Suite *suspects_suite(void)
{
	Suite *s = suite_create("suspects");
	TCase *t = tcase_create("suspects");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_table_that_grows_is_where_it_accumulates);
	tcase_add_test(t, a_list_accumulates_where_it_begins);
	tcase_add_test(t, an_empty_heap_has_none);
	tcase_add_test(t, memory_running_out_is_said_and_harmless);
	suite_add_tcase(s, t);
	return s;
}
