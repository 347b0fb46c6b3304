// test_small.c: the Go reader's small parts that need no process.
#include "libheap/go/memory/claims.h"
#include "libheap/go/heap/chain.h"
#include "libheap/go/heap/sizeclass.h"
#include "libheap/go/values/timetext.h"
#include "libheap/go/heap/typemask.h"

#include "libcore/tests/ck.h"

#include <check.h>
#include <stdlib.h>
#include <time.h>

Suite *small_suite(void);

// The classes of runtime/sizeclasses.go, by their comments: a size and what it
// is rounded up to.
static const struct { uint64_t size, slot; } rounded[] = {
	{ 1, 8 },	 { 8, 8 },	  { 9, 16 },	  { 49, 64 },
	{ 500, 512 },	 { 513, 576 },	  { 1025, 1152 }, { 8192, 8192 },
	{ 8193, 9472 },	 { 32768, 32768 }, { 32769, 40960 }, { 81920, 81920 },
};

START_TEST(sizes_round_up_to_classes_and_then_to_pages)
{
	ck_assert_uint_eq(go_size_class(rounded[_i].size), rounded[_i].slot);
}
END_TEST

START_TEST(a_gc_program_repeats_and_copies)
{
	// 3 literal bits 101, then these 3 again twice, then 2 bits 01.
	static const uint8_t prog[] = { 3, 0x05, 0x80 | 3, 2, 2, 0x02, 0 };
	static const char want[] = "10110110101";
	uint8_t bits[4] = { 0 };
	struct hc_err err;
	struct bytes in = { prog, sizeof(prog), 0 };
	ck_ok(go_gcprog_run(in, bits, 11, &err), &err);
	for (unsigned i = 0; i < 11; i++)
		ck_assert_int_eq(bits[i / 8] >> (i % 8) & 1, want[i] - '0');
}
END_TEST

START_TEST(a_gc_program_never_writes_past_its_words)
{
	// One bit, repeated 2^60 times, into 9 bits.
	static const uint8_t prog[] = { 1,    1,    0x81, 0x80, 0x80, 0x80, 0x80,
					0x80, 0x80, 0x80, 0x80, 0x10, 0 };
	uint8_t bits[2] = { 0, 0 };
	struct hc_err err;
	struct bytes in = { prog, sizeof(prog), 0 };
	ck_ok(go_gcprog_run(in, bits, 9, &err), &err);
	ck_assert_uint_eq(bits[0], 0xff);
	ck_assert_uint_eq(bits[1], 0x01);
}
END_TEST

START_TEST(a_broken_gc_program_is_refused)
{
	static const uint8_t before_start[] = { 2, 3, 0x85, 1, 0 };
	static const uint8_t cut[] = { 100, 0xff };
	uint8_t bits[32] = { 0 };
	struct hc_err err;
	struct bytes in = { before_start, sizeof(before_start), 0 };
	ck_assert_int_eq(go_gcprog_run(in, bits, 256, &err), HC_FAIL);
	ck_assert_int_eq(err.kind, HC_CORRUPT);
	in = (struct bytes){ cut, sizeof(cut), 0 };
	ck_assert_int_eq(go_gcprog_run(in, bits, 256, &err), HC_FAIL);
	ck_assert_int_eq(err.kind, HC_TRUNCATED);
}
END_TEST

START_TEST(times_are_those_of_the_c_library)
{
	char got[64], want[64];
	// 2024-02-29T12:34:56 UTC, as wall seconds since 1885 and as seconds
	// since year 1.
	int64_t unix_time = 1709210096;
	time_t t = unix_time;
	struct tm tm;
	gmtime_r(&t, &tm);
	strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%SZ", &tm);
	go_time_text(0, unix_time + INT64_C(62135596800), got, sizeof(got));
	ck_assert_str_eq(got, want);
	uint64_t since_1885 = (uint64_t)(unix_time + INT64_C(2682288000));
	go_time_text(UINT64_C(1) << 63 | since_1885 << 30, 5, got, sizeof(got));
	ck_assert_str_eq(got, want);
	go_time_text(0, 0, got, sizeof(got));
	ck_assert_str_eq(got, "never");
	go_time_text(0, INT64_MIN, got, sizeof(got));
	ck_assert_str_ne(got, "");
}
END_TEST

START_TEST(a_ring_of_links_ends)
{
	for (taddr length = 1; length < 300; length++) {
		// A tail of 7 links into a ring of `length`.
		struct go_chain chain = { 0 };
		uint64_t steps = 0;
		for (taddr at = 1; go_chain_on(&chain, at); steps++) {
			at++;
			if (at == 7 + length)
				at = 7;
			ck_assert_uint_lt(steps, 10000);
		}
		ck_assert_uint_ge(steps, length);
		ck_assert_uint_le(steps, 3 * (length + 7) + 8);
	}
}
END_TEST

