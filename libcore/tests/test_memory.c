// test_memory.c: addresses are answered with the bytes that were there.
#include "libcore/tests/opencore.h"

Suite *memory_suite(void);

static struct corewriter w;
static struct opencore o;

static void setup(void)
{
	cw_sample(&w, CORE_AMD64);
	opencore_must(&o, cw_finish(&w), NULL);
}

static void teardown(void)
{
	opencore_close(&o);
	cw_free(&w);
}

static uint64_t word_at(taddr at)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)cw_byte(at + i) << 8 * i;
	return v;
}

START_TEST(view_points_at_what_was_saved)
{
	const uint8_t *view;
	ck_ok(core_view(o.core, 0x5010, 16, &view, &o.err), &o.err);
	for (unsigned i = 0; i < 16; i++)
		ck_assert_uint_eq(view[i], cw_byte(0x5010 + i));
}
END_TEST

START_TEST(neighbours_in_memory_and_file_are_one_run)
{
	const uint8_t *view;
	struct core_window win;
	ck_ok(core_view(o.core, 0x51f8, 16, &view, &o.err), &o.err);
	ck_ok(core_window(o.core, 0x5204, &win), &o.err);
	ck_assert_uint_eq(win.base, 0x5000);
	ck_assert_uint_eq(win.len, 0x400);
}
END_TEST

START_TEST(reads_stop_at_the_first_byte_that_is_missing)
{
	const uint8_t *view = NULL;
	uint8_t buf[32] = { 9 };
	uint64_t v = 9;
	// Saved up to 0x1100, mapped up to 0x1400.
	ck_fails(core_view(o.core, 0x10f0, 17, &view, &o.err), &o.err,
		 HC_UNSAVED, 0x1100);
	ck_fails(core_view(o.core, 0x1100, 1, &view, &o.err), &o.err,
		 HC_UNSAVED, 0x1100);
	ck_fails(core_read(o.core, 0x10f0, buf, 17, &o.err), &o.err,
		 HC_UNSAVED, 0x1100);
	ck_fails(core_u64(o.core, 0x10fc, &v, &o.err), &o.err, HC_UNSAVED,
		 0x1100);
	ck_fails(core_u64(o.core, 0x4ffc, &v, &o.err), &o.err, HC_UNSAVED,
		 0x4ffc);
	ck_assert_ptr_null(view);
	ck_assert_uint_eq(buf[0], 9);
	ck_assert_uint_eq(v, 9);
}
END_TEST

START_TEST(the_message_tells_unsaved_from_unmapped)
{
	uint8_t v;
	ck_says(core_u8(o.core, 0x1100, &v, &o.err), &o.err, HC_UNSAVED,
		"not saved");
	ck_says(core_u8(o.core, 0x2000, &v, &o.err), &o.err, HC_UNSAVED,
		"not mapped");
}
END_TEST

START_TEST(a_view_never_wraps_around)
{
	const uint8_t *view;
	ck_assert_int_eq(core_view(o.core, 0x5000, UINT64_MAX, &view, NULL),
			 HC_FAIL);
	ck_assert_int_eq(core_view(o.core, UINT64_MAX, 8, &view, NULL),
			 HC_FAIL);
	ck_assert_int_eq(core_view(o.core, UINT64_MAX - 3, 8, &view, NULL),
			 HC_FAIL);
}
END_TEST

START_TEST(numbers_are_little_endian_and_may_be_unaligned)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	ck_ok(core_u8(o.core, 0x5003, &u8, &o.err), &o.err);
	ck_ok(core_u16(o.core, 0x5003, &u16, &o.err), &o.err);
	ck_ok(core_u32(o.core, 0x5003, &u32, &o.err), &o.err);
	ck_ok(core_u64(o.core, 0x5003, &u64, &o.err), &o.err);
	ck_assert_uint_eq(u64, word_at(0x5003));
	ck_assert_uint_eq(u32, (uint32_t)word_at(0x5003));
	ck_assert_uint_eq(u16, (uint16_t)word_at(0x5003));
	ck_assert_uint_eq(u8, (uint8_t)word_at(0x5003));
}
END_TEST

