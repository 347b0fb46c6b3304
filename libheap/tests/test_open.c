// test_open.c: which reader is taken, and which regions are not.
#include "libheap/tests/heapwriter.h"

#include <check.h>

Suite *open_suite(void);

static struct pool pool;

static void setup(void)
{
	ck_assert(pool_open(UINT64_C(1) << 30, &pool, NULL) == HC_OK);
}

static void teardown(void)
{
	pool_close(&pool);
}

static enum hc say_none(const struct core *core, struct hc_err *err)
{
	(void)core;
	(void)err;
	return HC_NONE;
}

static enum hc say_fail(const struct core *core, struct hc_err *err)
{
	(void)core;
	return hc_fail(err, HC_UNSAVED, 7, "cannot find out");
}

static const struct heap_reader none = { .name = "none", .probe = say_none };
static const struct heap_reader fail = { .name = "fail", .probe = say_fail };
static const struct heap_options plain;

START_TEST(the_reader_that_knows_the_core_is_taken)
{
	struct heapwriter hw = { .pool = &pool, .page_shift = 13 };
	const struct heap_reader *readers[] = { &none, &fail, &hw_reader };
	struct hc_err err = { 0 };
	struct heap *heap = NULL;
	ck_assert(heap_open((struct core *)&hw, readers, 3, &plain, &pool,
			    &heap, &err) == HC_OK);
	ck_assert_ptr_eq(heap_reader_of(heap), &hw_reader);
	ck_assert_ptr_eq(heap_self(heap), &hw);
	ck_assert_ptr_eq(heap_core(heap), (struct core *)&hw);
	heap_close(heap);
	ck_assert_uint_eq(hw.closed, 1);
}
END_TEST

START_TEST(no_reader_is_an_answer_of_its_own)
{
	struct heapwriter hw = { .pool = &pool, .page_shift = 13 };
	const struct heap_reader *readers[] = { &none, &fail };
	struct hc_err err = { 0 };
	struct heap *heap = NULL;
	ck_assert(heap_open((struct core *)&hw, readers, 1, &plain, &pool,
			    &heap, &err) == HC_FAIL);
	ck_assert_int_eq(err.kind, HC_UNSUPPORTED);
	ck_assert(heap_open((struct core *)&hw, readers, 2, &plain, &pool,
			    &heap, &err) == HC_FAIL);
	ck_assert_int_eq(err.kind, HC_UNSAVED);
	ck_assert_uint_eq(err.at, 7);
	ck_assert_ptr_null(heap);
}
END_TEST

// A region behind a good one, and what the heap must say of it.
static const struct {
	taddr base;
	uint64_t slot;
	uint32_t n_slots;
	bool good;
} second[] = {
	{ 0x12000, 16, 512, true },
	{ 0x10000, 16, 512, false },                    // the same
	{ 0xe000, 16, 512, false },                     // below
	{ 0x11ff0, 16, 1, false },                      // in its last page
	{ 0x12000, 0, 512, false },                     // of no size
	{ 0x12000, 16, 0, false },                      // of no slots
	{ 0x12000, UINT64_C(1) << 62, 4, false },       // wraps
	{ UINT64_MAX - 8191, 8192, 1, false },          // no page behind
};

START_TEST(regions_must_ascend_and_fit)
{
	struct heapwriter hw = { .pool = &pool, .page_shift = 13 };
	const struct heap_reader *readers[] = { &hw_reader };
	struct hc_err err = { 0 };
	struct heap *heap = NULL;
	hw_region_add(&hw, 0x10000, 64, 128, 0, 0);
	hw_region_add(&hw, second[_i].base, second[_i].slot, second[_i].n_slots,
		      0, 0);
	enum hc got = heap_open((struct core *)&hw, readers, 1, &plain, &pool,
				&heap, &err);
	ck_assert_int_eq(got, second[_i].good ? HC_OK : HC_FAIL);
	if (second[_i].good) {
		heap_close(heap);
		return;
	}
	ck_assert_int_eq(err.kind, HC_CORRUPT);
	ck_assert_uint_eq(err.at, second[_i].base);
	ck_assert_ptr_null(heap);
}
END_TEST

