// test_base.c: the base: runs of bytes, pools, arrays, failures, findings.
#include "libcore/base/bytes.h"
#include "libcore/base/finding.h"
#include "libcore/base/limits.h"
#include "libcore/tests/ck.h"

#include <stdlib.h>

Suite *base_suite(void);

static struct pool pool;
static struct hc_err err;

static void setup(void)
{
	ck_assert_int_eq(pool_open(1 << 24, &pool, NULL), HC_OK);
}

static void teardown(void)
{
	pool_close(&pool);
}

START_TEST(a_piece_is_inside_or_nothing)
{
	static const uint8_t at[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct bytes b = { at, 8, 100 }, ret = { 0 };
	for (uint64_t off = 0; off < 10; off++) {
		for (uint64_t len = 0; len < 10; len++) {
			ret.len = 77;
			if (off + len > 8) {
				ck_fails(bytes_sub(b, off, len, &ret, &err),
					 &err, HC_TRUNCATED, 100);
				ck_assert_uint_eq(ret.len, 77);
				continue;
			}
			ck_ok(bytes_sub(b, off, len, &ret, &err), &err);
			ck_assert_ptr_eq(ret.at, at + off);
			ck_assert_uint_eq(ret.len, len);
			ck_assert_uint_eq(ret.org, 100 + off);
		}
	}
	ck_assert_int_eq(bytes_sub(b, UINT64_MAX, 2, &ret, NULL), HC_FAIL);
	ck_assert_int_eq(bytes_sub(b, 2, UINT64_MAX, &ret, NULL), HC_FAIL);
}
END_TEST

START_TEST(numbers_are_taken_in_order)
{
	static const uint8_t at[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
				      13, 14, 15 };
	struct bytes b = { at, 15, 0 };
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64 = 77;
	ck_ok(bytes_u8(&b, &u8, &err), &err);
	ck_ok(bytes_u16(&b, &u16, &err), &err);
	ck_ok(bytes_u32(&b, &u32, &err), &err);
	ck_ok(bytes_u64(&b, &u64, &err), &err);
	ck_assert_uint_eq(u8, 1);
	ck_assert_uint_eq(u16, 0x0302);
	ck_assert_uint_eq(u32, 0x07060504);
	ck_assert_uint_eq(u64, 0x0f0e0d0c0b0a0908);
	ck_assert_uint_eq(b.len, 0);
	ck_fails(bytes_u8(&b, &u8, &err), &err, HC_TRUNCATED, 15);
	ck_assert_uint_eq(u8, 1);
}
END_TEST

static const struct {
	const char *bytes;
	unsigned len;
	uint64_t unsigned_value;
	int64_t signed_value;
} lebs[] = {
	// The examples of DWARF 5, tables 7.7 and 7.8, and the limits.
	{ "\x02", 1, 2, 2 },
	{ "\x7f", 1, 127, -1 },
	{ "\x80\x01", 2, 128, 128 },
	{ "\xff\x00", 2, 127, 127 },
	{ "\x81\x7f", 2, 16257, -127 },
	{ "\xe5\x8e\x26", 3, 624485, 624485 },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX, -1 },
	{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10,
	  UINT64_C(1) << 63, INT64_MIN },
};

START_TEST(lebs_are_read_as_dwarf_says)
{
	struct bytes b = { (const uint8_t *)lebs[_i].bytes, lebs[_i].len, 0 };
	struct bytes c = b;
	uint64_t u;
	int64_t s;
	ck_ok(bytes_uleb(&b, &u, &err), &err);
	ck_ok(bytes_sleb(&c, &s, &err), &err);
	ck_assert_uint_eq(u, lebs[_i].unsigned_value);
	ck_assert_int_eq(s, lebs[_i].signed_value);
	ck_assert_uint_eq(b.len, 0);
	ck_assert_uint_eq(c.len, 0);
}
END_TEST

START_TEST(a_leb_without_an_end_moves_nothing)
{
	uint8_t at[16];
	memset(at, 0x80, sizeof(at));
	struct bytes b = { at, 5, 9 };
	uint64_t u = 77;
	ck_fails(bytes_uleb(&b, &u, &err), &err, HC_TRUNCATED, 9);
	ck_assert_uint_eq(b.len, 5);
	b.len = 16;
	ck_fails(bytes_uleb(&b, &u, &err), &err, HC_CORRUPT, 9);
	ck_assert_uint_eq(b.len, 16);
	ck_assert_uint_eq(u, 77);
}
END_TEST