// struct seen adds up what claims_walk gives out, and checks its order.
struct seen {
	uint64_t bytes[8], rest;
	taddr next;
};

static void see(void *ctx, taddr base, uint64_t len, const struct claim *claim)
{
	struct seen *s = ctx;
	ck_assert_uint_eq(base, s->next);
	ck_assert_uint_gt(len, 0);
	s->next = base + len;
	if (claim)
		s->bytes[claim->use] += len;
	else
		s->rest += len;
}

START_TEST(every_byte_goes_to_the_first_layer_that_claims_it)
{
	struct pool pool;
	struct hc_err err;
	ck_ok(pool_open(1 << 24, &pool, &err), &err);
	srand(7);
	for (unsigned round = 0; round < 300; round++) {
		// Bytes 1000..1999, three layers of random claims.
		struct claims layers[3] = { 0 };
		uint64_t next[3] = { 0 };
		int owner[1000];
		struct seen want = { .next = 0 }, got = { .next = 1000 };
		char *mark = pool_mark(&pool);
		for (unsigned i = 0; i < 1000; i++)
			owner[i] = -1;
		for (unsigned layer = 3; layer-- > 0;) {
			int mine[1000];
			unsigned n = (unsigned)rand() % 8;
			for (unsigned i = 0; i < 1000; i++)
				mine[i] = -1;
			taddr at = 1000;
			for (unsigned k = 0; k < n && at < 1990; k++) {
				at += 1 + (unsigned)rand() % 100;
				uint64_t len = 1 + (unsigned)rand() % 100;
				if (at + len > 2000)
					break;
				ck_assert(claims_add(&pool, &layers[layer], at,
						     len, layer, k));
				for (uint64_t i = 0; i < len; i++)
					mine[at - 1000 + i] = (int)layer;
				at += len;
			}
			claims_settle(&layers[layer]);
			for (unsigned i = 0; i < 1000; i++)
				if (mine[i] >= 0)
					owner[i] = mine[i];
		}
		for (unsigned i = 0; i < 1000; i++) {
			if (owner[i] >= 0)
				want.bytes[owner[i]]++;
			else
				want.rest++;
		}
		claims_walk(layers, 3, next, 1000, 400, see, &got);
		claims_walk(layers, 3, next, 1400, 600, see, &got);
		ck_assert_uint_eq(got.rest, want.rest);
		for (unsigned i = 0; i < 3; i++)
			ck_assert_uint_eq(got.bytes[i], want.bytes[i]);
		pool_rewind(&pool, mark);
	}
	pool_close(&pool);
}
END_TEST

START_TEST(overlapping_claims_of_one_layer_count_once)
{
	struct pool pool;
	struct hc_err err;
	struct claims c = { 0 };
	ck_ok(pool_open(1 << 20, &pool, &err), &err);
	ck_assert(claims_add(&pool, &c, 100, 50, 1, 0));
	ck_assert(claims_add(&pool, &c, 120, 100, 2, 0));
	ck_assert(claims_add(&pool, &c, 130, 10, 3, 0));
	ck_assert(claims_add(&pool, &c, UINT64_MAX - 5, 100, 4, 0));
	ck_assert(claims_add(&pool, &c, 10, 0, 5, 0));
	claims_settle(&c);
	ck_assert_uint_eq(c.n, 2);
	ck_assert_uint_eq(c.at[0].base, 100);
	ck_assert_uint_eq(c.at[0].len, 50);
	ck_assert_uint_eq(c.at[1].base, 150);
	ck_assert_uint_eq(c.at[1].len, 70);
	pool_close(&pool);
}
END_TEST

Suite *small_suite(void)
{
	Suite *s = suite_create("small parts of the Go reader");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, sizes_round_up_to_classes_and_then_to_pages, 0,
			    sizeof(rounded) / sizeof(*rounded));
	tcase_add_test(t, a_gc_program_repeats_and_copies);
	tcase_add_test(t, a_gc_program_never_writes_past_its_words);
	tcase_add_test(t, a_broken_gc_program_is_refused);
	tcase_add_test(t, times_are_those_of_the_c_library);
	tcase_add_test(t, a_ring_of_links_ends);
	tcase_add_test(t, every_byte_goes_to_the_first_layer_that_claims_it);
	tcase_add_test(t, overlapping_claims_of_one_layer_count_once);
	suite_add_tcase(s, t);
	return s;
}
