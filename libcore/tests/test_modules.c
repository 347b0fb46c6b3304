// test_modules.c: which file was mapped, and what it gives to memory.
#include "libcore/tests/opencore.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *modules_suite(void);

enum { BASE = 0x10000 };

static struct exewriter ew;
static struct corewriter w;
static struct opencore o;
static char dir[] = "/tmp/heapcore-test-XXXXXX";

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ew_init(&ew, CORE_AMD64, BASE);
	ew.go_id = "right/id";
}

static void teardown(void)
{
	if (o.copy)
		opencore_close(&o);
	cw_free(&w);
	ew_free(&ew);
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
	o = (struct opencore){ 0 };
}

static const char *in_dir(const char *name)
{
	static char paths[4][128];
	static unsigned turn;
	char *path = paths[turn++ % 4];
	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

static const char *put(const char *name, struct bytes b)
{
	const char *path = in_dir(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	ck_assert(fd >= 0 && write(fd, b.at, b.len) == (ssize_t)b.len);
	close(fd);
	return path;
}

// open_pair opens the core of a process that ran ew from path.
static void open_pair(const char *path, const char *exe)
{
	struct bytes file = ew.out.len ? elfbuf_bytes(&ew.out) :
					 ew_finish(&ew);
	cw_pair(&w, CORE_AMD64, file, path, BASE);
	opencore_open(&o, cw_finish(&w), exe);
}

// other_exe writes an executable of another build to name.
static const char *other_exe(const char *name)
{
	struct exewriter other;
	ew_init(&other, CORE_AMD64, BASE);
	other.go_id = "wrong/id";
	const char *path = put(name, ew_finish(&other));
	ew_free(&other);
	return path;
}

START_TEST(text_comes_from_the_executable)
{
	const char *exe = put("exe", ew_finish(&ew));
	const uint8_t *view;
	open_pair("/gone", exe);
	ck_ok(o.rc, &o.err);
	// One run from the header on: what was saved is the file's as well.
	ck_ok(core_view(o.core, BASE, 0x2000, &view, &o.err), &o.err);
	for (unsigned i = 0x1000; i < 0x2000; i++)
		ck_assert_uint_eq(view[i], cw_byte(BASE + i));
	ck_assert(!memcmp(view, ew.out.at, 0x1000));
	struct core_window win;
	ck_ok(core_window(o.core, BASE + 0x1000, &win), &o.err);
	ck_assert(win.from_file);
	// Counted as saved is only what the core itself has.
	ck_assert_uint_eq(core_saved_bytes(o.core, BASE, 0x2000), 0x400);
}
END_TEST

START_TEST(the_executable_is_known)
{
	const char *exe = put("exe", ew_finish(&ew));
	open_pair("/gone", exe);
	ck_ok(o.rc, &o.err);
	const struct core_module *m = core_exe(o.core);
	size_t n;
	ck_assert_ptr_nonnull(m);
	ck_assert_ptr_eq(core_modules(o.core, &n), m);
	ck_assert_uint_eq(n, 1);
	ck_assert(m->is_exe);
	ck_assert_str_eq(m->path, "/gone");
	ck_assert_str_eq(m->go_build_id, "right/id");
	ck_assert_ptr_null(m->build_id);
	ck_assert_uint_eq(m->bias, 0);
	ck_assert_uint_eq(m->low, BASE);
	ck_assert_uint_eq(m->high, BASE + 0x3000);
	ck_assert_str_eq(core_info(o.core)->exe_path, exe);
	ck_assert_uint_eq(core_findings(o.core)->n, 0);
}
END_TEST

START_TEST(writable_pages_never_come_from_the_file)
{
	const char *exe = put("exe", ew_finish(&ew));
	cw_pair(&w, CORE_AMD64, elfbuf_bytes(&ew.out), "/gone", BASE);
	w.loads[1].saved = 0;
	opencore_must(&o, cw_finish(&w), exe);
	uint8_t v;
	ck_fails(core_u8(o.core, BASE + 0x2000, &v, &o.err), &o.err,
		 HC_UNSAVED, BASE + 0x2000);
	// Not even when they were made read-only after loading.
	w.out.len = 0;
	w.loads[1].perm = CORE_R;
	opencore_close(&o);
	opencore_must(&o, cw_finish(&w), exe);
	ck_fails(core_u8(o.core, BASE + 0x2000, &v, &o.err), &o.err,
		 HC_UNSAVED, BASE + 0x2000);
}
END_TEST

START_TEST(a_core_without_file_notes_takes_text_and_absent_data)
{
	const char *exe = put("exe", ew_finish(&ew));
	const uint64_t auxv[][2] = { { 9, BASE + 0x1040 } };
	cw_init(&w, CORE_AMD64);
	cw_auxv(&w, 1, auxv);
	cw_load(&w, BASE, 0x1800, 0, CORE_R | CORE_X);
	opencore_must(&o, cw_finish(&w), exe);
	const uint8_t *view;
	uint8_t v;
	ck_ok(core_view(o.core, BASE + 0x1000, 0x1800, &view, &o.err), &o.err);
	for (unsigned i = 0; i < 0x1800; i++)
		ck_assert_uint_eq(view[i], cw_byte(BASE + 0x1000 + i));
	ck_ok(core_u8(o.core, BASE + 0x2fff, &v, &o.err), &o.err);
	ck_assert_uint_eq(v, 0); // bss
	ck_fails(core_u8(o.core, BASE + 0x3000, &v, &o.err), &o.err,
		 HC_UNSAVED, BASE + 0x3000);
	// Nothing that identifies it was saved.
	ck_assert_ptr_nonnull(finding_of(o.core, "unverified"));
	ck_assert_str_eq(core_exe(o.core)->path, exe);
}
END_TEST

START_TEST(the_path_in_the_core_is_tried)
{
	const char *exe = put("exe", ew_finish(&ew));
	open_pair(exe, NULL);
	ck_ok(o.rc, &o.err);
	ck_assert_str_eq(core_info(o.core)->exe_path, exe);
}
END_TEST

START_TEST(a_deleted_executable_that_came_back_is_tried)
{
	char path[160];
	const char *exe = put("exe", ew_finish(&ew));
	snprintf(path, sizeof(path), "%s (deleted)", exe);
	open_pair(path, NULL);
	ck_ok(o.rc, &o.err);
	ck_assert_str_eq(core_info(o.core)->exe_path, exe);
}
END_TEST

START_TEST(the_sysroot_is_tried)
{
	ck_assert_int_eq(mkdir(in_dir("app"), 0700), 0);
	put("app/exe", ew_finish(&ew));
	cw_pair(&w, CORE_AMD64, elfbuf_bytes(&ew.out), "/app/exe", BASE);
	const char *core = put("core", cw_finish(&w));
	struct core_input in = { .core = core, .sysroot = dir };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &o.pool, NULL), HC_OK);
	ck_ok(core_open(&in, &o.pool, &c, &o.err), &o.err);
	ck_assert_str_eq(core_info(c)->exe_path, in_dir("app/exe"));
	core_close(c);
	pool_close(&o.pool);
}
END_TEST