// A reader that adds more than it announced.
static enum hc open_more(struct core *core, const struct heap_options *options,
			 struct pool *p, struct heap *heap, void **ret_self,
			 struct hc_err *err)
{
	const struct heapwriter *hw = (const struct heapwriter *)core;
	uint64_t *a, *d;
	(void)options;
	(void)p;
	(void)ret_self;
	HC_TRY(heap_begin(heap, 13, hw->threads, 3, err));
	HC_TRY(heap_add_region(heap, 0x10000, 64, 128, 0, 0, &a, &d, err));
	HC_TRY(heap_add_region(heap, 0x20000, 64, 256, 0, 0, &a, &d, err));
	return HC_OK;
}

START_TEST(no_reader_may_add_more_than_it_announced)
{
	struct heap_reader more = hw_reader;
	more.open = open_more;
	const struct heap_reader *readers[] = { &more };
	for (unsigned n = 1; n <= 2; n++) {
		struct heapwriter hw = { .threads = n };
		struct hc_err err = { 0 };
		struct heap *heap = NULL;
		ck_assert(heap_open((struct core *)&hw, readers, 1, &plain,
				    &pool, &heap, &err) == HC_FAIL);
		ck_assert_int_eq(err.kind, HC_CORRUPT);
		ck_assert_uint_eq(err.at, 0x20000);
	}
}
END_TEST

START_TEST(regions_too_far_apart_are_over_a_limit)
{
	struct heapwriter hw = { .pool = &pool, .page_shift = 13 };
	const struct heap_reader *readers[] = { &hw_reader };
	struct hc_err err = { 0 };
	struct heap *heap = NULL;
	hw_region_add(&hw, 0x10000, 64, 128, 0, 0);
	hw_region_add(&hw, UINT64_C(1) << 62, 64, 128, 0, 0);
	ck_assert(heap_open((struct core *)&hw, readers, 1, &plain, &pool,
			    &heap, &err) == HC_FAIL);
	ck_assert_int_eq(err.kind, HC_LIMIT);
	ck_assert_uint_eq(hw.closed, 1);
}
END_TEST

START_TEST(bits_past_the_last_slot_are_not_believed)
{
	struct heapwriter hw = { .pool = &pool, .page_shift = 13 };
	struct heap_ref ref;
	hw_region_add(&hw, 0x10000, 128, 63, 0, 0);
	hw.regions.at[0].allocated[0] = ~UINT64_C(0);
	struct heap *heap = hw_heap(&hw, &pool);
	ck_assert(heap_find(heap, 0x10000 + 62 * 128, &ref) == HC_OK);
	ck_assert(heap_find(heap, 0x10000 + 63 * 128, &ref) == HC_NONE);
	heap_close(heap);
}
END_TEST

START_TEST(root_kinds_have_their_words)
{
	ck_assert_str_eq(heap_root_kind_name(HEAP_ROOT_GLOBAL), "global");
	ck_assert_str_eq(heap_root_kind_name(HEAP_ROOT_FINALIZER_QUEUE),
			 "finalizer queue");
	ck_assert_str_eq(heap_root_kind_name(HEAP_ROOT_RUNTIME), "runtime");
	ck_assert_str_eq(heap_root_kind_name(HEAP_N_ROOT_KINDS), "unknown");
}
END_TEST

Suite *open_suite(void)
{
	Suite *s = suite_create("open");
	TCase *t = tcase_create("open");
	int n = (int)(sizeof(second) / sizeof(*second));
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, the_reader_that_knows_the_core_is_taken);
	tcase_add_test(t, no_reader_is_an_answer_of_its_own);
	tcase_add_loop_test(t, regions_must_ascend_and_fit, 0, n);
	tcase_add_test(t, no_reader_may_add_more_than_it_announced);
	tcase_add_test(t, regions_too_far_apart_are_over_a_limit);
	tcase_add_test(t, bits_past_the_last_slot_are_not_believed);
	tcase_add_test(t, root_kinds_have_their_words);
	suite_add_tcase(s, t);
	return s;
}
