// test_modules.c: which file was mapped, and what it gives to memory.
#include "libcore/tests/pair.h"

Suite *modules_suite(void);

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

START_TEST(text_comes_from_the_executable)
{
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	const uint8_t *view;
	pair_open(&p, "/gone", exe);
	ck_ok(p.o.rc, &p.o.err);
	// One run from the header on: what was saved is the file's as well.
	ck_ok(core_view(p.o.core, BASE, 0x2000, &view, &p.o.err), &p.o.err);
	for (unsigned i = 0x1000; i < 0x2000; i++)
		ck_assert_uint_eq(view[i], cw_byte(BASE + i));
	ck_assert(!memcmp(view, p.ew.out.at, 0x1000));
	struct core_window win;
	ck_ok(core_window(p.o.core, BASE + 0x1000, &win), &p.o.err);
	ck_assert(win.from_file);
	// Counted as saved is only what the core itself has.
	ck_assert_uint_eq(core_saved_bytes(p.o.core, BASE, 0x2000), 0x400);
}
END_TEST

START_TEST(the_executable_is_known)
{
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	pair_open(&p, "/gone", exe);
	ck_ok(p.o.rc, &p.o.err);
	const struct core_module *m = core_exe(p.o.core);
	size_t n;
	ck_assert_ptr_nonnull(m);
	ck_assert_ptr_eq(core_modules(p.o.core, &n), m);
	ck_assert_uint_eq(n, 1);
	ck_assert(m->is_exe);
	ck_assert_str_eq(m->path, "/gone");
	ck_assert_str_eq(m->go_build_id, "right/id");
	ck_assert_ptr_null(m->build_id);
	ck_assert_uint_eq(m->bias, 0);
	ck_assert_uint_eq(m->low, BASE);
	ck_assert_uint_eq(m->high, BASE + 0x3000);
	ck_assert_str_eq(core_info(p.o.core)->exe_path, exe);
	ck_assert_uint_eq(core_findings(p.o.core)->n, 0);
}
END_TEST

START_TEST(writable_pages_never_come_from_the_file)
{
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), "/gone", BASE);
	p.w.loads[1].saved = 0;
	opencore_must(&p.o, cw_finish(&p.w), exe);
	uint8_t v;
	ck_fails(core_u8(p.o.core, BASE + 0x2000, &v, &p.o.err), &p.o.err,
		 HC_UNSAVED, BASE + 0x2000);
	// Not even when they were made read-only after loading.
	p.w.out.len = 0;
	p.w.loads[1].perm = CORE_R;
	opencore_close(&p.o);
	opencore_must(&p.o, cw_finish(&p.w), exe);
	ck_fails(core_u8(p.o.core, BASE + 0x2000, &v, &p.o.err), &p.o.err,
		 HC_UNSAVED, BASE + 0x2000);
}
END_TEST

START_TEST(a_core_without_file_notes_takes_text_and_absent_data)
{
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	const uint64_t auxv[][2] = { { 9, BASE + 0x1040 } };
	cw_init(&p.w, CORE_AMD64);
	cw_auxv(&p.w, 1, auxv);
	cw_load(&p.w, BASE, 0x1800, 0, CORE_R | CORE_X);
	opencore_must(&p.o, cw_finish(&p.w), exe);
	const uint8_t *view;
	uint8_t v;
	ck_ok(core_view(p.o.core, BASE + 0x1000, 0x1800, &view, &p.o.err), &p.o.err);
	for (unsigned i = 0; i < 0x1800; i++)
		ck_assert_uint_eq(view[i], cw_byte(BASE + 0x1000 + i));
	ck_ok(core_u8(p.o.core, BASE + 0x2fff, &v, &p.o.err), &p.o.err);
	ck_assert_uint_eq(v, 0); // bss
	ck_fails(core_u8(p.o.core, BASE + 0x3000, &v, &p.o.err), &p.o.err,
		 HC_UNSAVED, BASE + 0x3000);
	// Nothing that identifies it was saved.
	ck_assert_ptr_nonnull(finding_of(p.o.core, "unverified"));
	ck_assert_str_eq(core_exe(p.o.core)->path, exe);
}
END_TEST

START_TEST(a_pie_is_moved_by_its_entry)
{
	taddr moved = 0x555500000000;
	ew_free(&p.ew);
	ew_init(&p.ew, CORE_AMD64, 0);
	p.ew.type = ELF_DYN;
	p.ew.go_id = "right/id";
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), "/gone", moved);
	opencore_must(&p.o, cw_finish(&p.w), exe);
	uint8_t v;
	ck_assert_uint_eq(core_exe(p.o.core)->bias, moved);
	ck_ok(core_u8(p.o.core, moved + 0x1234, &v, &p.o.err), &p.o.err);
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
	const char *path = pair_put(&p, "lib.so", ew_finish(&lib));
	const struct cw_file files[] = {
		{ at, at + 0x2000, 0, path },
		{ at + 0x2000, at + 0x3000, 2, path },
		{ at + 0x4000, at + 0x5000, 0, "/no/data/file" },
	};
	cw_init(&p.w, CORE_AMD64);
	cw_files(&p.w, 4096, 3, files);
	cw_load(&p.w, at, 0x2000, 0x400, CORE_R | CORE_X);
	p.w.loads[0].bytes = lib.out.at;
	cw_load(&p.w, at + 0x2000, 0x1000, 0, CORE_R | CORE_W);
	cw_load(&p.w, at + 0x4000, 0x1000, 0x10, CORE_R);
	opencore_must(&p.o, cw_finish(&p.w), NULL);
	size_t n;
	uint8_t v;
	const struct core_module *m = core_modules(p.o.core, &n);
	ck_assert_uint_eq(n, 1); // the data file is no ELF file
	ck_assert_str_eq(m->path, path);
	ck_assert(!m->is_exe && m->file);
	ck_assert_uint_eq(m->bias, at);
	ck_ok(core_u8(p.o.core, at + 0x1fff, &v, &p.o.err), &p.o.err);
	ck_assert_uint_eq(v, cw_byte(0x1fff));
	ck_fails(core_u8(p.o.core, at + 0x2000, &v, &p.o.err), &p.o.err, HC_UNSAVED,
		 at + 0x2000);
	ck_assert_ptr_null(core_exe(p.o.core));
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
	tcase_add_test(
		tc, a_core_without_file_notes_takes_text_and_absent_data);
	tcase_add_test(tc, a_pie_is_moved_by_its_entry);
	tcase_add_test(tc, shared_objects_are_modules_and_fill_their_text);
	suite_add_tcase(s, tc);
	return s;
}
