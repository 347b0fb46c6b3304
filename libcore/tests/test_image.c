// test_image.c: lookups agree with a search by hand, whatever the runs.
#include "libcore/image.h"
#include "libcore/tests/ck.h"

#include <stdlib.h>

Suite *image_suite(void);

static struct pool pool;
static uint8_t bytes[1];

static void setup(void)
{
	ck_assert_int_eq(pool_open(UINT64_C(1) << 32, &pool, NULL), HC_OK);
}

static void teardown(void)
{
	pool_close(&pool);
}

// The bytes are never read here, so each run may claim its address as place.
static void run_add(struct runs *runs, taddr base, uint64_t len)
{
	struct run *r = vec_push(&pool, runs);
	*r = (struct run){ base, base + len, bytes, false };
}

static uint32_t find_by_hand(const struct image *image, taddr at)
{
	uint32_t i = 0;
	while (i < image->n_runs && image->runs[i].end <= at)
		i++;
	return i;
}

static void check_around(const struct image *image, taddr at)
{
	for (int d = -2; d <= 2; d++) {
		taddr a = at + (taddr)d;
		ck_assert_uint_eq(image_find(image, a),
				  find_by_hand(image, a));
	}
}

static void check_all(struct runs *runs)
{
	struct image image;
	struct hc_err err;
	ck_ok(image_make(runs, &pool, &image, &err), &err);
	for (uint32_t i = 0; i < image.n_runs; i++) {
		ck_assert(image.runs[i].base < image.runs[i].end);
		if (i)
			ck_assert(image.runs[i].base >= image.runs[i - 1].end);
		check_around(&image, image.runs[i].base);
		check_around(&image, image.runs[i].end);
		check_around(&image, image.runs[i].base | 0x3ffffff);
	}
	for (taddr at = 0; at < UINT64_C(1) << 49; at += 0x3fffffff4321)
		check_around(&image, at);
	check_around(&image, 0);
	check_around(&image, UINT64_MAX - 3);
	check_around(&image, UINT64_C(1) << 48);
}

START_TEST(no_runs_have_no_answer)
{
	struct runs runs = { 0 };
	struct image image;
	ck_ok(image_make(&runs, &pool, &image, NULL), &(struct hc_err){ 0 });
	ck_assert_uint_eq(image_find(&image, 0x1000), 0);
	ck_assert_uint_eq(image.n_runs, 0);
}
END_TEST

START_TEST(find_agrees_with_a_search_by_hand)
{
	static const unsigned spreads[] = { 14, 20, 27, 34, 40, 47, 63 };
	unsigned spread = spreads[_i % 7];
	struct runs runs = { 0 };
	srand((unsigned)_i + 1);
	for (int i = 0; i < 300; i++) {
		uint64_t r = (uint64_t)rand() << 32 ^ (uint64_t)rand() << 8;
		uint64_t len = 1 + (uint64_t)rand() % (64ul << (_i % 20));
		run_add(&runs, r & ((UINT64_C(1) << spread) - 1), len);
	}
	check_all(&runs);
}
END_TEST

START_TEST(a_run_of_many_gigabytes_is_found_everywhere)
{
	struct runs runs = { 0 };
	run_add(&runs, 0x7fff00000000 - 0x100, UINT64_C(300) << 30);
	run_add(&runs, 0xc000000000, UINT64_C(200) << 30);
	run_add(&runs, 0xffffffffff600000, 0x1000);
	check_all(&runs);
}
END_TEST

START_TEST(overlaps_go_to_the_lower_run)
{
	struct runs runs = { 0 };
	struct image image;
	run_add(&runs, 0x2000, 0x1000);
	run_add(&runs, 0x1000, 0x1800);
	run_add(&runs, 0x1200, 0x100);
	ck_ok(image_make(&runs, &pool, &image, NULL), &(struct hc_err){ 0 });
	ck_assert_uint_eq(image.n_runs, 2);
	ck_assert_uint_eq(image.runs[0].end, 0x2800);
	ck_assert_uint_eq(image.runs[1].base, 0x2800);
	ck_assert_uint_eq((uintptr_t)image.runs[1].bytes - (uintptr_t)bytes,
			  0x800);
}
END_TEST

START_TEST(segments_are_sorted_and_overlap_once)
{
	struct core_segment s[] = {
		{ .base = 0x3000, .len = 0x1000, .saved = 0x800,
		  .core_off = 0x900 },
		{ .base = 0x1000, .len = 0x2400, .saved = 0x2400,
		  .core_off = 0x2000 },
		{ .base = 0x2000, .len = 0x10, .saved = 0x10 },
		{ .base = 0x9000 },
	};
	struct findings f = { .pool = &pool };
	ck_assert_uint_eq(segments_sort(s, 4, &f), 2);
	ck_assert_uint_eq(s[0].base, 0x1000);
	ck_assert_uint_eq(s[1].base, 0x3400);
	ck_assert_uint_eq(s[1].len, 0xc00);
	ck_assert_uint_eq(s[1].saved, 0x400);
	ck_assert_uint_eq(s[1].core_off, 0xd00);
	ck_assert_uint_eq(f.n, 1);
	ck_assert_str_eq(f.at[0].kind, "overlap");
	ck_assert_uint_eq(f.at[0].at, 0x2000);
}
END_TEST

START_TEST(short_memory_fails_cleanly)
{
	struct runs runs = { 0 };
	struct image image = { .n_runs = 77 };
	struct hc_err err;
	run_add(&runs, 0x1000, 16);
	pool.fail_after = 1;
	ck_fails(image_make(&runs, &pool, &image, &err), &err, HC_NOMEM, 0);
	ck_assert_uint_eq(image.n_runs, 77);
}
END_TEST

Suite *image_suite(void)
{
	Suite *s = suite_create("image");
	TCase *tc = tcase_create("image");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, no_runs_have_no_answer);
	tcase_add_loop_test(tc, find_agrees_with_a_search_by_hand, 0, 42);
	tcase_add_test(tc, a_run_of_many_gigabytes_is_found_everywhere);
	tcase_add_test(tc, overlaps_go_to_the_lower_run);
	tcase_add_test(tc, segments_are_sorted_and_overlap_once);
	tcase_add_test(tc, short_memory_fails_cleanly);
	suite_add_tcase(s, tc);
	return s;
}
