// test_vars.c: variables of functions, their scopes and where they are.
#include "libdwarfread/tests/ck.h"
#include "libdwarfread/tests/varswriter.h"

static struct desk desk;
static struct dwarf_var *vars;
static uint64_t n_vars;
static uint32_t func_ref, abstract_ref, inner_ref;

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

// put_lists_5 writes a location list of every kind of entry, and begins both
// sections with their header.
static void put_lists_5(void)
{
	struct buf *l = &desk.w.loclists;
	put_fixed(&desk.w.addr, 0, 8);
	put_fixed(&desk.w.addr, 0x1000, 8);
	put_fixed(&desk.w.addr, 0x2000, 8);
	for (int i = 0; i < 2; i++) {
		struct buf *b = i ? &desk.w.rnglists : l;
		put_fixed(b, 0, 4);
		put_fixed(b, 5, 2);
		put_u8(b, 8);
		put_fixed(b, 0, 5);
	}
	static const uint8_t entries[] = {
		1, 1, // base: address 1
		4, 0x10, 0x20, 1, 0x50, // offset_pair
		3, 0, 0x08, 1, 0x51, // startx_length
		2, 0, 1, 1, 0x52, // startx_endx
	};
	for (size_t i = 0; i < sizeof(entries); i++)
		put_u8(l, entries[i]);
	put_u8(l, 8); // start_length
	put_fixed(l, 0x5000, 8);
	put_u8(l, 4);
	put_fixed(l, 0x5301, 2);
	put_u8(l, 7); // start_end
	put_fixed(l, 0x6000, 8);
	put_fixed(l, 0x6010, 8);
	put_fixed(l, 0x5401, 2);
	put_u8(l, 0);
	put_patch(l, 0, l->n - 4, 4);
	put_patch(&desk.w.rnglists, 0, 8, 4);
}

START_TEST(lists_of_dwarf_5_are_read)
{
	static const struct dwarf_range want[] = {
		{ 0x2010, 0x2020 }, { 0x1000, 0x1008 }, { 0x1000, 0x2000 },
		{ 0x5000, 0x5004 }, { 0x6000, 0x6010 },
	};
	put_lists_5();
	vars_head(&desk.w, 5);
	func_ref = vars_func(&desk.w);
	vars_named(&desk.w, LISTED, "x");
	put_fixed(&desk.w.info, 12, 4);
	vars_ends(&desk.w, 2);
	ck_answers(ask(), &desk.err);
	ck_assert_uint_eq(n_vars, 1);
	ck_assert_uint_eq(vars[0].n_locations, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct dwarf_location *at = &vars[0].locations[i];
		ck_assert_uint_eq(at->range.low, want[i].low);
		ck_assert_uint_eq(at->range.high, want[i].high);
		ck_assert_int_eq(at->pieces[0].place, DWARF_IN_REG);
		ck_assert_uint_eq(at->pieces[0].reg, i);
	}
	ck_assert_ptr_null(dwarf_var_at(&vars[0], 0x5004));
	ck_assert_ptr_eq(dwarf_var_at(&vars[0], 0x600f), &vars[0].locations[4]);
}
END_TEST

static void put_pair(struct buf *b, uint64_t low, uint64_t high)
{
	put_fixed(b, low, 8);
	put_fixed(b, high, 8);
}

START_TEST(lists_of_dwarf_4_add_the_base)
{
	struct buf *l = &desk.w.loc;
	put_pair(l, 0x10, 0x20); // from the unit's low_pc
	put_fixed(l, 1, 2);
	put_u8(l, 0x50);
	put_pair(l, UINT64_MAX, 0x8000); // a new base
	put_pair(l, 1, 2);
	put_fixed(l, 1, 2);
	put_u8(l, 0x51);
	put_pair(l, 0, 0);
	vars_head(&desk.w, 4);
	func_ref = vars_func(&desk.w);
	vars_named(&desk.w, LISTED, "x");
	put_fixed(&desk.w.info, 0, 4);
	vars_ends(&desk.w, 2);
	ck_answers(ask(), &desk.err);
	ck_assert_uint_eq(vars[0].n_locations, 2);
	ck_assert_uint_eq(vars[0].locations[0].range.low, 0x1010);
	ck_assert_uint_eq(vars[0].locations[0].range.high, 0x1020);
	ck_assert_uint_eq(vars[0].locations[1].range.low, 0x8001);
	ck_assert_uint_eq(vars[0].locations[1].range.high, 0x8002);
}
END_TEST

