// test_version.c: version strings, as they are in programs.
#include "libheap/go/program/layout.h"

#include <check.h>

Suite *version_suite(void);

static struct go_version parse(const char *text)
{
	struct go_version v;
	struct hc_err err;
	ck_assert_int_eq(go_version_parse(text, strlen(text), &v, &err),
			 HC_OK);
	return v;
}

START_TEST(a_release_has_minor_and_patch)
{
	struct go_version v = parse("go1.22.12");
	ck_assert_uint_eq(v.minor, 22);
	ck_assert_uint_eq(v.patch, 12);
	ck_assert(!v.devel);
	ck_assert_uint_eq(v.experiments, 0);
	ck_assert_str_eq(v.text, "go1.22.12");
}
END_TEST

START_TEST(names_of_all_kinds_are_read)
{
	static const struct {
		const char *text;
		unsigned minor, patch;
	} cases[] = {
		{ "go1.18", 18, 0 },
		{ "go1.21rc2", 21, 0 },
		{ "go1.20.3-fips", 20, 3 },
		{ "go1.22.5 (Red Hat 1.22.5-1.el9)", 22, 5 },
		{ "go1.21-20230317-RC00 cl/1 +ab X:fieldtrack", 21, 0 },
		{ "devel go1.27-3ce2de1 Tue May 6 13:12:05 2025", 27, 0 },
		{ "devel +5a4db10 Tue", 0, 0 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct go_version v = parse(cases[i].text);
		ck_assert_uint_eq(v.minor, cases[i].minor);
		ck_assert_uint_eq(v.patch, cases[i].patch);
		ck_assert(v.devel == (cases[i].text[0] == 'd'));
	}
}
END_TEST

// Source: Go internal/buildcfg/exp.go: swissmap is the default from 1.24 on
// and no experiment any more in 1.26, greenteagc the default from 1.26 on.
START_TEST(experiments_begin_with_the_defaults)
{
	static const struct {
		const char *text;
		uint32_t want;
	} cases[] = {
		{ "go1.23.4", 0 },
		{ "go1.24.4", GO_X_SWISSMAP },
		{ "go1.24.4 X:noswissmap", 0 },
		{ "go1.25.6", GO_X_SWISSMAP },
		{ "go1.25.6 X:greenteagc", GO_X_SWISSMAP | GO_X_GREENTEA },
		{ "go1.26.10", GO_X_SWISSMAP | GO_X_GREENTEA },
		{ "go1.26.10 X:nogreenteagc", GO_X_SWISSMAP },
		{ "go1.26.10-X:nogreenteagc", GO_X_SWISSMAP },
		{ "go1.26.10-X:nodwarf5,nogreenteagc (vendor)",
		  GO_X_SWISSMAP },
		{ "go1.22.1 X:arenas,loopvar", GO_X_ARENAS },
		{ "go1.22.1 X:loopvar,arenas words", GO_X_ARENAS },
		{ "go1.26.1 X:nodwarf5,mapsplitgroup",
		  GO_X_SWISSMAP | GO_X_GREENTEA | GO_X_MAPSPLITGROUP },
		{ "go1.23 X:staticlockranking", GO_X_OTHER },
		{ "go1.23 X:", 0 },
		{ "go1.23 X:,,no", GO_X_OTHER },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(parse(cases[i].text).experiments ==
				      cases[i].want,
			      "%s", cases[i].text);
}
END_TEST

START_TEST(what_is_no_version_is_refused)
{
	static const char *const bad[] = { "", "go", "go1", "go1.", "go2.1",
					   "1.22", "go1.x", "go1.1234567",
					   "python3.11" };
	struct go_version v;
	struct hc_err err;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(go_version_parse(bad[i], strlen(bad[i]), &v,
						  &err),
				 HC_FAIL);
		ck_assert_int_eq(err.kind, HC_UNSUPPORTED);
	}
}
END_TEST

START_TEST(every_prefix_of_a_version_ends_well)
{
	static const char text[] = "devel go1.26.3-x X:nogreenteagc,arenas y";
	struct go_version v;
	for (size_t n = 0; n < sizeof(text); n++)
		if (!go_version_parse(text, n, &v, NULL))
			ck_assert_uint_lt(strlen(v.text), sizeof(v.text));
}
END_TEST

START_TEST(a_long_version_is_cut)
{
	char text[300];
	memset(text, 'x', sizeof(text));
	memcpy(text, "go1.22.1\n", 9);
	struct go_version v;
	ck_assert_int_eq(go_version_parse(text, sizeof(text), &v, NULL),
			 HC_OK);
	ck_assert_uint_eq(strlen(v.text), sizeof(v.text) - 1);
	ck_assert_ptr_null(strchr(v.text, '\n'));
}
END_TEST

Suite *version_suite(void)
{
	Suite *s = suite_create("version");
	TCase *t = tcase_create("version");
	tcase_add_test(t, a_release_has_minor_and_patch);
	tcase_add_test(t, names_of_all_kinds_are_read);
	tcase_add_test(t, experiments_begin_with_the_defaults);
	tcase_add_test(t, what_is_no_version_is_refused);
	tcase_add_test(t, every_prefix_of_a_version_ends_well);
	tcase_add_test(t, a_long_version_is_cut);
	suite_add_tcase(s, t);
	return s;
}