START_TEST(a_string_is_taken_with_its_nul)
{
	struct bytes b = { (const uint8_t *)"ab\0cd", 5, 0 };
	const char *s = NULL;
	ck_ok(bytes_cstr(&b, &s, &err), &err);
	ck_assert_str_eq(s, "ab");
	ck_fails(bytes_cstr(&b, &s, &err), &err, HC_TRUNCATED, 3);
	ck_assert_uint_eq(b.len, 2);
}
END_TEST

START_TEST(a_pool_gives_zeroed_aligned_pieces)
{
	srand(7);
	for (int i = 0; i < 2000; i++) {
		char *mark = pool_mark(&pool);
		uint64_t n = (uint64_t)rand() % 5000, align = 1ul << rand() % 8;
		uint8_t *at = pool_alloc(&pool, 1, align, n);
		ck_assert_ptr_nonnull(at);
		ck_assert_uint_eq((uintptr_t)at % align, 0);
		uint64_t k = 0;
		while (k < n && !at[k])
			k++;
		ck_assert_uint_eq(k, n);
		memset(at, 0xaa, n);
		if (rand() % 3)
			pool_rewind(&pool, mark);
		else if (pool_used(&pool) > 1 << 22)
			pool_rewind(&pool, pool.start);
	}
}
END_TEST

START_TEST(a_pool_refuses_what_does_not_fit)
{
	ck_assert_ptr_null(pool_alloc(&pool, 8, 8, UINT64_MAX / 4));
	ck_assert_ptr_null(pool_alloc(&pool, 1, 1, (1 << 24) + 1));
	ck_assert_ptr_nonnull(pool_alloc(&pool, 1, 1, 1 << 24));
	ck_assert_ptr_null(pool_alloc(&pool, 1, 1, 1));
	ck_assert_ptr_null(pool_copy(&pool, "x", UINT64_MAX));
	ck_assert_ptr_null(pool_printf(&pool, "%d", 7));
}
END_TEST

START_TEST(an_array_grows_and_keeps_its_elements)
{
	struct {
		VEC(uint64_t);
	} v = { 0 };
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t *one = vec_push(&pool, &v);
		ck_assert_ptr_nonnull(one);
		ck_assert_uint_eq(*one, 0);
		*one = i;
		if (i % 100 == 0)
			pool_alloc(&pool, 1, 1, 1); // forces a move
	}
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(v.at[i], i);
	pool.fail_after = 1;
	while (v.n < v.cap)
		(void)vec_push(&pool, &v);
	ck_assert_ptr_null(vec_push(&pool, &v));
	ck_assert_uint_eq(v.at[999], 999);
}
END_TEST

START_TEST(findings_past_their_limit_are_counted)
{
	struct findings f = { .pool = &pool };
	for (uint64_t i = 0; i < LIMIT_FINDINGS + 5; i++)
		findings_add(&f, "kind", i, "number %" PRIu64, i);
	ck_assert_uint_eq(f.n, LIMIT_FINDINGS);
	ck_assert_uint_eq(f.dropped, 5);
	ck_assert_str_eq(f.at[7].text, "number 7");
	ck_assert_uint_eq(f.at[7].at, 7);
}
END_TEST

START_TEST(a_failure_names_its_kind_and_place)
{
	ck_assert_int_eq(hc_fail(&err, HC_LIMIT, 0x10, "%d things", 3),
			 HC_FAIL);
	ck_assert_str_eq(err.msg, "3 things");
	ck_assert_str_eq(hc_kind_name(err.kind), "over a limit");
	ck_assert_uint_eq(err.at, 0x10);
	ck_assert_ptr_nonnull(strstr(err.src, "test_base.c:"));
	ck_assert_int_eq(hc_fail(NULL, HC_IO, 0, "nobody asks"), HC_FAIL);
	ck_assert_str_eq(hc_kind_name((enum hc_kind)99), "failed");
}
END_TEST

Suite *base_suite(void)
{
	Suite *s = suite_create("base");
	TCase *tc = tcase_create("base");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_piece_is_inside_or_nothing);
	tcase_add_test(tc, numbers_are_taken_in_order);
	tcase_add_loop_test(tc, lebs_are_read_as_dwarf_says, 0,
			    sizeof(lebs) / sizeof(lebs[0]));
	tcase_add_test(tc, a_leb_without_an_end_moves_nothing);
	tcase_add_test(tc, a_string_is_taken_with_its_nul);
	tcase_add_test(tc, a_pool_gives_zeroed_aligned_pieces);
	tcase_add_test(tc, a_pool_refuses_what_does_not_fit);
	tcase_add_test(tc, an_array_grows_and_keeps_its_elements);
	tcase_add_test(tc, findings_past_their_limit_are_counted);
	tcase_add_test(tc, a_failure_names_its_kind_and_place);
	suite_add_tcase(s, tc);
	return s;
}
