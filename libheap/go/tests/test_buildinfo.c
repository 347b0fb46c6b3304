// test_buildinfo.c: the linker's record of version and modules.
#include "libheap/go/program/buildinfo.h"

#include <check.h>
#include <stdlib.h>

Suite *buildinfo_suite(void);

#define HEAD "\xff Go buildinf:\x08\x02" \
	     "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define MARK1 "0w\xaf\x0c\x92t\x08\x02" "A\xe1\xc1\x07\xe6\xd6\x18\xe6"
#define MARK2 "\xf9" "2C1\x86\x18 r\x00\x82" "B\x10" "A\x16\xd8\xf2"

static const char record[] = HEAD "\x09go1.22.12" "\x2c" MARK1
			     "path\tmain.x\n" MARK2;

static enum hc read_it(const void *at, uint64_t len, struct go_buildinfo *ret)
{
	uint8_t *copy = malloc(len ? len : 1);
	memcpy(copy, at, len);
	struct bytes b = { copy, len, 0 };
	enum hc hc = go_buildinfo_read(b, ret);
	if (!hc && ret->mod.len)
		ck_assert(ret->mod.at > copy &&
			  ret->mod.at + ret->mod.len <= copy + len);
	if (hc)
		free(copy); // else the test looks into it
	return hc;
}

START_TEST(version_and_lines_are_found)
{
	struct go_buildinfo i;
	ck_assert_int_eq(read_it(record, sizeof(record), &i), HC_OK);
	ck_assert(bytes_equal(i.version, "go1.22.12", 9));
	ck_assert(bytes_equal(i.mod, "path\tmain.x\n", 12));
}
END_TEST

START_TEST(no_modules_are_no_lines)
{
	static const char none[] = HEAD "\x06go1.20\x00";
	struct go_buildinfo i;
	ck_assert_int_eq(read_it(none, sizeof(none), &i), HC_OK);
	ck_assert(bytes_equal(i.version, "go1.20", 6));
	ck_assert_uint_eq(i.mod.len, 0);
}
END_TEST

START_TEST(pointers_instead_of_strings_are_refused)
{
	char old[sizeof(record)];
	struct go_buildinfo i;
	memcpy(old, record, sizeof(record));
	old[15] = 0;
	ck_assert_int_eq(read_it(old, sizeof(old), &i), HC_NONE);
}
END_TEST

START_TEST(every_prefix_and_flip_ends_well)
{
	char copy[sizeof(record)];
	struct go_buildinfo i;
	for (size_t n = 0; n < sizeof(record) - 1; n++)
		ck_assert_int_eq(read_it(record, n, &i), HC_NONE);
	for (size_t bit = 0; bit < sizeof(record) * 8; bit++) {
		memcpy(copy, record, sizeof(record));
		copy[bit / 8] ^= (char)(1 << bit % 8);
		(void)!read_it(copy, sizeof(copy), &i);
	}
}
END_TEST

Suite *buildinfo_suite(void)
{
	Suite *s = suite_create("buildinfo");
	TCase *t = tcase_create("buildinfo");
	tcase_add_test(t, version_and_lines_are_found);
	tcase_add_test(t, no_modules_are_no_lines);
	tcase_add_test(t, pointers_instead_of_strings_are_refused);
	tcase_add_test(t, every_prefix_and_flip_ends_well);
	suite_add_tcase(s, t);
	return s;
}
