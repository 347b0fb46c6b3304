// test_typename.c: names of types, put together from what memory has.
#include "libheap/go/tests/typewriter.h"

Suite *typename_suite(void);

static const char *name_of(struct typewriter *tw, taddr at)
{
	return go_type_name(tw->types, tw_id(tw, at), &tw->core.pool);
}

START_TEST(named_types_carry_their_import_path)
{
	struct typewriter *tw = tw_begin(26);
	taddr a = tw_struct(tw, 8, 0, "dup.T", NULL, 0);
	taddr b = tw_struct(tw, 8, 0, "dup.T", NULL, 0);
	taddr plain = tw_type(tw, GO_KIND_INT, 8, 0, "int");

	tw_named(tw, a, "zoo/a/dup");
	tw_named(tw, b, "vendor/zoo/b/dup");
	tw_open(tw);
	ck_assert_str_eq(name_of(tw, a), "zoo/a/dup.T");
	ck_assert_str_eq(name_of(tw, b), "vendor/zoo/b/dup.T");
	ck_assert_str_eq(name_of(tw, plain), "int");
	ck_assert_str_eq(go_type_name(tw->types, 0, &tw->core.pool),
			 "unknown");
	tw_close(tw);
}
END_TEST

START_TEST(arguments_of_generic_types_are_kept)
{
	struct typewriter *tw = tw_begin(26);
	taddr a = tw_struct(tw, 8, 0, "main.Pair[int,string]", NULL, 0);
	taddr b = tw_struct(tw, 8, 0, "dup.Box[zoo/a/dup.T]", NULL, 0);

	tw_named(tw, a, "main");
	tw_named(tw, b, "zoo/b/dup");
	tw_open(tw);
	ck_assert_str_eq(name_of(tw, a), "main.Pair[int,string]");
	ck_assert_str_eq(name_of(tw, b), "zoo/b/dup.Box[zoo/a/dup.T]");
	tw_close(tw);
}
END_TEST

START_TEST(types_of_functions_lose_their_number)
{
	struct typewriter *tw = tw_begin(26);
	taddr at = tw_struct(tw, 8, 0, "main.local\xc2\xb7" "12", NULL, 0);

	tw_named(tw, at, "main");
	tw_open(tw);
	ck_assert_str_eq(name_of(tw, at), "main.local");
	tw_close(tw);
}
END_TEST

START_TEST(what_is_made_of_types_is_named_by_its_parts)
{
	struct typewriter *tw = tw_begin(26);
	taddr key = tw_type(tw, GO_KIND_STRING, 16, 1, "string");
	taddr node = tw_struct(tw, 8, 0, "dup.T", NULL, 0);
	taddr pointer = tw_pointer(tw, node);
	taddr slice = tw_type(tw, GO_KIND_SLICE, 24, 1, "[]*dup.T");
	taddr array = tw_type(tw, GO_KIND_ARRAY, 48, 1, "[2][]*dup.T");
	taddr map = tw_type(tw, GO_KIND_MAP, 8, 1, "map[string][]*dup.T");
	struct tw_field fields[] = { { "ID", node, 0, false },
				     { "M", map, 8, false } };
	taddr anonymous = tw_struct(tw, 16, 2, "struct { … }", fields, 2);
	taddr empty = tw_struct(tw, 0, 0, "struct {}", NULL, 0);

	tw_named(tw, node, "zoo/a/dup");
	tw_set(tw, slice, 48, pointer);
	tw_set(tw, array, 48, slice);
	tw_set(tw, array, 64, 2);
	tw_set(tw, map, 48, key);
	tw_set(tw, map, 56, slice);
	tw_open(tw);
	ck_assert_str_eq(name_of(tw, array), "[2][]*zoo/a/dup.T");
	ck_assert_str_eq(name_of(tw, map), "map[string][]*zoo/a/dup.T");
	ck_assert_str_eq(name_of(tw, anonymous),
			 "struct { ID zoo/a/dup.T; "
			 "M map[string][]*zoo/a/dup.T }");
	ck_assert_str_eq(name_of(tw, empty), "struct {}");
	tw_close(tw);
}
END_TEST

START_TEST(names_without_an_end_are_cut)
{
	struct typewriter *tw = tw_begin(26);
	taddr ring = tw_pointer(tw, 0);
	taddr wide = tw_type(tw, GO_KIND_STRUCT, 16, 1, "struct");
	struct tw_field twice[2] = { { "A", wide, 0, false },
				     { "B", wide, 0, false } };
	taddr list = tw_struct(tw, 16, 1, "struct", twice, 2);
	const char *name;

	// A pointer to itself, and a struct of two of itself.
	tw_set(tw, ring, 48, ring);
	memcpy(tw->w.data + (wide - GW_DATA) + 56,
	       tw->w.data + (list - GW_DATA) + 56, 24);
	tw_open(tw);
	name = name_of(tw, ring);
	ck_assert_uint_le(strlen(name), 4200);
	ck_assert_int_eq(name[0], '*');
	name = name_of(tw, wide);
	ck_assert_uint_le(strlen(name), 4200);
	ck_assert_int_eq(strncmp(name, "struct { A struct { A ", 22), 0);
	tw_close(tw);
}
END_TEST

START_TEST(names_that_lead_nowhere_are_harmless)
{
	struct typewriter *tw = tw_begin(26);
	taddr at = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr named = tw_struct(tw, 8, 0, "main.T", NULL, 0);

	tw_set(tw, at, 40, 0x7fffffff);
	tw_named(tw, named, "main");
	tw_set(tw, named, 80, 0xffffffff);
	tw_open(tw);
	ck_assert_str_eq(name_of(tw, at), "");
	ck_assert_str_eq(name_of(tw, named), "main.T");
	tw_close(tw);
}
END_TEST

Suite *typename_suite(void)
{
	Suite *s = suite_create("typename");
	TCase *tc = tcase_create("typename");

	tcase_add_test(tc, named_types_carry_their_import_path);
	tcase_add_test(tc, arguments_of_generic_types_are_kept);
	tcase_add_test(tc, types_of_functions_lose_their_number);
	tcase_add_test(tc, what_is_made_of_types_is_named_by_its_parts);
	tcase_add_test(tc, names_without_an_end_are_cut);
	tcase_add_test(tc, names_that_lead_nowhere_are_harmless);
	suite_add_tcase(s, tc);
	return s;
}
