// test_forms.c: each form of attribute is stepped over, and read.
#include "libdwarfread/tests/ck.h"

static struct desk desk;

static void setup(void)
{
	desk_open(&desk);
}

static void teardown(void)
{
	desk_close(&desk);
}

// Each form with n bytes of a value that is stepped over: 0xff where the form
// says how long it is by itself, else as written.
static const struct {
	unsigned form;
	uint8_t bytes[24];
	unsigned n;
} forms[] = {
	{ FORM_ADDR, { 1 }, 8 },
	{ FORM_BLOCK2, { 3, 0, 9, 9, 9 }, 5 },
	{ FORM_BLOCK4, { 2, 0, 0, 0, 9, 9 }, 6 },
	{ FORM_DATA2, { 9, 9 }, 2 },
	{ FORM_DATA4, { 9, 9, 9, 9 }, 4 },
	{ FORM_DATA8, { 9 }, 8 },
	{ FORM_STRING, { 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 0 }, 10 },
	{ FORM_BLOCK, { 2, 0, 0 }, 3 },
	{ FORM_BLOCK1, { 4, 0, 0, 0, 0 }, 5 },
	{ FORM_DATA1, { 0 }, 1 },
	{ FORM_FLAG, { 1 }, 1 },
	{ FORM_SDATA, { 0x80, 0x80, 0x7f }, 3 },
	{ FORM_STRP, { 0 }, 4 },
	{ FORM_UDATA, { 0xff, 0xff, 0x03 }, 3 },
	{ FORM_REF_ADDR, { 0 }, 4 },
	{ FORM_REF1, { 0 }, 1 },
	{ FORM_REF2, { 0 }, 2 },
	{ FORM_REF4, { 0 }, 4 },
	{ FORM_REF8, { 0 }, 8 },
	{ FORM_REF_UDATA, { 0x81, 0 }, 2 },
	{ FORM_INDIRECT, { FORM_UDATA, 0x81, 0 }, 3 },
	{ FORM_SEC_OFFSET, { 0 }, 4 },
	{ FORM_EXPRLOC, { 1, 0x9c }, 2 },
	{ FORM_FLAG_PRESENT, { 0 }, 0 },
	{ FORM_STRX, { 0 }, 1 },
	{ FORM_ADDRX, { 0x80, 0 }, 2 },
	{ FORM_REF_SUP4, { 0 }, 4 },
	{ FORM_STRP_SUP, { 0 }, 4 },
	{ FORM_DATA16, { 0 }, 16 },
	{ FORM_LINE_STRP, { 0 }, 4 },
	{ FORM_REF_SIG8, { 0 }, 8 },
	{ FORM_LOCLISTX, { 0 }, 1 },
	{ FORM_RNGLISTX, { 0 }, 1 },
	{ FORM_REF_SUP8, { 0 }, 8 },
	{ FORM_STRX1, { 0 }, 1 },
	{ FORM_STRX2, { 0 }, 2 },
	{ FORM_STRX3, { 0 }, 3 },
	{ FORM_STRX4, { 0 }, 4 },
	{ FORM_ADDRX1, { 0 }, 1 },
	{ FORM_ADDRX2, { 0 }, 2 },
	{ FORM_ADDRX3, { 0 }, 3 },
	{ FORM_ADDRX4, { 0 }, 4 },
	{ FORM_GNU_REF_ALT, { 0 }, 4 },
	{ FORM_GNU_STRP_ALT, { 0 }, 4 },
};
enum { N_FORMS = sizeof(forms) / sizeof(forms[0]) };

static struct dwarf_type type_named(const char *name)
{
	struct dwarf_type t;
	ck_answers(dwarf_find_types(desk.d, &name, 1, &t, &desk.err),
		   &desk.err);
	return t;
}

START_TEST(every_form_is_stepped_over)
{
	struct dw_writer *w = &desk.w;
	put_abbrev(w, 1, TAG_COMPILE_UNIT, true, AT_NAME, FORM_STRING, 0);
	put_abbrev(w, 2, TAG_BASE, false, AT_UNKNOWN, forms[_i].form, AT_NAME,
		   FORM_STRING, AT_UNKNOWN, forms[_i].form, AT_BYTE_SIZE,
		   FORM_UDATA, 0);
	put_u8(&w->abbrev, 0);
	put_unit(w, 5, 8);
	put_uleb(&w->info, 1);
	put_str(&w->info, "a.c");
	for (int i = 0; i < 2; i++) {
		put_uleb(&w->info, 2);
		for (unsigned k = 0; k < forms[_i].n; k++)
			put_u8(&w->info, forms[_i].bytes[k]);
		put_str(&w->info, i ? "second" : "first");
		for (unsigned k = 0; k < forms[_i].n; k++)
			put_u8(&w->info, forms[_i].bytes[k]);
		put_uleb(&w->info, 1000u + (unsigned)i);
	}
	put_u8(&w->info, 0);
	put_unit_end(w);
	desk_read(&desk);
	ck_assert_uint_eq(type_named("first").len, 1000);
	ck_assert_uint_eq(type_named("second").len, 1001);
	ck_assert_ptr_null(dwarf_trouble(desk.d)->first.src);
}
END_TEST