// put_nest writes a function with an inlined call in a block of two ranges.
static void put_nest(unsigned version)
{
	static const uint8_t rax[] = { 0x50 };
	abstract_ref = at_info(&desk.w);
	vars_named(&desk.w, ABSTRACT, "main.add");
	inner_ref = at_info(&desk.w);
	vars_named(&desk.w, PARAM, "sum");
	put_fixed(&desk.w.info, 0x77, 4);
	put_u8(&desk.w.info, 1);
	put_u8(&desk.w.info, 0);
	func_ref = vars_func(&desk.w);
	put_u8(&desk.w.info, BLOCK);
	put_fixed(&desk.w.info, version == 5 ? 12 : 0, 4);
	vars_named(&desk.w, LOCAL, "inblock");
	vars_block(&desk.w, rax, 1);
	put_uleb(&desk.w.info, 0);
	put_u8(&desk.w.info, INLINED);
	put_fixed(&desk.w.info, abstract_ref, 4);
	put_fixed(&desk.w.info, 0x1010, 8);
	put_fixed(&desk.w.info, 0x1014, 8);
	put_u8(&desk.w.info, ORIGIN);
	put_fixed(&desk.w.info, inner_ref, 4);
	vars_block(&desk.w, rax, 1);
	put_fixed(&desk.w.info, 0, 2);
	vars_named(&desk.w, LOCAL, "behind");
	vars_block(&desk.w, rax, 1);
	put_uleb(&desk.w.info, 0);
	vars_ends(&desk.w, 2);
}

START_TEST(scopes_and_inlined_calls_are_told_apart)
{
	const unsigned version = (unsigned)_i;
	if (version == 5) {
		put_lists_5();
		static const uint8_t entries[] = { 5, 0, 0x10, 0, 0, 0, 0, 0, 0,
						   4, 0, 0x20, 4, 0x30, 0x40,
						   0 };
		for (size_t i = 0; i < sizeof(entries); i++)
			put_u8(&desk.w.rnglists, entries[i]);
		put_patch(&desk.w.rnglists, 0, desk.w.rnglists.n - 4, 4);
	} else {
		put_pair(&desk.w.ranges, 0, 0x20);
		put_pair(&desk.w.ranges, 0x30, 0x40);
		put_pair(&desk.w.ranges, 0, 0);
	}
	vars_head(&desk.w, version);
	put_nest(version);
	ck_answers(ask(), &desk.err);
	ck_assert_uint_eq(n_vars, 3);
	ck_assert_str_eq(vars[0].name, "inblock");
	ck_assert_uint_eq(vars[0].n_scopes, 2);
	ck_assert_uint_eq(vars[0].scopes[0].low, 0x1000);
	ck_assert_uint_eq(vars[0].scopes[1].high, 0x1040);
	ck_assert_uint_eq(vars[0].inlined, 0);
	ck_assert_ptr_nonnull(dwarf_var_at(&vars[0], 0x1030));
	ck_assert_ptr_null(dwarf_var_at(&vars[0], 0x1020));
	ck_assert_str_eq(vars[1].name, "sum"); // through its origin
	ck_assert_uint_eq(vars[1].type, 0x77);
	ck_assert(vars[1].is_param && vars[1].is_result);
	ck_assert_uint_eq(vars[1].inlined, abstract_ref);
	ck_assert_ptr_null(dwarf_var_at(&vars[1], 0x1014));
	ck_assert_str_eq(vars[2].name, "behind");
	ck_assert_uint_eq(vars[2].n_scopes, 0);
	ck_assert_uint_eq(vars[2].inlined, 0);
}
END_TEST

START_TEST(a_function_in_two_parts_is_found_in_both)
{
	struct dwarf_func f;
	put_pair(&desk.w.ranges, 0, 0x20);
	put_pair(&desk.w.ranges, 0x400, 0x440);
	put_pair(&desk.w.ranges, 0, 0);
	vars_head(&desk.w, 4);
	vars_named(&desk.w, SPLIT, "cold");
	put_fixed(&desk.w.info, 0, 4);
	vars_ends(&desk.w, 1);
	desk_read(&desk);
	ck_answers(dwarf_find_func(desk.d, 0x143f, &f, &desk.err), &desk.err);
	ck_assert_str_eq(f.name, "cold");
	ck_answers(dwarf_find_func(desk.d, 0x1000, &f, &desk.err), &desk.err);
	ck_assert_int_eq(dwarf_find_func(desk.d, 0x1020, &f, &desk.err),
			 HC_NONE);
}
END_TEST

