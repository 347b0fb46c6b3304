// test_find.c: the newest file that is a core is the one that is meant.
#include "libcore/tests/opencore.h"
#include "libcore/tests/packer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *find_suite(void);

static char dir[] = "/tmp/heapcore-test-XXXXXX";
static struct pool pool;
static struct corewriter w;
static struct bytes core;
static struct hc_err err;
static const char *path;
static const struct bytes text = { (const uint8_t *)"text", 4, 0 };

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &pool, NULL), HC_OK);
	cw_sample(&w, CORE_AMD64);
	core = cw_finish(&w);
}

static void teardown(void)
{
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
	pool_close(&pool);
	cw_free(&w);
}

// put writes a file that is `age` seconds old.
static void put(const char *name, struct bytes b, int age)
{
	char full[128];
	snprintf(full, sizeof(full), "%s/%s", dir, name);
	int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert(fd >= 0 && write(fd, b.at, b.len) == (ssize_t)b.len);
	struct timespec times[2] = { { 2000000000 - age, 0 },
				     { 2000000000 - age, 0 } };
	ck_assert_int_eq(futimens(fd, times), 0);
	close(fd);
}

static void finds(const char *name)
{
	char full[128];
	snprintf(full, sizeof(full), "%s/%s", dir, name);
	ck_ok(core_find_newest(dir, &pool, &path, &err), &err);
	ck_assert_str_eq(path, full);
}

START_TEST(the_newest_core_is_found)
{
	put("core", core, 30);
	finds("core");
	put("core.1234", core, 20);
	finds("core.1234");
	put("crash.core", core, 10);
	finds("crash.core");
	put("core.5678", core, 25);
	finds("crash.core");
}
END_TEST

START_TEST(what_is_no_core_is_passed_over)
{
	struct exewriter ew;
	put("core.old", core, 30);
	put("core.txt", text, 20);
	put("core", (struct bytes){ 0 }, 10);
	ew_init(&ew, CORE_AMD64, 0x10000);
	put("core.exe", ew_finish(&ew), 5);
	ew_free(&ew);
	char sub[128];
	snprintf(sub, sizeof(sub), "%s/core.d", dir);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	put("other", core, 1);
	put(".core", core, 1); // no name before the dot
	put("score", core, 1);
	put("corefile", core, 1);
	finds("core.old");
}
END_TEST

START_TEST(compressed_cores_count_by_what_is_in_them)
{
	static const char *const names[] = { "core.1.zst", "core.gz",
					     "x.core.xz", "core.7.lz4" };
	struct bytes b = packer_pack((enum pack)_i, core);
	struct bytes no = packer_pack((enum pack)_i, text);
	put("core.old", core, 30);
	put("core.text.zst", no, 5);
	finds("core.old");
	put(names[_i], b, 10);
	finds(names[_i]);
	pack_free(b);
	pack_free(no);
}
END_TEST

START_TEST(dumps_come_after_cores)
{
	put("a.heapcore", text, 20);
	finds("a.heapcore");
	put("b.heapcore", text, 10);
	finds("b.heapcore");
	put("core", core, 30);
	finds("core");
}
END_TEST

START_TEST(ties_go_to_the_first_name)
{
	put("core.b", core, 10);
	put("core.a", core, 10);
	put("core.c", core, 10);
	finds("core.a");
}
END_TEST

START_TEST(nothing_is_none_and_no_directory_is_said)
{
	put("text", text, 10);
	path = "untouched";
	ck_none(core_find_newest(dir, &pool, &path, &err));
	ck_assert_str_eq(path, "untouched");
	ck_says(core_find_newest("/no/such/dir", &pool, &path, &err), &err,
		HC_IO, "/no/such/dir");
}
END_TEST

START_TEST(the_current_directory_needs_no_prefix)
{
	put("core", core, 10);
	ck_assert_int_eq(chdir(dir), 0);
	ck_ok(core_find_newest(".", &pool, &path, &err), &err);
	ck_assert_str_eq(path, "core");
}
END_TEST

Suite *find_suite(void)
{
	Suite *s = suite_create("find");
	TCase *tc = tcase_create("find");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_newest_core_is_found);
	tcase_add_test(tc, what_is_no_core_is_passed_over);
	tcase_add_loop_test(tc, compressed_cores_count_by_what_is_in_them, 0,
			    PACK_ZLIB);
	tcase_add_test(tc, dumps_come_after_cores);
	tcase_add_test(tc, ties_go_to_the_first_name);
	tcase_add_test(tc, nothing_is_none_and_no_directory_is_said);
	tcase_add_test(tc, the_current_directory_needs_no_prefix);
	suite_add_tcase(s, tc);
	return s;
}
