// test_judge.c: libdwarf judges the cursor over real executables.
//
// DWARF_JUDGE names files, separated by colons; without it the test program
// itself is one, and so is the executable of each stored core (TESTDATA), each
// as it is and in the ways that objcopy can compress its sections.
#include "libdwarfread/tests/ck.h"
#include "libdwarfread/tests/judge.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FILES 200
static char files[MAX_FILES][512];
static int n_files;

static const char *const compressions[] = { "none", "zlib", "zlib-gnu",
					    "zstd" };

static void add_file(const char *path)
{
	if (n_files < MAX_FILES)
		snprintf(files[n_files++], sizeof(files[0]), "%s", path);
}

static void find_files(void)
{
	char pattern[512];
	glob_t found;
	const char *named = getenv("DWARF_JUDGE"), *data = getenv("TESTDATA");
	n_files = 0;
	if (named) {
		for (char *one = strtok(strdup(named), ":"); one;
		     one = strtok(NULL, ":"))
			add_file(one);
		return;
	}
	add_file("/proc/self/exe");
	snprintf(pattern, sizeof(pattern), "%s/cores/*/exe.zst",
		 data ? data : "testdata");
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_file(found.gl_pathv[i]);
}

// shell runs a command with two paths for $1 and $2; false when it failed.
static bool shell(const char *command, const char *one, const char *two)
{
	char line[2048];
	snprintf(line, sizeof(line), "set -- '%s' '%s'; %s", one, two, command);
	return system(line) == 0;
}

static void judge(const char *path, const char *what)
{
	struct verdict v;
	struct hc_err err;
	enum hc got = judge_file(path, &v, &err);
	if (got == HC_NONE) // stripped: both say so
		return;
	ck_answers(got, &err);
	ck_assert_msg(v.differences == 0, "%s: %" PRIu64 " differences\n%s",
		      what, v.differences, v.text);
	ck_assert_uint_gt(v.attributes, 100);
}

START_TEST(cursor_and_libdwarf_agree_on_every_field)
{
	char copy[] = "/tmp/dwarfread-judge-XXXXXX";
	const char *path = files[_i], *dot = strrchr(path, '.');
	if (!dot || strcmp(dot, ".zst") != 0) {
		judge(path, path);
		return;
	}
	int fd = mkstemp(copy);
	ck_assert_int_ge(fd, 0);
	close(fd);
	bool unpacked = shell("zstd -dqfo \"$2\" \"$1\"", path, copy);
	if (unpacked)
		judge(copy, path);
	unlink(copy);
	ck_assert(unpacked);
}
END_TEST

// Every fourth file is enough for each way of compressing.
START_TEST(compressed_in_any_way_it_reads_the_same)
{
	char copy[] = "/tmp/dwarfread-judge-XXXXXX", command[256];
	const char *path = files[_i / 4], *how = compressions[_i % 4];
	if (_i % 4 != _i / 4 % 4 && _i / 4 > 1)
		return;
	int fd = mkstemp(copy);
	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(command, sizeof(command),
		 "case $1 in *.zst) zstd -dqfo \"$2\" \"$1\" ;; *) cp \"$1\" "
		 "\"$2\" ;; esac && objcopy --decompress-debug-sections "
		 "\"$2\" 2>/dev/null && objcopy --compress-debug-sections=%s "
		 "\"$2\" 2>/dev/null", how);
	if (strcmp(path, "/proc/self/exe") == 0)
		snprintf(files[_i / 4], sizeof(files[0]), "/proc/%d/exe",
			 (int)getpid());
	if (shell(command, files[_i / 4], copy)) // else no objcopy that can
		judge(copy, how);
	unlink(copy);
}
END_TEST

Suite *judge_suite(void)
{
	Suite *s = suite_create("judge");
	TCase *t = tcase_create("judge");
	find_files();
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, cursor_and_libdwarf_agree_on_every_field, 0,
			    n_files);
	tcase_add_loop_test(t, compressed_in_any_way_it_reads_the_same, 0,
			    4 * n_files);
	suite_add_tcase(s, t);
	return s;
}