START_TEST(a_string_ends_within_its_limit_or_is_corrupt)
{
	const char *s;
	uint64_t len;
	// The writer's bytes are never 0.
	ck_fails(core_cstr(o.core, 0x5000, 64, &s, &len, &o.err), &o.err,
		 HC_CORRUPT, 0x5000);
	ck_fails(core_cstr(o.core, 0x53f0, 64, &s, &len, &o.err), &o.err,
		 HC_UNSAVED, 0x5400);
	ck_fails(core_cstr(o.core, 0x2000, 64, &s, &len, &o.err), &o.err,
		 HC_UNSAVED, 0x2000);
}
END_TEST

START_TEST(next_window_visits_every_readable_byte_once)
{
	struct core_window win;
	uint64_t n = 0;
	taddr at = 0;
	while (core_next_window(o.core, at, &win) == HC_OK) {
		n += win.len;
		at = win.base + win.len;
	}
	ck_assert_uint_eq(n, 0x100 + 0x400);
	ck_none(core_window(o.core, 0x7000, &win));
	ck_none(core_next_window(o.core, 0x5400, &win));
}
END_TEST

START_TEST(saved_and_mapped_bytes_are_counted_by_segment)
{
	ck_assert_uint_eq(core_mapped_bytes(o.core, 0, UINT64_MAX), 0x1800);
	ck_assert_uint_eq(core_saved_bytes(o.core, 0, UINT64_MAX), 0x500);
	ck_assert_uint_eq(core_saved_bytes(o.core, 0x1080, 0x1000), 0x80);
	ck_assert_uint_eq(core_mapped_bytes(o.core, 0x1080, 0x1000), 0x380);
	ck_assert_uint_eq(core_mapped_bytes(o.core, 0x1400, 0x3c00), 0);
	ck_assert_uint_eq(core_mapped_bytes(o.core, UINT64_MAX, 8), 0);
}
END_TEST

START_TEST(a_read_crosses_runs_that_touch)
{
	struct corewriter two;
	struct opencore t;
	uint8_t buf[0x20];
	cw_init(&two, CORE_AMD64);
	two.align = 64; // a gap in the file, none in memory
	cw_load(&two, 0x1000, 0x110, 0x110, CORE_R);
	cw_load(&two, 0x1110, 0x100, 0x100, CORE_R);
	opencore_must(&t, cw_finish(&two), NULL);
	const uint8_t *view;
	uint64_t v;
	ck_fails(core_view(t.core, 0x1100, 0x20, &view, &t.err), &t.err,
		 HC_UNSAVED, 0x1110);
	ck_ok(core_read(t.core, 0x1100, buf, 0x20, &t.err), &t.err);
	for (unsigned i = 0; i < 0x20; i++)
		ck_assert_uint_eq(buf[i], cw_byte(0x1100 + i));
	ck_ok(core_u64(t.core, 0x110c, &v, &t.err), &t.err);
	ck_assert_uint_eq(v, word_at(0x110c));
	opencore_close(&t);
	cw_free(&two);
}
END_TEST

START_TEST(a_pointer_of_386_is_4_bytes)
{
	struct corewriter three;
	struct opencore t;
	taddr v;
	cw_sample(&three, CORE_386);
	opencore_must(&t, cw_finish(&three), NULL);
	ck_ok(core_ptr(t.core, 0x5008, &v, &t.err), &t.err);
	ck_assert_uint_eq(v, (uint32_t)word_at(0x5008));
	ck_ok(core_ptr(o.core, 0x5008, &v, &o.err), &o.err);
	ck_assert_uint_eq(v, word_at(0x5008));
	opencore_close(&t);
	cw_free(&three);
}
END_TEST

Suite *memory_suite(void)
{
	Suite *s = suite_create("memory");
	TCase *tc = tcase_create("sample");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, view_points_at_what_was_saved);
	tcase_add_test(tc, neighbours_in_memory_and_file_are_one_run);
	tcase_add_test(tc, reads_stop_at_the_first_byte_that_is_missing);
	tcase_add_test(tc, the_message_tells_unsaved_from_unmapped);
	tcase_add_test(tc, a_view_never_wraps_around);
	tcase_add_test(tc, numbers_are_little_endian_and_may_be_unaligned);
	tcase_add_test(tc, a_string_ends_within_its_limit_or_is_corrupt);
	tcase_add_test(tc, next_window_visits_every_readable_byte_once);
	tcase_add_test(tc, saved_and_mapped_bytes_are_counted_by_segment);
	tcase_add_test(tc, a_read_crosses_runs_that_touch);
	tcase_add_test(tc, a_pointer_of_386_is_4_bytes);
	suite_add_tcase(s, tc);
	return s;
}