START_TEST(a_list_that_lost_its_end_is_refused)
{
	vars_head(&desk.w, 4);
	for (int i = 0; i < 400000; i++) {
		put_pair(&desk.w.loc, 1, 2);
		put_fixed(&desk.w.loc, 0, 2);
	}
	func_ref = vars_func(&desk.w);
	for (int i = 0; i < 1000; i++) {
		vars_named(&desk.w, LISTED, "x");
		put_fixed(&desk.w.info, 0, 4);
	}
	vars_ends(&desk.w, 2);
	desk_read(&desk);
	uint64_t used = pool_used(&desk.pool);
	ck_fails(ask(), &desk.err, LIMIT);
	ck_assert_uint_lt(pool_used(&desk.pool) - used, 1u << 20);
}
END_TEST

START_TEST(a_list_out_of_its_section_costs_one_variable)
{
	vars_head(&desk.w, 4);
	put_pair(&desk.w.loc, 1, 2);
	func_ref = vars_func(&desk.w);
	vars_named(&desk.w, LISTED, "cut");
	put_fixed(&desk.w.info, 0, 4);
	vars_named(&desk.w, LISTED, "outside");
	put_fixed(&desk.w.info, 0x7fffffff, 4);
	vars_ends(&desk.w, 2);
	ck_answers(ask(), &desk.err);
	ck_assert_uint_eq(n_vars, 2);
	ck_assert_uint_eq(vars[0].n_locations + vars[1].n_locations, 0);
	ck_assert_ptr_null(dwarf_var_at(&vars[0], 0x1000));
	ck_assert_ptr_nonnull(dwarf_trouble(desk.d)->first.src);
}
END_TEST

START_TEST(broken_lists_do_not_cost_the_functions)
{
	struct dwarf_func f;
	put_lists_5();
	put_patch(&desk.w.rnglists, 0, 0x7fffffff, 4);
	put_patch(&desk.w.loclists, 0, 0, 4);
	vars_head(&desk.w, 5);
	func_ref = vars_func(&desk.w);
	for (int i = 0; i < 2; i++) { // libdwarf fails once, then goes on
		vars_named(&desk.w, LISTED, "x");
		put_fixed(&desk.w.info, 12, 4);
	}
	vars_ends(&desk.w, 2);
	ck_answers(ask(), &desk.err);
	ck_assert_uint_eq(n_vars, 2);
	ck_assert_uint_eq(vars[0].n_locations, 0);
	ck_assert_uint_eq(vars[1].n_locations, 0);
	ck_answers(dwarf_find_func(desk.d, 0x1000, &f, &desk.err), &desk.err);
	ck_assert_str_eq(f.name, "main.f");
}
END_TEST

START_TEST(scopes_too_deep_are_refused)
{
	vars_head(&desk.w, 4);
	put_pair(&desk.w.ranges, 0, 0);
	func_ref = vars_func(&desk.w);
	for (int i = 0; i < 1000; i++) {
		put_u8(&desk.w.info, BLOCK);
		put_fixed(&desk.w.info, 0, 4);
	}
	vars_ends(&desk.w, 2);
	ck_fails(ask(), &desk.err, LIMIT);
}
END_TEST

Suite *vars_suite(void)
{
	Suite *s = suite_create("vars");
	TCase *t = tcase_create("vars");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, lists_of_dwarf_5_are_read);
	tcase_add_test(t, lists_of_dwarf_4_add_the_base);
	tcase_add_loop_test(t, scopes_and_inlined_calls_are_told_apart, 4, 6);
	tcase_add_test(t, a_function_in_two_parts_is_found_in_both);
	tcase_add_test(t, a_list_that_lost_its_end_is_refused);
	tcase_add_test(t, a_list_out_of_its_section_costs_one_variable);
	tcase_add_test(t, broken_lists_do_not_cost_the_functions);
	tcase_add_test(t, scopes_too_deep_are_refused);
	suite_add_tcase(s, t);
	return s;
}
