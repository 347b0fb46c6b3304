// test_questions.c: what is asked by name, of a program as Go's linker writes
// it (put_go_program).
#include "libdwarfread/tests/ck.h"

static struct desk desk;

static void setup(void)
{
	desk_open(&desk);
	put_go_program(&desk.w);
	desk_read(&desk);
}

static void teardown(void)
{
	desk_close(&desk);
}

static struct dwarf_type type_named(const char *name)
{
	struct dwarf_type t;
	ck_answers(dwarf_find_structs(desk.d, &name, 1, &t, &desk.err),
		   &desk.err);
	return t;
}

START_TEST(structs_are_found_with_their_length_and_kind)
{
	struct dwarf_type t = type_named("runtime.g");
	ck_assert_int_eq(t.kind, DWARF_STRUCT);
	ck_assert_uint_eq(t.len, 224);
	ck_assert_uint_eq(t.go_kind, 25);
	ck_assert_uint_eq(t.go_type, 0x200);
	ck_assert_str_eq(t.name, "runtime.g");
}
END_TEST

START_TEST(a_struct_is_preferred_to_its_typedef)
{
	ck_assert_int_eq(type_named("runtime.gobuf").kind, DWARF_STRUCT);
}
END_TEST

START_TEST(names_that_are_not_there_are_left_empty)
{
	static const char *const names[] = { "runtime.nosuch", "runtime.g",
					     "runtime.", "" };
	struct dwarf_type t[4];
	ck_answers(dwarf_find_structs(desk.d, names, 4, t, &desk.err),
		   &desk.err);
	ck_assert_uint_eq(t[0].ref, 0);
	ck_assert_uint_ne(t[1].ref, 0);
	ck_assert_uint_eq(t[2].ref, 0);
	ck_assert_uint_eq(t[3].ref, 0);
}
END_TEST

START_TEST(many_names_are_found_at_once)
{
	enum { N = 1000 };
	const char *names[N];
	struct dwarf_type *t = pool_new(&desk.pool, struct dwarf_type, N);
	for (int i = 0; i < N; i++)
		names[i] = i % 3 == 0 ? "runtime.g" :
			   i % 3 == 1 ? "runtime.gobuf" : "runtime.none";
	ck_answers(dwarf_find_structs(desk.d, names, N, t, &desk.err),
		   &desk.err);
	for (int i = 0; i < N; i++)
		ck_assert_uint_eq(t[i].len, i % 3 == 0 ? 224 :
					    i % 3 == 1 ? 24 : 0);
}
END_TEST

static const struct {
	const char *path;
	uint64_t off, len, count, stride;
} paths[] = {
	{ "goid", 0, 8, 0, 0 },
	{ "gobuf", 8, 24, 0, 0 },
	{ "gobuf.pc", 16, 8, 0, 0 },
	{ "pc", 16, 8, 0, 0 }, // promoted
	{ "rows", 32, 192, 2, 96 },
	{ "rows[0]", 32, 96, 4, 24 },
	{ "rows[1][3].lr", 32 + 96 + 72 + 16, 8, 0, 0 },
	{ "", 0, 224, 0, 0 },
};

START_TEST(paths_lead_to_offsets)
{
	struct dwarf_field f;
	ck_answers(dwarf_field_at(desk.d, type_named("runtime.g").ref,
				  paths[_i].path, &f, &desk.err), &desk.err);
	ck_assert_uint_eq(f.off, paths[_i].off);
	ck_assert_uint_eq(f.len, paths[_i].len);
	ck_assert_uint_eq(f.count, paths[_i].count);
	ck_assert_uint_eq(f.stride, paths[_i].stride);
}
END_TEST

static const char *const no_paths[] = {
	"nosuch", "goi", "goidd", "goid.x", "rows[2]", "rows[0][4]", "rows.pc",
	"rows[", "rows[x]", "rows[18446744073709551616]", "gobuf[0]", "[0]",
	".", "gobuf.", "gobuf..pc",
};

START_TEST(paths_that_lead_nowhere_are_none)
{
	struct dwarf_field f = { .off = 77 };
	ck_assert_int_eq(dwarf_field_at(desk.d, type_named("runtime.g").ref,
					no_paths[_i], &f, &desk.err), HC_NONE);
	ck_assert_uint_eq(f.off, 77);
}
END_TEST

START_TEST(members_come_in_order_and_nested_types_are_none)
{
	static const char *const want[] = { "goid", "gobuf", "rows" };
	struct dwarf_members it;
	struct dwarf_member m;
	ck_answers(dwarf_members_of(desk.d, type_named("runtime.g").ref, &it,
				    &desk.err), &desk.err);
	for (int i = 0; i < 3; i++) {
		ck_answers(dwarf_members_next(&it, &m, &desk.err), &desk.err);
		ck_assert_str_eq(m.name, want[i]);
		ck_assert_int_eq(m.embedded, i == 1);
	}
	ck_assert_int_eq(dwarf_members_next(&it, &m, &desk.err), HC_NONE);
	ck_assert_int_eq(dwarf_members_next(&it, &m, &desk.err), HC_NONE);
}
END_TEST

START_TEST(maps_say_their_key_and_value)
{
	static const char *const names[] = { "map[uintptr]*runtime.g",
					     "uintptr", "*runtime.g" };
	struct dwarf_type t[3];
	ck_answers(dwarf_find_types(desk.d, names, 3, t, &desk.err),
		   &desk.err);
	ck_assert_int_eq(t[0].kind, DWARF_TYPEDEF);
	ck_assert_uint_eq(t[0].key, t[1].ref);
	ck_assert_uint_eq(t[0].value, t[2].ref);
	ck_assert_uint_eq(t[0].len, 8);
	ck_assert_int_eq(t[2].kind, DWARF_POINTER);
	ck_assert_uint_eq(t[2].len, 8);
}
END_TEST

