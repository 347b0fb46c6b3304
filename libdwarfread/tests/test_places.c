// test_places.c: location expressions, one of each kind.
#include "libdwarfread/tests/ck.h"
#include "libdwarfread/tests/varswriter.h"

static struct desk desk;
static struct dwarf_var *vars;
static uint64_t n_vars;
static uint32_t func_ref;

static void setup(void)
{
	desk_open(&desk);
}

static void teardown(void)
{
	desk_close(&desk);
}

static enum hc ask(void)
{
	desk_read(&desk);
	return dwarf_func_vars(desk.d, func_ref, &desk.pool, &vars, &n_vars,
			       &desk.err);
}

static const struct {
	uint8_t ops[32];
	unsigned len;
	uint32_t n;
	struct dwarf_piece pieces[3];
} places[] = {
	{ { 0 }, 0, 1, { { DWARF_NOWHERE, 0, 0, 0 } } },
	{ { 0x9c }, 1, 1, { { DWARF_AT_CFA, 0, 0, 0 } } },
	{ { 0x91, 0x70 }, 2, 1, { { DWARF_AT_CFA, 0, -16, 0 } } },
	{ { 0x9c, 0x11, 0x78, 0x22 }, 4, 1, { { DWARF_AT_CFA, 0, -8, 0 } } },
	{ { 0x9c, 0x23, 8 }, 3, 1, { { DWARF_AT_CFA, 0, 8, 0 } } },
	{ { 0x9c, 0x38, 0x1c }, 3, 1, { { DWARF_AT_CFA, 0, -8, 0 } } },
	{ { 0x53 }, 1, 1, { { DWARF_IN_REG, 3, 0, 0 } } },
	{ { 0x90, 33 }, 2, 1, { { DWARF_IN_REG, 33, 0, 0 } } },
	{ { 0x77, 8 }, 2, 1, { { DWARF_AT_REG, 7, 8, 0 } } },
	{ { 0x92, 33, 0x7f }, 3, 1, { { DWARF_AT_REG, 33, -1, 0 } } },
	{ { 0x03, 0x20, 0x4b, 0x65 }, 9, 1,
	  { { DWARF_AT_ADDR, 0, 0x654b20, 0 } } },
	{ { 0xa1, 1 }, 2, 1, { { DWARF_AT_ADDR, 0, 0x700000, 0 } } },
	{ { 0x35, 0x9f }, 2, 1, { { DWARF_IS_VALUE, 0, 5, 0 } } },
	{ { 0x09, 0xff, 0x9f }, 3, 1, { { DWARF_IS_VALUE, 0, -1, 0 } } },
	{ { 0x50, 0x93, 8, 0x93, 8, 0x91, 0x10, 0x93, 8 }, 9, 3,
	  { { DWARF_IN_REG, 0, 0, 8 }, { DWARF_NOWHERE, 0, 0, 8 },
	    { DWARF_AT_CFA, 0, 16, 8 } } },
	{ { 0x9c, 0x06 }, 2, 1, { { DWARF_UNCLEAR, 0, 0, 0 } } }, // deref
	{ { 0x77, 8, 0x9f }, 3, 1, { { DWARF_UNCLEAR, 0, 0, 0 } } },
	{ { 0x77, 8, 0x77, 8, 0x22 }, 5, 1, { { DWARF_UNCLEAR, 0, 0, 0 } } },
	{ { 0x38, 0x77, 8, 0x1c }, 4, 1, { { DWARF_UNCLEAR, 0, 0, 0 } } },
	{ { 0x22 }, 1, 1, { { DWARF_UNCLEAR, 0, 0, 0 } } },
	{ { 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30 }, 10,
	  1, { { DWARF_UNCLEAR, 0, 0, 0 } } },
};

START_TEST(expressions_become_places)
{
	vars_head(&desk.w, 5);
	put_fixed(&desk.w.addr, 0, 16);
	put_fixed(&desk.w.addr, 0x700000, 8);
	func_ref = vars_func(&desk.w);
	vars_named(&desk.w, LOCAL, "x");
	vars_block(&desk.w, places[_i].ops, places[_i].len);
	put_uleb(&desk.w.info, 16);
	vars_ends(&desk.w, 2);
	ck_answers(ask(), &desk.err);
	ck_assert_uint_eq(n_vars, 1);
	ck_assert_str_eq(vars[0].name, "x");
	ck_assert_uint_eq(vars[0].closure_off, 17);
	const struct dwarf_location *at = dwarf_var_at(&vars[0], 0x1010);
	ck_assert_ptr_nonnull(at);
	ck_assert_uint_eq(at->n_pieces, places[_i].n);
	for (uint32_t i = 0; i < at->n_pieces; i++) {
		const struct dwarf_piece *got = &at->pieces[i];
		const struct dwarf_piece *want = &places[_i].pieces[i];
		ck_assert_int_eq(got->place, want->place);
		ck_assert_uint_eq(got->len, want->len);
		if (want->place != DWARF_UNCLEAR) {
			ck_assert_uint_eq(got->reg, want->reg);
			ck_assert_int_eq(got->off, want->off);
		}
	}
}
END_TEST

Suite *places_suite(void)
{
	Suite *s = suite_create("places");
	TCase *t = tcase_create("places");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, expressions_become_places, 0,
			    sizeof(places) / sizeof(places[0]));
	suite_add_tcase(s, t);
	return s;
}
