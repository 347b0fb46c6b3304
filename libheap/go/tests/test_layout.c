// test_layout.c: the built-in tables, held against facts of the Go sources.
#include "libheap/go/program/layout_tables.h"

#include <check.h>
#include <stdio.h>

Suite *layout_suite(void);

static void get(const char *version, enum core_arch arch,
		struct go_layout *ret)
{
	struct go_version v;
	ck_assert_int_eq(go_version_parse(version, strlen(version), &v, NULL),
			 HC_OK);
	ck_assert_msg(!go_layout_from_tables(&v, arch, ret, NULL), "%s",
		      version);
}

// Source: sizes as the compiler of each version gives them on 64-bit.
START_TEST(sizes_are_those_of_each_version)
{
	static const struct {
		const char *version;
		uint32_t g, sudog, defer, moduledata, func;
	} cases[] = {
		{ "go1.18.10", 392, 88, 72, 552, 40 },
		{ "go1.19.13", 392, 88, 72, 552, 40 },
		{ "go1.20.14", 392, 88, 72, 568, 44 },
		{ "go1.21.13", 408, 88, 72, 592, 44 },
		{ "go1.22.12", 424, 88, 48, 592, 44 },
		{ "go1.23.12", 432, 88, 48, 584, 44 },
		{ "go1.24.13", 440, 88, 48, 584, 44 },
		{ "go1.25.11", 440, 88, 48, 584, 44 },
		{ "go1.26.10", 456, 104, 48, 592, 44 },
		{ "go1.27.3", 456, 104, 48, 568, 44 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int arch = CORE_AMD64; arch <= CORE_ARM64; arch++) {
			struct go_layout l;
			get(cases[i].version, (enum core_arch)arch, &l);
			ck_assert_uint_eq(l.size[S_g], cases[i].g);
			ck_assert_uint_eq(l.size[S_sudog], cases[i].sudog);
			ck_assert_uint_eq(l.size[S_defer], cases[i].defer);
			ck_assert_uint_eq(l.size[S_moduledata],
					  cases[i].moduledata);
			ck_assert_uint_eq(l.size[S_func], cases[i].func);
		}
	}
}
END_TEST

START_TEST(fields_come_and_go)
{
	struct go_layout l;
	get("go1.20.14", CORE_AMD64, &l);
	ck_assert(!go_has(&l, F_g_parentGoid));
	ck_assert(go_has(&l, F_heapArena_noMorePtrs));
	ck_assert_uint_eq(l.field[F_mspan_nelems].size, 8);
	get("go1.22.12", CORE_AMD64, &l);
	ck_assert(go_has(&l, F_g_parentGoid));
	ck_assert(!go_has(&l, F_heapArena_noMorePtrs));
	ck_assert(go_has(&l, F_mspan_largeType));
	ck_assert_uint_eq(l.field[F_mspan_nelems].size, 2);
	get("go1.27.3", CORE_AMD64, &l);
	ck_assert(!go_has(&l, F_moduledata_typelinks));
	ck_assert(go_has(&l, F_moduledata_typedesclen));
}
END_TEST

// Source: Go 1.26 runtime/chan.go and runtime2.go: elem and c became pairs.
START_TEST(the_older_name_is_taken_where_there_is_no_newer)
{
	struct go_layout l;
	get("go1.25.6", CORE_AMD64, &l);
	ck_assert_uint_eq(go_off(&l, F_sudog_elem), 24);
	get("go1.26.10", CORE_AMD64, &l);
	ck_assert_uint_eq(go_off(&l, F_sudog_elem), 32);
	ck_assert_uint_eq(l.field[F_sudog_elem].size, 8);
}
END_TEST

START_TEST(words_of_386_have_4_bytes)
{
	struct go_layout l;
	get("go1.24.13", CORE_386, &l);
	ck_assert_uint_eq(l.field[F_g_m].size, 4);
	ck_assert_uint_eq(go_off(&l, F_moduledata_text), 22 * 4);
	ck_assert_int_eq(go_const(&l, C_logHeapArenaBytes, 0), 22);
}
END_TEST

START_TEST(the_first_words_of_moduledata_never_move)
{
	for (unsigned minor = 18; minor <= 27; minor++) {
		char text[16];
		struct go_layout l;
		ck_assert_int_lt(snprintf(text, 16, "go1.%u.0", minor), 16);
		get(text, CORE_AMD64, &l);
		ck_assert_uint_eq(go_off(&l, F_moduledata_pcHeader), 0);
		ck_assert_uint_eq(go_off(&l, F_moduledata_pclntable), 13 * 8);
		ck_assert_uint_eq(go_off(&l, F_moduledata_text), 22 * 8);
		ck_assert_uint_eq(go_off(&l, F_moduledata_enoptrbss), 31 * 8);
	}
}
END_TEST

START_TEST(experiments_choose_their_table)
{
	struct go_layout on, off;
	get("go1.25.6 X:greenteagc", CORE_AMD64, &on);
	get("go1.25.6", CORE_AMD64, &off);
	ck_assert_uint_gt(on.size[S_spanInlineMarkBits],
			  off.size[S_spanInlineMarkBits]);
	get("go1.26.10", CORE_AMD64, &on);
	get("go1.26.10 X:nogreenteagc", CORE_AMD64, &off);
	ck_assert_uint_gt(on.size[S_spanInlineMarkBits],
			  off.size[S_spanInlineMarkBits]);
}
END_TEST

START_TEST(the_nearest_older_patch_release_comes_first)
{
	struct go_version v = { .minor = 23, .patch = 7 };
	struct go_layout first, second, third;
	ck_assert_int_eq(go_layout_from_nth_table(&v, CORE_AMD64, 0, &first),
			 HC_OK);
	ck_assert_str_eq(first.source, "tables go1.23.5 amd64");
	ck_assert_int_eq(go_layout_from_nth_table(&v, CORE_AMD64, 1, &second),
			 HC_OK);
	ck_assert_str_eq(second.source, "tables go1.23.12 amd64");
	ck_assert_int_eq(go_layout_from_nth_table(&v, CORE_AMD64, 2, &third),
			 HC_NONE);
}
END_TEST

START_TEST(a_version_without_a_table_has_no_layout)
{
	struct go_layout l;
	struct go_version old = { .minor = 17 }, next = { .minor = 99 };
	ck_assert_int_eq(go_layout_from_tables(&old, CORE_AMD64, &l, NULL),
			 HC_NONE);
	ck_assert_int_eq(go_layout_from_tables(&next, CORE_ARM64, &l, NULL),
			 HC_NONE);
	struct go_version tea = { .minor = 22,
				  .experiments = GO_X_GREENTEA };
	ck_assert_int_eq(go_layout_from_tables(&tea, CORE_AMD64, &l, NULL),
			 HC_NONE);
}
END_TEST

Suite *layout_suite(void)
{
	Suite *s = suite_create("layout");
	TCase *t = tcase_create("layout");
	tcase_add_test(t, sizes_are_those_of_each_version);
	tcase_add_test(t, fields_come_and_go);
	tcase_add_test(t, the_older_name_is_taken_where_there_is_no_newer);
	tcase_add_test(t, words_of_386_have_4_bytes);
	tcase_add_test(t, the_first_words_of_moduledata_never_move);
	tcase_add_test(t, experiments_choose_their_table);
	tcase_add_test(t, the_nearest_older_patch_release_comes_first);
	tcase_add_test(t, a_version_without_a_table_has_no_layout);
	suite_add_tcase(s, t);
	return s;
}