START_TEST(types_are_found_by_their_go_type)
{
	struct dwarf_type t;
	ck_answers(dwarf_find_go_type(desk.d, 0x100, &t, &desk.err), &desk.err);
	ck_assert_str_eq(t.name, "runtime.gobuf");
	ck_answers(dwarf_find_go_type(desk.d, 0x300, &t, &desk.err), &desk.err);
	ck_assert_str_eq(t.name, "map[uintptr]*runtime.g");
	ck_assert_int_eq(dwarf_find_go_type(desk.d, 0x101, &t, &desk.err),
			 HC_NONE);
	ck_assert_int_eq(dwarf_find_go_type(desk.d, 0, &t, &desk.err), HC_NONE);
}
END_TEST

START_TEST(constants_keep_their_sign)
{
	static const char *const names[] = { "runtime.arenaBaseOffsetUintptr",
					     "runtime.none",
					     "runtime.pageSize" };
	struct dwarf_constant c[3];
	ck_answers(dwarf_find_constants(desk.d, names, 3, c, &desk.err),
		   &desk.err);
	ck_assert_int_eq(c[0].value, -140737488355328);
	ck_assert_ptr_null(c[1].name);
	ck_assert_int_eq(c[2].value, 8192);
}
END_TEST

START_TEST(globals_have_addresses_of_both_kinds)
{
	static const char *const names[] = { "runtime.mheap_", "runtime.allgs",
					     "runtime.hidden" };
	struct dwarf_global g[3];
	ck_answers(dwarf_find_globals(desk.d, names, 3, g, &desk.err),
		   &desk.err);
	ck_assert_uint_eq(g[0].addr, 0x654b20);
	ck_assert_uint_eq(g[0].len, 8);
	ck_assert_uint_eq(g[1].addr, 0x700000);
	ck_assert_ptr_null(g[2].name); // a local variable
}
END_TEST

START_TEST(all_globals_can_be_walked)
{
	struct dwarf_global g;
	uint64_t n;
	ck_answers(dwarf_global_count(desk.d, &n, &desk.err), &desk.err);
	ck_assert_uint_eq(n, 2);
	ck_answers(dwarf_global_at(desk.d, 1, &g, &desk.err), &desk.err);
	ck_assert_str_eq(g.name, "runtime.allgs");
	ck_assert_int_eq(dwarf_global_at(desk.d, 2, &g, &desk.err), HC_NONE);
}
END_TEST

START_TEST(functions_are_found_by_any_address_in_them)
{
	struct dwarf_func f;
	ck_answers(dwarf_find_func(desk.d, 0x40103f, &f, &desk.err), &desk.err);
	ck_assert_str_eq(f.name, "runtime.main");
	ck_assert_uint_eq(f.low, 0x401000);
	ck_assert_uint_eq(f.high, 0x401040);
	ck_answers(dwarf_find_func(desk.d, 0x402000, &f, &desk.err), &desk.err);
	ck_assert_str_eq(f.name, "runtime.add"); // through its origin
	ck_assert_int_eq(dwarf_find_func(desk.d, 0x401040, &f, &desk.err),
			 HC_NONE);
	ck_assert_int_eq(dwarf_find_func(desk.d, 0, &f, &desk.err), HC_NONE);
}
END_TEST

START_TEST(a_question_reads_only_the_units_it_needs)
{
	static const char *const name = "runtime.pageSize";
	struct dwarf_constant c;
	put_unit(&desk.w, 5, 8); // a third unit, of another package
	put_uleb(&desk.w.info, 1);
	put_str(&desk.w.info, "main");
	put_u8(&desk.w.info, 0x16);
	put_fixed(&desk.w.info, 8, 4);
	put_u8(&desk.w.info, 0);
	put_unit_end(&desk.w);
	desk_read(&desk);
	ck_answers(dwarf_find_constants(desk.d, &name, 1, &c, &desk.err),
		   &desk.err);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units, 3);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_read, 2);
}
END_TEST

Suite *questions_suite(void)
{
	Suite *s = suite_create("questions");
	TCase *t = tcase_create("questions");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, structs_are_found_with_their_length_and_kind);
	tcase_add_test(t, a_struct_is_preferred_to_its_typedef);
	tcase_add_test(t, names_that_are_not_there_are_left_empty);
	tcase_add_test(t, many_names_are_found_at_once);
	tcase_add_loop_test(t, paths_lead_to_offsets, 0,
			    sizeof(paths) / sizeof(paths[0]));
	tcase_add_loop_test(t, paths_that_lead_nowhere_are_none, 0,
			    sizeof(no_paths) / sizeof(no_paths[0]));
	tcase_add_test(t, members_come_in_order_and_nested_types_are_none);
	tcase_add_test(t, maps_say_their_key_and_value);
	tcase_add_test(t, types_are_found_by_their_go_type);
	tcase_add_test(t, constants_keep_their_sign);
	tcase_add_test(t, globals_have_addresses_of_both_kinds);
	tcase_add_test(t, all_globals_can_be_walked);
	tcase_add_test(t, functions_are_found_by_any_address_in_them);
	tcase_add_test(t, a_question_reads_only_the_units_it_needs);
	suite_add_tcase(s, t);
	return s;
}