START_TEST(beside_the_core_and_the_working_directory_are_tried)
{
	put("exe", ew_finish(&ew));
	cw_pair(&w, CORE_AMD64, elfbuf_bytes(&ew.out), "/app/exe", BASE);
	const char *core = put("core", cw_finish(&w));
	struct core_input in = { .core = core };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &o.pool, NULL), HC_OK);
	ck_ok(core_open(&in, &o.pool, &c, &o.err), &o.err);
	ck_assert_str_eq(core_info(c)->exe_path, in_dir("exe"));
	core_close(c);
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(mkdir("cores", 0700), 0);
	in.core = put("cores/core", elfbuf_bytes(&w.out));
	ck_ok(core_open(&in, &o.pool, &c, &o.err), &o.err);
	ck_assert_str_eq(core_info(c)->exe_path, "./exe");
	core_close(c);
	pool_close(&o.pool);
}
END_TEST

START_TEST(a_wrong_executable_that_was_found_is_passed_over)
{
	ew_finish(&ew);
	open_pair(other_exe("exe"), NULL);
	ck_ok(o.rc, &o.err);
	ck_assert_ptr_null(core_exe(o.core));
	ck_assert_ptr_null(core_info(o.core)->exe_path);
	ck_assert_ptr_nonnull(strstr(finding_of(o.core, "no executable"),
				     "not the program of this core"));
	// Its id is known from memory all the same.
	size_t n;
	const struct core_module *m = core_modules(o.core, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(m->go_build_id, "right/id");
}
END_TEST

START_TEST(a_wrong_executable_that_was_named_is_refused_with_both_ids)
{
	open_pair("/gone", other_exe("exe"));
	ck_says(o.rc, &o.err, HC_MISMATCH, "right/id");
	ck_says(o.rc, &o.err, HC_MISMATCH, "wrong/id");
}
END_TEST

START_TEST(a_wrong_executable_may_be_insisted_on)
{
	ew_finish(&ew);
	cw_pair(&w, CORE_AMD64, elfbuf_bytes(&ew.out), "/gone", BASE);
	struct core_input in = { .core = "test", .exe = other_exe("exe"),
				 .allow_mismatch = true };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &o.pool, NULL), HC_OK);
	ck_ok(core_open_bytes(&in, cw_finish(&w), &o.pool, &c, &o.err),
	      &o.err);
	ck_assert_ptr_nonnull(core_exe(c));
	ck_assert_ptr_nonnull(finding_of(c, "mismatch"));
	core_close(c);
	pool_close(&o.pool);
}
END_TEST

