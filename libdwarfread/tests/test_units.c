// test_units.c: the units of .debug_info, and sections that are wrapped.
#include "libdwarfread/tests/ck.h"

#include <zlib.h>

static struct desk desk;

static void setup(void)
{
	desk_open(&desk);
	put_abbrev(&desk.w, 1, TAG_COMPILE_UNIT, true, AT_UNKNOWN, FORM_DATA1,
		   0);
	put_abbrev(&desk.w, 2, TAG_BASE, false, AT_NAME, FORM_STRING,
		   AT_UNKNOWN, FORM_REF_ADDR, AT_UNKNOWN, FORM_ADDR, AT_UNKNOWN,
		   FORM_SEC_OFFSET, AT_BYTE_SIZE, FORM_DATA1, 0);
	put_u8(&desk.w.abbrev, 0);
}

static void teardown(void)
{
	desk_close(&desk);
}

static void put_one(unsigned version, unsigned addr_len, const char *name)
{
	struct dw_writer *w = &desk.w;
	const unsigned off_len = w->is_64 ? 8 : 4;
	put_unit(w, version, addr_len);
	put_fixed(&w->info, 0x0001, 2);
	put_u8(&w->info, 2);
	put_str(&w->info, name);
	put_fixed(&w->info, 0, version == 2 ? addr_len : off_len);
	put_fixed(&w->info, 0, addr_len);
	put_fixed(&w->info, 0, off_len);
	put_u8(&w->info, 42);
	put_u8(&w->info, 0);
	put_unit_end(w);
}

static uint64_t len_named(const char *name)
{
	struct dwarf_type t;
	ck_answers(dwarf_find_types(desk.d, &name, 1, &t, &desk.err),
		   &desk.err);
	return t.len;
}

START_TEST(versions_and_number_sizes_mix_in_one_file)
{
	char name[3] = "a0";
	for (unsigned version = 2; version <= 5; version++)
		for (unsigned addr_len = 4; addr_len <= 8; addr_len += 4)
			for (unsigned is_64 = 0; is_64 <= 1; is_64++) {
				desk.w.is_64 = is_64;
				put_one(version, addr_len, name);
				name[0] += 1;
			}
	desk_read(&desk);
	for (name[0] = 'a'; name[0] < 'a' + 16; name[0]++)
		ck_assert_msg(len_named(name) == 42, "%s: %s", name,
			      dwarf_trouble(desk.d)->first.msg);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units, 16);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_dropped, 0);
}
END_TEST

static void spoil_version(struct buf *b, uint64_t at)
{
	put_patch(b, at + 4, 6, 2);
}
static void spoil_address_len(struct buf *b, uint64_t at)
{
	put_patch(b, at + 10, 3, 1);
}
static void spoil_abbrev_off(struct buf *b, uint64_t at)
{
	put_patch(b, at + 6, 0x100000, 4);
}
static void spoil_code(struct buf *b, uint64_t at)
{
	put_patch(b, at + 13, 77, 1);
}
static void (*const spoils[])(struct buf *, uint64_t) = {
	spoil_version, spoil_address_len, spoil_abbrev_off, spoil_code,
};

START_TEST(a_bad_unit_costs_itself_alone)
{
	put_one(4, 8, "first");
	uint64_t at = desk.w.info.n;
	put_one(4, 8, "bad");
	put_one(4, 8, "last");
	spoils[_i](&desk.w.info, at);
	desk_read(&desk);
	ck_assert_uint_eq(len_named("first"), 42);
	ck_assert_uint_eq(len_named("bad"), 0);
	ck_assert_uint_eq(len_named("last"), 42);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units, 3);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_dropped, 1);
}
END_TEST

START_TEST(what_is_before_a_wrong_length_is_kept)
{
	put_one(4, 8, "first");
	uint64_t at = desk.w.info.n;
	put_one(4, 8, "second");
	put_patch(&desk.w.info, at, 0x7fffffff, 4);
	desk_read(&desk);
	ck_assert_uint_eq(len_named("first"), 42);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_dropped, 1);
}
END_TEST

START_TEST(no_section_is_none_and_no_unit_is_a_failure)
{
	struct dwarf_sections in = writer_sections(&desk.w);
	struct dwarf *d = NULL;
	ck_assert_int_eq(dwarf_open(&in, &desk.pool, &d, &desk.err), HC_NONE);
	put_one(7, 8, "new");
	in = writer_sections(&desk.w);
	ck_fails(dwarf_open(&in, &desk.pool, &d, &desk.err), &desk.err,
		 UNSUPPORTED);
	in.abbrev.bytes.len = 0;
	ck_assert_int_eq(dwarf_open(&in, &desk.pool, &d, &desk.err), HC_NONE);
	ck_assert_ptr_null(d);
}
END_TEST

