// test_inflate.c: a section is its plain bytes, exactly, or refused.
#include "libcore/base/inflate.h"
#include "libcore/base/limits.h"
#include "libcore/tests/ck.h"
#include "libcore/tests/elfbuf.h"
#include "libcore/tests/packer.h"

#include <stdlib.h>

Suite *inflate_suite(void);

static struct pool pool;
static struct hc_err err;
static uint8_t text[100000];
static const struct bytes plain = { text, sizeof(text), 0 };

static void setup(void)
{
	ck_assert_int_eq(pool_open(UINT64_C(1) << 33, &pool, NULL), HC_OK);
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * i >> 7);
}

static void teardown(void)
{
	pool_close(&pool);
}

// wrap writes a section of kind around the stream packed.
static void wrap(struct elfbuf *b, enum inflate_kind kind, uint32_t type,
		 uint64_t len, struct bytes packed)
{
	uint64_t big_endian = __builtin_bswap64(len);
	*b = (struct elfbuf){ .is64 = kind == INFLATE_CHDR64 };
	if (kind == INFLATE_ZDEBUG) {
		elfbuf_put(b, "ZLIB", 4);
		elfbuf_put(b, &big_endian, 8);
	} else {
		elfbuf_u32(b, type);
		if (b->is64)
			elfbuf_u32(b, 0);
		elfbuf_word(b, len);
		elfbuf_word(b, 1);
	}
	elfbuf_put(b, packed.at, packed.len);
}

static const struct {
	enum inflate_kind kind;
	uint32_t type;
	enum pack pack;
} cases[] = {
	{ INFLATE_CHDR64, 1, PACK_ZLIB }, { INFLATE_CHDR64, 2, PACK_ZSTD },
	{ INFLATE_CHDR32, 1, PACK_ZLIB }, { INFLATE_CHDR32, 2, PACK_ZSTD },
	{ INFLATE_ZDEBUG, 0, PACK_ZLIB },
};
enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

START_TEST(a_section_is_its_plain_bytes)
{
	struct elfbuf b;
	struct bytes ret, packed = packer_pack(cases[_i].pack, plain);
	uint64_t len;
	wrap(&b, cases[_i].kind, cases[_i].type, plain.len, packed);
	ck_ok(inflate_len(elfbuf_bytes(&b), cases[_i].kind, &len, &err), &err);
	ck_assert_uint_eq(len, plain.len);
	ck_ok(inflate_section(elfbuf_bytes(&b), cases[_i].kind, &pool, &ret,
			      &err),
	      &err);
	ck_assert(bytes_equal(ret, plain.at, plain.len));
	elfbuf_free(&b);
	pack_free(packed);
}
END_TEST

START_TEST(a_plain_section_is_itself)
{
	struct bytes ret;
	ck_ok(inflate_section(plain, INFLATE_NONE, &pool, &ret, &err), &err);
	ck_assert_ptr_eq(ret.at, plain.at);
	ck_assert_uint_eq(ret.len, plain.len);
}
END_TEST

START_TEST(an_empty_section_unpacks_to_nothing)
{
	struct elfbuf b;
	struct bytes ret, packed = packer_pack(cases[_i].pack,
					(struct bytes){ text, 0, 0 });
	wrap(&b, cases[_i].kind, cases[_i].type, 0, packed);
	ck_ok(inflate_section(elfbuf_bytes(&b), cases[_i].kind, &pool, &ret,
			      &err),
	      &err);
	ck_assert_uint_eq(ret.len, 0);
	elfbuf_free(&b);
	pack_free(packed);
}
END_TEST

START_TEST(a_size_that_is_not_kept_is_corrupt)
{
	struct bytes ret = { NULL, 77, 0 };
	struct bytes packed = packer_pack(cases[_i].pack, plain);
	static const int64_t off_by[] = { -1, 1, -5000, 5000 };
	for (unsigned i = 0; i < 4; i++) {
		struct elfbuf b;
		char *mark = pool_mark(&pool);
		wrap(&b, cases[_i].kind, cases[_i].type,
		     plain.len + (uint64_t)off_by[i], packed);
		ck_fails(inflate_section(elfbuf_bytes(&b), cases[_i].kind,
					 &pool, &ret, &err),
			 &err, HC_CORRUPT, b.len - packed.len);
		ck_assert_uint_eq(ret.len, 77);
		ck_assert_ptr_eq(pool_mark(&pool), mark);
		elfbuf_free(&b);
	}
	pack_free(packed);
}
END_TEST

