// test_segments.c: program headers, as many as there are, and what is lost.
#include "libcore/tests/opencore.h"

Suite *segments_suite(void);

static struct corewriter w;
static struct opencore o;

static void teardown(void)
{
	opencore_close(&o);
	cw_free(&w);
}

static size_t n_segments(void)
{
	size_t n;
	(void)core_segments(o.core, &n);
	return n;
}

static void fill_70000(void)
{
	cw_init(&w, CORE_AMD64);
	cw_load(&w, 0x1000, 0x100, 0x100, CORE_R);
	w.n_fill = 70000;
	w.fill_at = 0x100000;
	w.xnum = true;
}

START_TEST(more_than_65534_segments_are_read)
{
	fill_70000();
	opencore_must(&o, cw_finish(&w), NULL);
	ck_assert_uint_eq(n_segments(), 70001);
	ck_assert(!core_info(o.core)->truncated);
	ck_assert_uint_eq(core_mapped_bytes(o.core, 0x100000, 70000 * 4096ul),
			  70000 * 4096ul);
}
END_TEST

START_TEST(their_number_survives_a_lost_section_header)
{
	fill_70000();
	w.lost = true;
	opencore_must(&o, cw_finish(&w), NULL);
	ck_assert_uint_eq(n_segments(), 70001);
}
END_TEST

START_TEST(a_core_cut_in_its_program_headers_says_so)
{
	fill_70000();
	w.lost = true;
	struct bytes b = cw_finish(&w);
	b.len = 64 + 56 * 1000 + 20;
	opencore_must(&o, b, NULL);
	ck_assert_uint_eq(n_segments(), 999);
	ck_assert(core_info(o.core)->truncated);
	const struct findings *f = core_findings(o.core);
	ck_assert_str_eq(f->at[0].kind, "truncated");
	ck_assert_ptr_nonnull(strstr(f->at[0].text, "69002 of 70002"));
}
END_TEST

START_TEST(a_truncated_core_counts_what_is_missing)
{
	cw_sample(&w, CORE_AMD64);
	struct bytes b = cw_finish(&w);
	b.len -= 0x300; // all of the last saved segment, half the one before
	opencore_must(&o, b, NULL);
	const struct core_info *info = core_info(o.core);
	const uint8_t *view;
	ck_assert(info->truncated);
	ck_assert_uint_eq(info->missing_bytes, 0x300);
	ck_assert_uint_eq(info->file_bytes, b.len);
	ck_assert_uint_eq(core_saved_bytes(o.core, 0, UINT64_MAX), 0x200);
	ck_assert_uint_eq(core_mapped_bytes(o.core, 0, UINT64_MAX), 0x1800);
	ck_ok(core_view(o.core, 0x5000, 0x100, &view, &o.err), &o.err);
	ck_fails(core_view(o.core, 0x5000, 0x101, &view, &o.err), &o.err,
		 HC_UNSAVED, 0x5100);
	const struct findings *f = core_findings(o.core);
	ck_assert_uint_eq(f->at[0].at, 0x5100);
	ck_assert_ptr_nonnull(strstr(finding_of(o.core, "truncated"), "768"));
}
END_TEST

START_TEST(overlapping_segments_are_taken_once)
{
	cw_init(&w, CORE_AMD64);
	cw_load(&w, 0x2000, 0x200, 0x200, CORE_R);
	cw_load(&w, 0x1000, 0x1100, 0x1100, CORE_R);
	opencore_must(&o, cw_finish(&w), NULL);
	ck_assert_uint_eq(n_segments(), 2);
	ck_assert_uint_eq(core_mapped_bytes(o.core, 0, UINT64_MAX), 0x1200);
	ck_assert_uint_eq(core_saved_bytes(o.core, 0, UINT64_MAX), 0x1200);
	ck_assert_ptr_nonnull(finding_of(o.core, "overlap"));
	for (taddr at = 0x1000; at < 0x2200; at++) {
		uint8_t v;
		ck_ok(core_u8(o.core, at, &v, &o.err), &o.err);
		ck_assert_uint_eq(v, cw_byte(at));
	}
}
END_TEST

START_TEST(a_segment_ends_with_the_address_space)
{
	cw_init(&w, CORE_AMD64);
	cw_load(&w, 0xffffffffff600000, 0x1000, 0x10, CORE_X);
	cw_load(&w, UINT64_MAX - 0xfff, 0x2000, 0x10, CORE_R);
	opencore_must(&o, cw_finish(&w), NULL);
	uint8_t v;
	ck_ok(core_u8(o.core, 0xffffffffff600004, &v, &o.err), &o.err);
	ck_ok(core_u8(o.core, UINT64_MAX - 0xff8, &v, &o.err), &o.err);
	ck_assert_ptr_nonnull(finding_of(o.core, "bad segment"));
	walk_all(o.core);
}
END_TEST

START_TEST(a_core_without_segments_or_notes_opens)
{
	cw_init(&w, CORE_AMD64);
	opencore_must(&o, cw_finish(&w), NULL);
	ck_assert_uint_eq(n_segments(), 0);
	walk_all(o.core);
}
END_TEST

Suite *segments_suite(void)
{
	Suite *s = suite_create("segments");
	TCase *tc = tcase_create("segments");
	tcase_set_timeout(tc, 30);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, more_than_65534_segments_are_read);
	tcase_add_test(tc, their_number_survives_a_lost_section_header);
	tcase_add_test(tc, a_core_cut_in_its_program_headers_says_so);
	tcase_add_test(tc, a_truncated_core_counts_what_is_missing);
	tcase_add_test(tc, overlapping_segments_are_taken_once);
	tcase_add_test(tc, a_segment_ends_with_the_address_space);
	tcase_add_test(tc, a_core_without_segments_or_notes_opens);
	suite_add_tcase(s, tc);
	return s;
}