START_TEST(names_come_from_every_string_section)
{
	struct dw_writer *w = &desk.w;
	static const unsigned name_forms[] = { FORM_STRING, FORM_STRP,
					       FORM_LINE_STRP, FORM_STRX,
					       FORM_STRX1, FORM_STRX4 };
	static const char *const names[] = { "inline", "strp", "line", "strx",
					     "strx1", "strx4" };
	put_abbrev(w, 9, TAG_COMPILE_UNIT, true, AT_STR_BASE, FORM_SEC_OFFSET,
		   0);
	for (unsigned i = 0; i < 6; i++)
		put_abbrev(w, i + 1, TAG_BASE, false, AT_NAME, name_forms[i],
			   AT_BYTE_SIZE, FORM_DATA1, 0);
	put_u8(&w->abbrev, 0);
	put_str(&w->str, "?");
	put_fixed(&w->str_offsets, 0, 8); // a header
	for (unsigned i = 3; i < 6; i++) {
		put_fixed(&w->str_offsets, w->str.n, 4);
		put_str(&w->str, names[i]);
	}
	put_unit(w, 5, 8);
	put_uleb(&w->info, 9);
	put_fixed(&w->info, 8, 4);
	put_u8(&w->info, 1);
	put_str(&w->info, "inline");
	put_u8(&w->info, 1);
	put_u8(&w->info, 2);
	put_fixed(&w->info, w->str.n, 4);
	put_str(&w->str, "strp");
	put_u8(&w->info, 2);
	put_u8(&w->info, 3);
	put_fixed(&w->info, 0, 4);
	put_str(&w->line_str, "line");
	put_u8(&w->info, 3);
	for (unsigned i = 3; i < 6; i++) {
		put_u8(&w->info, i + 1);
		put_fixed(&w->info, i - 3, i == 5 ? 4 : 1);
		put_u8(&w->info, i + 1);
	}
	put_u8(&w->info, 0);
	put_unit_end(w);
	desk_read(&desk);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(type_named(names[i]).len, i + 1);
}
END_TEST

START_TEST(an_implicit_constant_is_the_abbreviations)
{
	struct dw_writer *w = &desk.w;
	put_abbrev(w, 1, TAG_COMPILE_UNIT, true, AT_UNKNOWN, FORM_DATA1, 0);
	put_uleb(&w->abbrev, 2);
	put_uleb(&w->abbrev, TAG_CONSTANT);
	put_u8(&w->abbrev, 0);
	put_uleb(&w->abbrev, AT_NAME);
	put_uleb(&w->abbrev, FORM_STRING);
	put_uleb(&w->abbrev, AT_CONST_VALUE);
	put_uleb(&w->abbrev, FORM_IMPLICIT_CONST);
	put_sleb(&w->abbrev, -5);
	put_fixed(&w->abbrev, 0, 3);
	put_unit(w, 5, 8);
	put_u8(&w->info, 1);
	put_u8(&w->info, 0);
	put_u8(&w->info, 2);
	put_str(&w->info, "k");
	put_u8(&w->info, 0);
	put_unit_end(w);
	desk_read(&desk);
	static const char *const name = "k";
	struct dwarf_constant c;
	ck_answers(dwarf_find_constants(desk.d, &name, 1, &c, &desk.err),
		   &desk.err);
	ck_assert_int_eq(c.value, -5);
}
END_TEST

START_TEST(an_unknown_form_costs_its_unit_alone)
{
	struct dw_writer *w = &desk.w;
	put_abbrev(w, 1, TAG_COMPILE_UNIT, true, AT_UNKNOWN, FORM_DATA1, 0);
	put_abbrev(w, 2, TAG_BASE, false, AT_NAME, FORM_STRING, 0);
	put_abbrev(w, 3, TAG_BASE, false, AT_UNKNOWN, 0x7eu, AT_NAME,
		   FORM_STRING, 0);
	put_u8(&w->abbrev, 0);
	for (int i = 0; i < 2; i++) {
		put_unit(w, 4, 8);
		put_fixed(&w->info, 0x0001, 2);
		put_u8(&w->info, 2);
		put_str(&w->info, i ? "later" : "before");
		put_u8(&w->info, i ? 2 : 3);
		put_str(&w->info, i ? "last" : "behind");
		put_u8(&w->info, 0);
		put_unit_end(w);
	}
	desk_read(&desk);
	ck_assert_uint_ne(type_named("before").ref, 0);
	ck_assert_uint_eq(type_named("behind").ref, 0);
	ck_assert_uint_ne(type_named("last").ref, 0);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_dropped, 1);
	ck_assert_ptr_nonnull(dwarf_trouble(desk.d)->first.src);
}
END_TEST

Suite *forms_suite(void)
{
	Suite *s = suite_create("forms");
	TCase *t = tcase_create("forms");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, every_form_is_stepped_over, 0, N_FORMS);
	tcase_add_test(t, names_come_from_every_string_section);
	tcase_add_test(t, an_implicit_constant_is_the_abbreviations);
	tcase_add_test(t, an_unknown_form_costs_its_unit_alone);
	suite_add_tcase(s, t);
	return s;
}