START_TEST(a_size_that_no_stream_can_have_is_over_the_limit)
{
	struct elfbuf b;
	struct bytes ret, packed = packer_pack(cases[_i].pack, plain);
	bool is32 = cases[_i].kind == INFLATE_CHDR32;
	uint64_t claims[] = { UINT64_MAX, LIMIT_SECTION_INFLATED + 1,
			      (packed.len + 1) * LIMIT_INFLATE_RATIO };
	for (unsigned i = is32 ? 2 : 0; i < 3; i++) {
		wrap(&b, cases[_i].kind, cases[_i].type, claims[i], packed);
		ck_fails(inflate_section(elfbuf_bytes(&b), cases[_i].kind,
					 &pool, &ret, &err),
			 &err, HC_LIMIT, 0);
		elfbuf_free(&b);
	}
	pack_free(packed);
}
END_TEST

START_TEST(every_prefix_is_refused)
{
	struct bytes ret, packed = packer_pack(cases[_i].pack,
					(struct bytes){ text, 2000, 0 });
	struct elfbuf b;
	wrap(&b, cases[_i].kind, cases[_i].type, 2000, packed);
	for (uint64_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		memcpy(copy, b.at, len);
		// The last bytes are zlib's checksum, or zstd's last block.
		ck_assert_int_eq(inflate_section((struct bytes){ copy, len, 0 },
						 cases[_i].kind, &pool, &ret,
						 &err),
				 HC_FAIL);
		free(copy);
	}
	elfbuf_free(&b);
	pack_free(packed);
}
END_TEST

START_TEST(every_flipped_byte_gives_the_size_or_nothing)
{
	struct bytes ret, packed = packer_pack(cases[_i].pack,
					(struct bytes){ text, 2000, 0 });
	struct elfbuf b;
	wrap(&b, cases[_i].kind, cases[_i].type, 2000, packed);
	for (uint64_t i = 0; i < b.len; i++) {
		b.at[i] ^= 0xff;
		uint64_t claims = 0;
		(void)!inflate_len(elfbuf_bytes(&b), cases[_i].kind, &claims,
				   NULL);
		if (inflate_section(elfbuf_bytes(&b), cases[_i].kind, &pool,
				    &ret, &err) == HC_OK)
			ck_assert_uint_eq(ret.len, claims);
		b.at[i] ^= 0xff;
		pool_rewind(&pool, pool.start);
	}
	elfbuf_free(&b);
	pack_free(packed);
}
END_TEST

START_TEST(other_methods_and_marks_are_refused)
{
	struct elfbuf b;
	struct bytes ret;
	wrap(&b, INFLATE_CHDR64, 3, 10, plain);
	ck_fails(inflate_section(elfbuf_bytes(&b), INFLATE_CHDR64, &pool, &ret,
				 &err),
		 &err, HC_UNSUPPORTED, 0);
	ck_fails(inflate_section(elfbuf_bytes(&b), INFLATE_ZDEBUG, &pool, &ret,
				 &err),
		 &err, HC_CORRUPT, 0);
	elfbuf_free(&b);
}
END_TEST

START_TEST(short_memory_fails_cleanly)
{
	struct elfbuf b;
	struct bytes ret, packed = packer_pack(cases[_i].pack, plain);
	wrap(&b, cases[_i].kind, cases[_i].type, plain.len, packed);
	for (uint64_t n = 1; n <= 2; n++) {
		pool.fail_after = n;
		ck_fails(inflate_section(elfbuf_bytes(&b), cases[_i].kind,
					 &pool, &ret, &err),
			 &err, HC_NOMEM, 0);
	}
	elfbuf_free(&b);
	pack_free(packed);
}
END_TEST

Suite *inflate_suite(void)
{
	Suite *s = suite_create("inflate");
	TCase *tc = tcase_create("inflate");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_section_is_its_plain_bytes, 0, N_CASES);
	tcase_add_test(tc, a_plain_section_is_itself);
	tcase_add_loop_test(tc, an_empty_section_unpacks_to_nothing, 0,
			    N_CASES);
	tcase_add_loop_test(tc, a_size_that_is_not_kept_is_corrupt, 0,
			    N_CASES);
	tcase_add_loop_test(tc,
			    a_size_that_no_stream_can_have_is_over_the_limit,
			    0, N_CASES);
	tcase_add_loop_test(tc, every_prefix_is_refused, 0, N_CASES);
	tcase_add_loop_test(tc, every_flipped_byte_gives_the_size_or_nothing,
			    0, N_CASES);
	tcase_add_test(tc, other_methods_and_marks_are_refused);
	tcase_add_loop_test(tc, short_memory_fails_cleanly, 0, N_CASES);
	suite_add_tcase(s, tc);
	return s;
}
