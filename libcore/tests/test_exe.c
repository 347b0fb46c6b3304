// test_exe.c: where the executable is looked for, and which one is taken.
#include "libcore/tests/pair.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *exe_suite(void);

enum { BASE = PAIR_BASE };

static struct pair p;

static void setup(void)
{
	pair_setup(&p);
}

static void teardown(void)
{
	pair_teardown(&p);
}

START_TEST(the_path_in_the_core_is_tried)
{
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	pair_open(&p, exe, NULL);
	ck_ok(p.o.rc, &p.o.err);
	ck_assert_str_eq(core_info(p.o.core)->exe_path, exe);
}
END_TEST

START_TEST(a_deleted_executable_that_came_back_is_tried)
{
	char path[160];
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	snprintf(path, sizeof(path), "%s (deleted)", exe);
	pair_open(&p, path, NULL);
	ck_ok(p.o.rc, &p.o.err);
	ck_assert_str_eq(core_info(p.o.core)->exe_path, exe);
}
END_TEST

START_TEST(the_sysroot_is_tried)
{
	ck_assert_int_eq(mkdir(pair_path(&p, "app"), 0700), 0);
	pair_put(&p, "app/exe", ew_finish(&p.ew));
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), "/app/exe", BASE);
	const char *core = pair_put(&p, "core", cw_finish(&p.w));
	struct core_input in = { .core = core, .sysroot = p.dir };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &p.o.pool, NULL), HC_OK);
	ck_ok(core_open(&in, &p.o.pool, &c, &p.o.err), &p.o.err);
	ck_assert_str_eq(core_info(c)->exe_path, pair_path(&p, "app/exe"));
	core_close(c);
	pool_close(&p.o.pool);
}
END_TEST

START_TEST(beside_the_core_and_the_working_directory_are_tried)
{
	pair_put(&p, "exe", ew_finish(&p.ew));
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), "/app/exe", BASE);
	const char *core = pair_put(&p, "core", cw_finish(&p.w));
	struct core_input in = { .core = core };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &p.o.pool, NULL), HC_OK);
	ck_ok(core_open(&in, &p.o.pool, &c, &p.o.err), &p.o.err);
	ck_assert_str_eq(core_info(c)->exe_path, pair_path(&p, "exe"));
	core_close(c);
	ck_assert_int_eq(chdir(p.dir), 0);
	ck_assert_int_eq(mkdir("cores", 0700), 0);
	in.core = pair_put(&p, "cores/core", elfbuf_bytes(&p.w.out));
	ck_ok(core_open(&in, &p.o.pool, &c, &p.o.err), &p.o.err);
	ck_assert_str_eq(core_info(c)->exe_path, "./exe");
	core_close(c);
	pool_close(&p.o.pool);
}
END_TEST

START_TEST(a_wrong_executable_that_was_found_is_passed_over)
{
	ew_finish(&p.ew);
	pair_open(&p, pair_other(&p, "exe"), NULL);
	ck_ok(p.o.rc, &p.o.err);
	ck_assert_ptr_null(core_exe(p.o.core));
	ck_assert_ptr_null(core_info(p.o.core)->exe_path);
	ck_assert_ptr_nonnull(strstr(finding_of(p.o.core, "no executable"),
				     "not the program of this core"));
	// Its id is known from memory all the same.
	size_t n;
	const struct core_module *m = core_modules(p.o.core, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(m->go_build_id, "right/id");
}
END_TEST

START_TEST(a_wrong_executable_that_was_named_is_refused_with_both_ids)
{
	pair_open(&p, "/gone", pair_other(&p, "exe"));
	ck_says(p.o.rc, &p.o.err, HC_MISMATCH, "right/id");
	ck_says(p.o.rc, &p.o.err, HC_MISMATCH, "wrong/id");
}
END_TEST

START_TEST(a_wrong_executable_may_be_insisted_on)
{
	ew_finish(&p.ew);
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), "/gone", BASE);
	struct core_input in = { .core = "test", .exe = pair_other(&p, "exe"),
				 .allow_mismatch = true };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &p.o.pool, NULL), HC_OK);
	ck_ok(core_open_bytes(&in, cw_finish(&p.w), &p.o.pool, &c, &p.o.err),
	      &p.o.err);
	ck_assert_ptr_nonnull(core_exe(c));
	ck_assert_ptr_nonnull(finding_of(c, "mismatch"));
	core_close(c);
	pool_close(&p.o.pool);
}
END_TEST

// open_unsaved opens a core that saved neither header nor text.
static void open_unsaved(const char *exe)
{
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), "/gone", BASE);
	p.w.loads[0].saved = 0;
	opencore_open(&p.o, cw_finish(&p.w), exe);
}