START_TEST(too_many_units_are_refused)
{
	struct dwarf *d = NULL;
	for (int i = 0; i < 300000; i++) {
		put_unit(&desk.w, 4, 8);
		put_fixed(&desk.w.info, 0x0001, 2);
		put_unit_end(&desk.w);
	}
	struct dwarf_sections in = writer_sections(&desk.w);
	uint64_t used = pool_used(&desk.pool);
	ck_fails(dwarf_open(&in, &desk.pool, &d, &desk.err), &desk.err, LIMIT);
	ck_assert_uint_lt(pool_used(&desk.pool) - used, 65536);
}
END_TEST

// wrap_zlib compresses a section into the pool behind a 64-bit Elf64_Chdr, or
// as .zdebug_* has it.
static struct dwarf_section wrap_zlib(struct bytes plain, bool zdebug)
{
	uLongf len = compressBound(plain.len);
	const uint64_t head = zdebug ? 12 : 24;
	uint8_t *at = pool_alloc(&desk.pool, len + head, 8, 1);
	ck_assert_int_eq(compress2(at + head, &len, plain.at, plain.len, 9),
			 Z_OK);
	if (zdebug) {
		memcpy(at, "ZLIB", 4);
		for (unsigned i = 0; i < 8; i++)
			at[4 + i] = (uint8_t)(plain.len >> (56 - 8 * i));
	} else {
		at[0] = 1; // ELFCOMPRESS_ZLIB
		memcpy(at + 8, &plain.len, 8);
	}
	return (struct dwarf_section){
		{ at, len + head, 0 }, zdebug ? INFLATE_ZDEBUG : INFLATE_CHDR64
	};
}

START_TEST(compressed_sections_are_inflated)
{
	put_one(5, 8, "packed");
	struct dwarf_sections in = writer_sections(&desk.w);
	in.info = wrap_zlib(in.info.bytes, _i);
	in.abbrev = wrap_zlib(in.abbrev.bytes, _i);
	ck_answers(dwarf_open(&in, &desk.pool, &desk.d, &desk.err), &desk.err);
	ck_assert_uint_eq(len_named("packed"), 42);
}
END_TEST

START_TEST(a_section_compressed_far_beyond_16_times_is_read)
{
	for (int i = 0; i < 20000; i++)
		put_one(5, 8, i == 19999 ? "last" : "same");
	struct dwarf_sections in = writer_sections(&desk.w);
	uint64_t len = in.info.bytes.len;
	in.info = wrap_zlib(in.info.bytes, false);
	ck_assert_uint_gt(len / in.info.bytes.len, 100);
	ck_answers(dwarf_open(&in, &desk.pool, &desk.d, &desk.err), &desk.err);
	ck_assert_uint_eq(len_named("last"), 42);
}
END_TEST

START_TEST(a_section_that_is_not_needed_is_not_inflated)
{
	static const uint8_t rubbish[64] = { 1 };
	put_one(5, 8, "there");
	struct dwarf_sections in = writer_sections(&desk.w);
	in.str = in.loclists = in.rnglists = in.addr = (struct dwarf_section){
		{ rubbish, sizeof(rubbish), 0 }, INFLATE_CHDR64
	};
	ck_answers(dwarf_open(&in, &desk.pool, &desk.d, &desk.err), &desk.err);
	ck_assert_uint_eq(len_named("there"), 42);
	ck_assert_ptr_null(dwarf_trouble(desk.d)->first.src);
}
END_TEST

START_TEST(section_names_lead_to_their_place)
{
	struct dwarf_sections s;
	ck_assert_ptr_eq(dwarf_section_of(&s, ".debug_info"), &s.info);
	ck_assert_ptr_eq(dwarf_section_of(&s, ".zdebug_line_str"), &s.line_str);
	ck_assert_ptr_eq(dwarf_section_of(&s, ".debug_loc"), &s.loc);
	ck_assert_ptr_eq(dwarf_section_of(&s, ".debug_loclists"), &s.loclists);
	ck_assert_ptr_null(dwarf_section_of(&s, ".debug_line"));
	ck_assert_ptr_null(dwarf_section_of(&s, ".debug_"));
	ck_assert_ptr_null(dwarf_section_of(&s, "debug_info"));
	ck_assert_ptr_null(dwarf_section_of(&s, ""));
}
END_TEST

Suite *units_suite(void)
{
	Suite *s = suite_create("units");
	TCase *t = tcase_create("units");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, versions_and_number_sizes_mix_in_one_file);
	tcase_add_loop_test(t, a_bad_unit_costs_itself_alone, 0,
			    sizeof(spoils) / sizeof(spoils[0]));
	tcase_add_test(t, what_is_before_a_wrong_length_is_kept);
	tcase_add_test(t, no_section_is_none_and_no_unit_is_a_failure);
	tcase_add_test(t, too_many_units_are_refused);
	tcase_add_loop_test(t, compressed_sections_are_inflated, 0, 2);
	tcase_add_test(t, a_section_compressed_far_beyond_16_times_is_read);
	tcase_add_test(t, a_section_that_is_not_needed_is_not_inflated);
	tcase_add_test(t, section_names_lead_to_their_place);
	suite_add_tcase(s, t);
	return s;
}
