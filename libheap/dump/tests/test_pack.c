// test_pack.c: what is packed comes back, and no damage goes unseen.
#include "libheap/dump/pack.h"
#include "libheap/dump/unpack.h"

#include "libcore/tests/ck.h"

#include <stdlib.h>
#include <string.h>

Suite *pack_suite(void);

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
	uint8_t *at;
	uint64_t len, cap;
	uint64_t refuse; // fail once so many bytes are there
};

static enum hc to_file(void *ctx, const void *bytes, uint64_t len,
		       struct hc_err *ret)
{
	struct file *f = ctx;
	if (f->refuse && f->len + len > f->refuse)
		return hc_fail(ret, HC_IO, 0, "no more room");
	while (f->cap - f->len < len) {
		f->cap = f->cap ? 2 * f->cap : 4096;
		f->at = realloc(f->at, f->cap);
	}
	memcpy(f->at + f->len, bytes, len);
	f->len += len;
	return HC_OK;
}

// write_file packs n numbers of two sections and a string.
static enum hc write_file(struct file *f, uint64_t n, unsigned threads)
{
	struct pack p;
	struct dump_sink sink = { to_file, f };
	struct dump_options options = { .threads = threads };
	ck_ok(pack_open(&sink, &options, &pool, &p, &err), &err);
	pack_section(&p, DUMP_CORE);
	for (uint64_t i = 0; i < n; i++)
		pack_u(&p, i * i * i);
	pack_section(&p, DUMP_ROOTS);
	pack_text(&p, "main.cache");
	pack_text(&p, NULL);
	pack_text(&p, "main.cache");
	pack_text(&p, "");
	return pack_close(&p, true, &err);
}

static struct bytes bytes_of(const struct file *f)
{
	return (struct bytes){ f->at, f->len, 0 };
}

START_TEST(numbers_and_strings_come_back)
{
	static const uint64_t count[] = { 0, 1, 100, 1000000 };
	struct file f = { 0 };
	struct unpack u;
	struct bytes at, strings;
	uint64_t v, n = count[_i / 2];
	ck_ok(write_file(&f, n, _i % 2 ? 4 : 1), &err);
	ck_ok(unpack_bytes(bytes_of(&f), 0, &u, &err), &err);
	ck_ok(unpack_section(&u, DUMP_CORE, &pool, &at, &err), &err);
	for (uint64_t i = 0; i < n; i++) {
		ck_ok(bytes_uleb(&at, &v, &err), &err);
		ck_assert_uint_eq(v, i * i * i);
	}
	ck_assert_uint_eq(at.len, 0);
	ck_ok(unpack_section(&u, DUMP_ROOTS, &pool, &at, &err), &err);
	ck_ok(unpack_section(&u, DUMP_STRINGS, &pool, &strings, &err), &err);
	uint64_t id[4];
	for (unsigned i = 0; i < 4; i++)
		ck_ok(bytes_uleb(&at, &id[i], &err), &err);
	ck_assert_str_eq((const char *)strings.at + id[0], "main.cache");
	ck_assert_uint_eq(id[1], 0);
	ck_assert_uint_eq(id[2], id[0]);
	ck_assert_str_eq((const char *)strings.at + id[3], "");
	free(f.at);
}
END_TEST

START_TEST(the_number_of_threads_changes_nothing)
{
	struct file one = { 0 }, four = { 0 };
	ck_ok(write_file(&one, 600000, 1), &err);
	ck_ok(write_file(&four, 600000, 4), &err);
	ck_assert_uint_eq(one.len, four.len);
	ck_assert_mem_eq(one.at, four.at, one.len);
	free(one.at);
	free(four.at);
}
END_TEST

// opens says whether the bytes are taken for a good file.
static bool opens(struct bytes b)
{
	struct unpack u, before;
	memset(&u, 0x5a, sizeof(u));
	before = u;
	// A copy of its own, so that a read behind it is seen.
	uint8_t *own = malloc(b.len + 1);
	memcpy(own, b.at, b.len);
	b.at = own;
	bool good = unpack_bytes(b, 0, &u, &err) == HC_OK;
	if (!good) {
		ck_assert_mem_eq(&u, &before, sizeof(u));
		ck_assert_uint_gt(strlen(err.msg), 0);
	}
	free(own);
	return good;
}

START_TEST(every_prefix_is_refused)
{
	struct file f = { 0 };
	ck_ok(write_file(&f, 200, 1), &err);
	for (uint64_t len = 0; len < f.len; len++)
		ck_assert(!opens((struct bytes){ f.at, len, 0 }));
	ck_assert(opens(bytes_of(&f)));
	free(f.at);
}
END_TEST

START_TEST(every_flipped_bit_is_seen)
{
	struct file f = { 0 };
	ck_ok(write_file(&f, 200, 1), &err);
	for (uint64_t i = 0; i < 8 * f.len; i++) {
		f.at[i / 8] ^= (uint8_t)(1 << i % 8);
		ck_assert_msg(!opens(bytes_of(&f)), "bit %" PRIu64, i);
		f.at[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	ck_assert(opens(bytes_of(&f)));
	free(f.at);
}
END_TEST

START_TEST(every_byte_set_is_seen)
{
	struct file f = { 0 };
	ck_ok(write_file(&f, 200, 1), &err);
	for (uint64_t i = 0; i < f.len; i++) {
		uint8_t was = f.at[i];
		f.at[i] = _i ? 0xff : 0;
		ck_assert(f.at[i] == was || !opens(bytes_of(&f)));
		f.at[i] = was;
	}
	free(f.at);
}
END_TEST

START_TEST(a_sink_that_fails_is_the_answer)
{
	struct file f = { .refuse = 100 };
	ck_fails(write_file(&f, 500000, 1 + 3 * (unsigned)_i), &err, HC_IO, 0);
	free(f.at);
}
END_TEST

START_TEST(memory_that_fails_is_the_answer)
{
	// The pool counts down; some writes need none after pack_open.
	for (unsigned n = 1; n < 40; n++) {
		struct pack p;
		struct file f = { 0 };
		struct dump_sink sink = { to_file, &f };
		struct dump_options options = { .threads = 1 };
		pool.fail_after = n;
		if (pack_open(&sink, &options, &pool, &p, &err) == HC_OK) {
			pack_section(&p, DUMP_CORE);
			pack_text(&p, "x");
			if (pack_close(&p, true, &err) == HC_OK)
				ck_assert(opens(bytes_of(&f)));
			else
				ck_assert_int_eq((int)err.kind, HC_NOMEM);
		}
		pool.fail_after = 0;
		free(f.at);
	}
}
END_TEST

Suite *pack_suite(void)
{
	Suite *s = suite_create("pack");
	TCase *t = tcase_create("pack");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, numbers_and_strings_come_back, 0, 8);
	tcase_add_test(t, the_number_of_threads_changes_nothing);
	tcase_add_test(t, every_prefix_is_refused);
	tcase_add_test(t, every_flipped_bit_is_seen);
	tcase_add_loop_test(t, every_byte_set_is_seen, 0, 2);
	tcase_add_loop_test(t, a_sink_that_fails_is_the_answer, 0, 2);
	tcase_add_test(t, memory_that_fails_is_the_answer);
	suite_add_tcase(s, t);
	return s;
}