START_TEST(data_tells_an_executable_when_nothing_else_was_saved)
{
	struct exewriter other;
	ew_finish(&p.ew);
	open_unsaved(pair_put(&p, "exe", elfbuf_bytes(&p.ew.out)));
	ck_ok(p.o.rc, &p.o.err);
	ck_assert_uint_eq(core_findings(p.o.core)->n, 0);
	opencore_close(&p.o);
	cw_free(&p.w);
	// Another program has other data at the same addresses.
	ew_init(&other, CORE_AMD64, BASE);
	struct bytes b = ew_finish(&other);
	memset((uint8_t *)(uintptr_t)b.at + 0x2000, 0x5a, 0x800);
	open_unsaved(pair_put(&p, "other", b));
	ck_says(p.o.rc, &p.o.err, HC_MISMATCH, "differs");
	ew_free(&other);
}
END_TEST

START_TEST(another_entry_point_is_another_program)
{
	struct exewriter other;
	ew_init(&other, CORE_AMD64, BASE);
	other.entry += 16;
	ew_finish(&p.ew);
	open_unsaved(pair_put(&p, "other", ew_finish(&other)));
	ck_says(p.o.rc, &p.o.err, HC_MISMATCH, "differs");
	ew_free(&other);
}
END_TEST

START_TEST(gnu_build_ids_count_before_go_ones)
{
	p.ew.gnu_id = "\x12\x34\xab\xcd";
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	pair_open(&p, "/gone", exe);
	ck_ok(p.o.rc, &p.o.err);
	const struct core_module *m = core_exe(p.o.core);
	ck_assert_uint_eq(m->build_id_len, 4);
	ck_assert(!memcmp(m->build_id, p.ew.gnu_id, 4));
}
END_TEST

START_TEST(an_executable_of_another_machine_is_refused)
{
	struct exewriter other;
	ew_init(&other, CORE_ARM64, BASE);
	other.go_id = "right/id";
	pair_open(&p, "/gone", pair_put(&p, "exe", ew_finish(&other)));
	ck_says(p.o.rc, &p.o.err, HC_MISMATCH, "a program of arm64");
	ew_free(&other);
}
END_TEST

START_TEST(what_is_no_executable_is_named)
{
	static const struct {
		const char *text, *says;
	} cases[] = { { "", "empty" },
		      { "hello\n", "text" },
		      { "\x7f"
			"ELF\2",
			"ends within" } };
	struct bytes b = { (const uint8_t *)cases[_i].text,
			   strlen(cases[_i].text), 0 };
	pair_open(&p, "/gone", pair_put(&p, "exe", b));
	ck_assert_int_eq(p.o.rc, HC_FAIL);
	ck_assert_msg(strstr(p.o.err.msg, cases[_i].says), "%s", p.o.err.msg);
	ck_assert_ptr_nonnull(strstr(p.o.err.msg, pair_path(&p, "exe")));
}
END_TEST

START_TEST(a_missing_executable_or_a_directory_is_refused)
{
	pair_open(&p, "/gone", pair_path(&p, "no-such-file"));
	ck_says(p.o.rc, &p.o.err, HC_IO, "no such file");
	opencore_close(&p.o);
	opencore_open(&p.o, elfbuf_bytes(&p.w.out), p.dir);
	ck_says(p.o.rc, &p.o.err, HC_IO, "a directory");
	opencore_close(&p.o);
	const char *core = pair_put(&p, "core", elfbuf_bytes(&p.w.out));
	opencore_open(&p.o, elfbuf_bytes(&p.w.out), core);
	ck_says(p.o.rc, &p.o.err, HC_UNSUPPORTED, "is a core");
}
END_TEST

START_TEST(a_pipe_named_in_the_core_is_not_opened)
{
	const char *fifo = pair_path(&p, "fifo");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	pair_open(&p, fifo, NULL); // would hang
	ck_ok(p.o.rc, &p.o.err);
	ck_assert_ptr_null(core_exe(p.o.core));
}
END_TEST

Suite *exe_suite(void)
{
	Suite *s = suite_create("exe");
	TCase *tc = tcase_create("exe");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_path_in_the_core_is_tried);
	tcase_add_test(tc, a_deleted_executable_that_came_back_is_tried);
	tcase_add_test(tc, the_sysroot_is_tried);
	tcase_add_test(tc, beside_the_core_and_the_working_directory_are_tried);
	tcase_add_test(tc, a_wrong_executable_that_was_found_is_passed_over);
	tcase_add_test(
		tc, a_wrong_executable_that_was_named_is_refused_with_both_ids);
	tcase_add_test(tc, a_wrong_executable_may_be_insisted_on);
	tcase_add_test(tc,
		       data_tells_an_executable_when_nothing_else_was_saved);
	tcase_add_test(tc, another_entry_point_is_another_program);
	tcase_add_test(tc, gnu_build_ids_count_before_go_ones);
	tcase_add_test(tc, an_executable_of_another_machine_is_refused);
	tcase_add_loop_test(tc, what_is_no_executable_is_named, 0, 3);
	tcase_add_test(tc, a_missing_executable_or_a_directory_is_refused);
	tcase_add_test(tc, a_pipe_named_in_the_core_is_not_opened);
	suite_add_tcase(s, tc);
	return s;
}