START_TEST(gnu_build_ids_count_before_go_ones)
{
	ew.gnu_id = "\x12\x34\xab\xcd";
	const char *exe = put("exe", ew_finish(&ew));
	open_pair("/gone", exe);
	ck_ok(o.rc, &o.err);
	const struct core_module *m = core_exe(o.core);
	ck_assert_uint_eq(m->build_id_len, 4);
	ck_assert(!memcmp(m->build_id, ew.gnu_id, 4));
}
END_TEST

START_TEST(an_executable_of_another_machine_is_refused)
{
	struct exewriter other;
	ew_init(&other, CORE_ARM64, BASE);
	other.go_id = "right/id";
	open_pair("/gone", put("exe", ew_finish(&other)));
	ck_says(o.rc, &o.err, HC_MISMATCH, "machine 183");
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
	open_pair("/gone", put("exe", b));
	ck_assert_int_eq(o.rc, HC_FAIL);
	ck_assert_msg(strstr(o.err.msg, cases[_i].says), "%s", o.err.msg);
	ck_assert_ptr_nonnull(strstr(o.err.msg, in_dir("exe")));
}
END_TEST

START_TEST(a_missing_executable_or_a_directory_is_refused)
{
	open_pair("/gone", in_dir("no-such-file"));
	ck_says(o.rc, &o.err, HC_IO, "no such file");
	opencore_close(&o);
	opencore_open(&o, elfbuf_bytes(&w.out), dir);
	ck_says(o.rc, &o.err, HC_IO, "a directory");
	opencore_close(&o);
	const char *core = put("core", elfbuf_bytes(&w.out));
	opencore_open(&o, elfbuf_bytes(&w.out), core);
	ck_says(o.rc, &o.err, HC_UNSUPPORTED, "is a core");
}
END_TEST

START_TEST(a_pipe_named_in_the_core_is_not_opened)
{
	const char *fifo = in_dir("fifo");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	open_pair(fifo, NULL); // would hang
	ck_ok(o.rc, &o.err);
	ck_assert_ptr_null(core_exe(o.core));
}
END_TEST

