// test_append.c: snapshots added to a file, and taken from it again.
#include "libheap/dump/append.h"
#include "libheap/dump/pack.h"

#include "libcore/tests/ck.h"

#include <stdlib.h>
#include <string.h>

Suite *append_suite(void);

static struct pool pool;
static struct hc_err err;

static void setup(void)
{
	ck_ok(pool_open(UINT64_C(1) << 30, &pool, &err), &err);
}

static void teardown(void)
{
	pool_close(&pool);
}

struct file {
	uint8_t at[4096];
	uint64_t len;
};

static enum hc to_file(void *ctx, const void *bytes, uint64_t len,
		       struct hc_err *ret)
{
	struct file *f = ctx;
	(void)ret;
	ck_assert_uint_le(len, sizeof(f->at) - f->len);
	memcpy(f->at + f->len, bytes, len);
	f->len += len;
	return HC_OK;
}

static struct bytes bytes_of(const struct file *f)
{
	return (struct bytes){ f->at, f->len, 0 };
}

// add writes a snapshot of one number and two strings behind another file.
static void add(struct file *f, const struct file *before, uint64_t number,
		const char *text)
{
	struct pack p;
	struct dump_base *base = NULL;
	struct dump_sink sink = { to_file, f };
	if (before)
		ck_ok(dump_base_of(bytes_of(before), false, &pool, &base, &err),
		      &err);
	struct dump_options options = { .threads = 1, .base = base };
	ck_ok(pack_open(&sink, &options, &pool, &p, &err), &err);
	pack_section(&p, DUMP_ROOTS);
	pack_u(&p, number);
	pack_text(&p, "main.cache");
	pack_text(&p, text);
	ck_ok(pack_close(&p, true, &err), &err);
}

// three makes a file of three snapshots; the last one adds no string.
static void three(struct file *one, struct file *two, struct file *ret)
{
	*one = *two = *ret = (struct file){ .len = 0 };
	add(one, NULL, 1, "main.first");
	add(two, one, 2, "main.second");
	add(ret, two, 3, "main.first");
}

START_TEST(each_snapshot_comes_back)
{
	static const char *const texts[] = { "main.first", "main.second",
					     "main.first" };
	struct file one, two, f;
	uint64_t cache[3];
	three(&one, &two, &f);
	ck_assert_mem_eq(f.at, two.at, two.len);
	ck_assert_mem_eq(two.at, one.at, one.len);
	for (uint32_t i = 0; i < 3; i++) {
		struct unpack u;
		struct bytes at, strings;
		uint64_t v, text;
		ck_ok(unpack_bytes(bytes_of(&f), i + 1, &u, &err), &err);
		ck_assert_uint_eq(u.number, i + 1);
		ck_assert_uint_eq(u.n_snapshots, 3);
		ck_ok(unpack_section(&u, DUMP_ROOTS, &pool, &at, &err), &err);
		ck_ok(unpack_strings(&u, &pool, &strings, &err), &err);
		ck_ok(bytes_uleb(&at, &v, &err), &err);
		ck_ok(bytes_uleb(&at, &cache[i], &err), &err);
		ck_ok(bytes_uleb(&at, &text, &err), &err);
		ck_assert_uint_eq(v, i + 1);
		ck_assert_uint_eq(cache[i], cache[0]); // one string for all
		ck_assert_str_eq((const char *)strings.at + cache[i],
				 "main.cache");
		ck_assert_str_eq((const char *)strings.at + text, texts[i]);
	}
}
END_TEST

START_TEST(the_last_one_is_taken_unasked)
{
	struct file one, two, f;
	struct unpack u;
	three(&one, &two, &f);
	ck_ok(unpack_bytes(bytes_of(&f), 0, &u, &err), &err);
	ck_assert_uint_eq(u.number, 3);
	ck_fails(unpack_bytes(bytes_of(&f), 4, &u, &err), &err, HC_UNSUPPORTED,
		 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "has 3 snapshots"));
}
END_TEST

// A file that ends where a snapshot does is what it was before the next came.
START_TEST(cuts_and_flips_anywhere_are_seen)
{
	struct file one, two, f;
	struct unpack u;
	three(&one, &two, &f);
	for (uint64_t len = 0; len <= f.len; len++) {
		bool whole = len == one.len || len == two.len || len == f.len;
		ck_assert_int_eq(unpack_bytes((struct bytes){ f.at, len, 0 }, 1,
					      &u, &err) == HC_OK, whole);
	}
	for (uint64_t i = 0; i < 8 * f.len; i++) {
		f.at[i / 8] ^= (uint8_t)(1 << i % 8);
		for (uint32_t number = 0; number < 3; number++)
			ck_assert_msg(unpack_bytes(bytes_of(&f), number, &u,
						   &err) != HC_OK,
				      "bit %" PRIu64, i);
		f.at[i / 8] ^= (uint8_t)(1 << i % 8);
	}
}
END_TEST

START_TEST(values_are_of_all_or_none)
{
	struct file f = { .len = 0 };
	struct dump_base *base;
	add(&f, NULL, 1, "main.first");
	ck_fails(dump_base_of(bytes_of(&f), true, &pool, &base, &err), &err,
		 HC_UNSUPPORTED, 0);
}
END_TEST

Suite *append_suite(void)
{
	Suite *s = suite_create("append");
	TCase *t = tcase_create("append");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, each_snapshot_comes_back);
	tcase_add_test(t, the_last_one_is_taken_unasked);
	tcase_add_test(t, cuts_and_flips_anywhere_are_seen);
	tcase_add_test(t, values_are_of_all_or_none);
	suite_add_tcase(s, t);
	return s;
}
