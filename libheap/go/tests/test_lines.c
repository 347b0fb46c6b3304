// test_lines.c: logical frames, with and without inlining.
#include "libheap/go/tests/sample.h"

Suite *lines_suite(void);

static struct gowriter w;
static const unsigned minors[] = { 18, 19, 20, 21, 24, 27 };
enum { N_MINORS = sizeof(minors) / sizeof(minors[0]) };

static unsigned lines_at(const struct gw_core *c, taddr pc,
			 struct go_line *ret, unsigned max)
{
	struct go_func f;
	ck_assert(!go_func_at(&c->process, pc, &f));
	return go_lines(&c->process, &f, pc, ret, max);
}

START_TEST(a_plain_pc_is_one_frame)
{
	struct gw_core c;
	struct go_line l[4];
	sample_make(&w, CORE_AMD64, minors[_i]);
	gw_modules(&w, &c);
	ck_assert_uint_eq(lines_at(&c, GW_TEXT + 2, l, 4), 1);
	ck_assert_str_eq(l[0].function, "main.caller");
	ck_assert_str_eq(l[0].file, "/a/a.go");
	ck_assert_uint_eq(l[0].line, 10);
	ck_assert(!l[0].inlined);
	ck_assert_uint_eq(lines_at(&c, GW_TEXT + 0x100, l, 4), 1);
	ck_assert_uint_eq(l[0].line, 10);
	gw_close(&c);
}
END_TEST

START_TEST(an_inlined_call_is_two_frames)
{
	struct gw_core c;
	struct go_line l[4];
	sample_make(&w, CORE_AMD64, minors[_i]);
	gw_modules(&w, &c);
	ck_assert_uint_eq(lines_at(&c, GW_TEXT + 12, l, 4), 2);
	ck_assert_str_eq(l[0].function, "main.inlined");
	ck_assert_str_eq(l[0].file, "/b/b.go");
	ck_assert_uint_eq(l[0].line, 20);
	ck_assert_uint_eq(l[0].func_id, 21);
	ck_assert(l[0].inlined);
	ck_assert_str_eq(l[1].function, "main.caller");
	ck_assert_str_eq(l[1].file, "/a/a.go");
	ck_assert_uint_eq(l[1].line, 11);
	ck_assert(!l[1].inlined);
	ck_assert_uint_eq(lines_at(&c, GW_TEXT + 12, l, 1), 1);
	ck_assert_uint_eq(lines_at(&c, GW_TEXT + 12, l, 0), 0);
	gw_close(&c);
}
END_TEST

START_TEST(a_function_without_tables_has_its_name)
{
	struct gw_core c;
	struct go_line l[4];
	sample_make(&w, CORE_AMD64, minors[_i]);
	gw_modules(&w, &c);
	ck_assert_uint_eq(lines_at(&c, GW_TEXT + 0x190, l, 4), 1);
	ck_assert_str_eq(l[0].function, "main.b");
	ck_assert_ptr_null(l[0].file);
	ck_assert_uint_eq(l[0].line, 0);
	gw_close(&c);
}
END_TEST

START_TEST(a_tree_that_is_a_circle_ends)
{
	struct gw_core c;
	struct go_line l[16];
	sample_make(&w, CORE_AMD64, minors[_i]);
	// The call now stands where it leads to.
	uint8_t *tree = memmem(w.rodata, GW_SEGMENT, w.gofunc, w.gofunc_len);
	tree[minors[_i] < 20 ? 16 : 8] = 12;
	gw_modules(&w, &c);
	ck_assert_uint_eq(lines_at(&c, GW_TEXT + 12, l, 16), 16);
	gw_close(&c);
}
END_TEST

Suite *lines_suite(void)
{
	Suite *s = suite_create("lines");
	TCase *t = tcase_create("lines");
	tcase_add_loop_test(t, a_plain_pc_is_one_frame, 0, N_MINORS);
	tcase_add_loop_test(t, an_inlined_call_is_two_frames, 0, N_MINORS);
	tcase_add_loop_test(t, a_function_without_tables_has_its_name, 0,
			    N_MINORS);
	tcase_add_loop_test(t, a_tree_that_is_a_circle_ends, 0, N_MINORS);
	suite_add_tcase(s, t);
	return s;
}