START_TEST(a_pie_is_moved_by_its_entry)
{
	taddr moved = 0x555500000000;
	ew_free(&ew);
	ew_init(&ew, CORE_AMD64, 0);
	ew.type = ELF_DYN;
	ew.go_id = "right/id";
	const char *exe = put("exe", ew_finish(&ew));
	cw_pair(&w, CORE_AMD64, elfbuf_bytes(&ew.out), "/gone", moved);
	opencore_must(&o, cw_finish(&w), exe);
	uint8_t v;
	ck_assert_uint_eq(core_exe(o.core)->bias, moved);
	ck_ok(core_u8(o.core, moved + 0x1234, &v, &o.err), &o.err);
	ck_assert_uint_eq(v, cw_byte(0x1234));
}
END_TEST

START_TEST(shared_objects_are_modules_and_fill_their_text)
{
	struct exewriter lib;
	taddr at = 0x7f0000000000;
	ew_init(&lib, CORE_AMD64, 0);
	lib.type = ELF_DYN;
	lib.gnu_id = "library";
	const char *path = put("lib.so", ew_finish(&lib));
	const struct cw_file files[] = {
		{ at, at + 0x2000, 0, path },
		{ at + 0x2000, at + 0x3000, 2, path },
		{ at + 0x4000, at + 0x5000, 0, "/no/data/file" },
	};
	cw_init(&w, CORE_AMD64);
	cw_files(&w, 4096, 3, files);
	cw_load(&w, at, 0x2000, 0x400, CORE_R | CORE_X);
	w.loads[0].bytes = lib.out.at;
	cw_load(&w, at + 0x2000, 0x1000, 0, CORE_R | CORE_W);
	cw_load(&w, at + 0x4000, 0x1000, 0x10, CORE_R);
	opencore_must(&o, cw_finish(&w), NULL);
	size_t n;
	uint8_t v;
	const struct core_module *m = core_modules(o.core, &n);
	ck_assert_uint_eq(n, 1); // the data file is no ELF file
	ck_assert_str_eq(m->path, path);
	ck_assert(!m->is_exe && m->file);
	ck_assert_uint_eq(m->bias, at);
	ck_ok(core_u8(o.core, at + 0x1fff, &v, &o.err), &o.err);
	ck_assert_uint_eq(v, cw_byte(0x1fff));
	ck_fails(core_u8(o.core, at + 0x2000, &v, &o.err), &o.err, HC_UNSAVED,
		 at + 0x2000);
	ck_assert_ptr_null(core_exe(o.core));
	ew_free(&lib);
}
END_TEST

Suite *modules_suite(void)
{
	Suite *s = suite_create("modules");
	TCase *tc = tcase_create("modules");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, text_comes_from_the_executable);
	tcase_add_test(tc, the_executable_is_known);
	tcase_add_test(tc, writable_pages_never_come_from_the_file);
	tcase_add_test(tc,
		       a_core_without_file_notes_takes_text_and_absent_data);
	tcase_add_test(tc, the_path_in_the_core_is_tried);
	tcase_add_test(tc, a_deleted_executable_that_came_back_is_tried);
	tcase_add_test(tc, the_sysroot_is_tried);
	tcase_add_test(tc,
		       beside_the_core_and_the_working_directory_are_tried);
	tcase_add_test(tc, a_wrong_executable_that_was_found_is_passed_over);
	tcase_add_test(
		tc, a_wrong_executable_that_was_named_is_refused_with_both_ids);
	tcase_add_test(tc, a_wrong_executable_may_be_insisted_on);
	tcase_add_test(tc, gnu_build_ids_count_before_go_ones);
	tcase_add_test(tc, an_executable_of_another_machine_is_refused);
	tcase_add_loop_test(tc, what_is_no_executable_is_named, 0, 3);
	tcase_add_test(tc, a_missing_executable_or_a_directory_is_refused);
	tcase_add_test(tc, a_pipe_named_in_the_core_is_not_opened);
	tcase_add_test(tc, a_pie_is_moved_by_its_entry);
	tcase_add_test(tc, shared_objects_are_modules_and_fill_their_text);
	suite_add_tcase(s, tc);
	return s;
}
