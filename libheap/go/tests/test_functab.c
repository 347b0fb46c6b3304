// test_functab.c: functions by pc and by name, in tables written by hand.
#include "libheap/go/program/moduledata.h"
#include "libheap/go/tests/sample.h"

Suite *functab_suite(void);

static struct gowriter w;

static const struct {
	enum core_arch arch;
	unsigned minor;
} kinds[] = {
	{ CORE_AMD64, 18 }, { CORE_AMD64, 19 }, { CORE_AMD64, 20 },
	{ CORE_ARM64, 22 }, { CORE_386, 24 },	{ CORE_AMD64, 26 },
	{ CORE_AMD64, 27 },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

START_TEST(every_pc_has_its_function)
{
	for (int buckets = 0; buckets < 2; buckets++) {
		struct gw_core c;
		sample_make(&w, kinds[_i].arch, kinds[_i].minor);
		if (!buckets)
			memset(w.data + (w.moduledata - GW_DATA) +
				       19 * w.word,
			       0, w.word);
		gw_modules(&w, &c);
		taddr pc = GW_TEXT;
		for (unsigned i = 0; i < SAMPLE_N; i++) {
			taddr end = pc + sample_lens[i];
			for (taddr entry = pc; pc < end; pc++) {
				struct go_func f;
				if (go_func_at(&c.process, pc, &f) ||
				    strcmp(f.name, sample_funcs[i].name) ||
				    f.entry != entry || f.end != end)
					ck_abort_msg("at %lx",
						     (unsigned long)pc);
			}
		}
		struct go_func none;
		ck_assert(go_func_at(&c.process, GW_TEXT - 1, &none));
		ck_assert(go_func_at(&c.process, pc, &none));
		ck_assert(go_func_at(&c.process, 0, &none));
		ck_assert(go_func_at(&c.process, UINT64_MAX, &none));
		gw_close(&c);
	}
}
END_TEST

START_TEST(a_record_is_read_as_its_version_wrote_it)
{
	struct gw_core c;
	sample_make(&w, kinds[_i].arch, kinds[_i].minor);
	gw_modules(&w, &c);
	const struct go_module *m = &c.process.modules[0];
	ck_assert_uint_eq(m->n_funcs, SAMPLE_N);
	struct go_func f;
	ck_assert(!go_func_nth(&c.process, m, 0, &f));
	ck_assert_uint_eq(f.n_pcdata, 3);
	ck_assert_uint_eq(f.n_funcdata, 4);
	ck_assert_uint_eq(f.start_line, kinds[_i].minor < 20 ? 0 : 100);
	ck_assert_uint_eq(go_funcdata(&f, 0), 0);
	ck_assert_uint_eq(go_funcdata(&f, 3), m->gofunc);
	ck_assert_uint_eq(go_funcdata(&f, 4), 0);
	ck_assert(!go_func_nth(&c.process, m, 3, &f));
	ck_assert_uint_eq(go_funcdata(&f, 0), m->gofunc + 16);
	ck_assert(!go_func_nth(&c.process, m, 2, &f));
	ck_assert_uint_eq(f.id, 7);
	ck_assert_int_eq(go_func_nth(&c.process, m, SAMPLE_N, &f), HC_NONE);
	gw_close(&c);
}
END_TEST

START_TEST(names_are_found_in_one_pass)
{
	static const char *const names[] = { "main.last", "main.none",
					     "runtime.big", "main.b" };
	struct go_func f[4];
	struct gw_core c;
	sample_make(&w, CORE_AMD64, 26);
	gw_modules(&w, &c);
	go_funcs_named(&c.process, names, 4, f);
	ck_assert_str_eq(f[0].name, "main.last");
	ck_assert_ptr_null(f[1].record);
	ck_assert_uint_eq(f[2].entry, GW_TEXT + 0x1c0);
	ck_assert_uint_eq(f[3].entry, GW_TEXT + 0x180);
	go_funcs_named(&c.process, names, 0, f);
	gw_close(&c);
}
END_TEST

START_TEST(any_name_is_found_by_its_index)
{
	struct go_func f;
	struct gw_core c;
	sample_make(&w, CORE_AMD64, 26);
	gw_modules(&w, &c);
	for (uint64_t i = 0; i < SAMPLE_N; i++) {
		struct go_func nth;
		ck_assert(!go_func_nth(&c.process, &c.process.modules[0], i,
				       &nth));
		ck_assert(!go_func_named(&c.process, nth.name, &f));
		ck_assert_str_eq(f.name, nth.name);
		ck_assert_uint_eq(f.entry, nth.entry);
	}
	ck_assert_int_eq(go_func_named(&c.process, "main.none", &f), HC_NONE);
	ck_assert_int_eq(go_func_named(&c.process, "", &f), HC_NONE);
	gw_close(&c);
}
END_TEST

// Source: Go runtime/symtab.go, textAddr and textOff: the last section holds
// its end too.
START_TEST(a_split_text_is_mapped)
{
	struct gw_core c;
	sample_make(&w, CORE_AMD64, 24);
	// [0, 0x180) stays, the rest was moved 0x4000 up.
	const uint64_t map[] = { 0, 0x180, GW_TEXT, 0x180, 0x2515,
				 GW_TEXT + 0x4180 };
	uint8_t *md = w.data + (w.moduledata - GW_DATA);
	struct go_layout l;
	gw_layout(CORE_AMD64, 24, &l);
	uint64_t at = GW_DATA + 0x2000, two = 2, max = GW_TEXT + 0x8000;
	memcpy(w.data + 0x2000, map, sizeof(map));
	memcpy(md + go_off(&l, F_moduledata_textsectmap), &at, 8);
	memcpy(md + go_off(&l, F_moduledata_textsectmap) + 8, &two, 8);
	memcpy(md + 21 * 8, &max, 8); // maxpc
	gw_modules(&w, &c);
	struct go_func f;
	ck_assert(!go_func_at(&c.process, GW_TEXT + 0x10, &f));
	ck_assert_str_eq(f.name, "main.caller");
	ck_assert(!go_func_at(&c.process, GW_TEXT + 0x4180, &f));
	ck_assert_str_eq(f.name, "main.b");
	ck_assert_uint_eq(f.entry, GW_TEXT + 0x4180);
	ck_assert(!go_func_at(&c.process, GW_TEXT + 0x4180 + 0x2394, &f));
	ck_assert_str_eq(f.name, "main.last");
	ck_assert(go_func_at(&c.process, GW_TEXT + 0x4180 + 0x2395, &f));
	gw_close(&c);
}
END_TEST

START_TEST(a_list_of_modules_that_is_a_circle_ends)
{
	struct gw_core c;
	struct go_layout l;
	sample_make(&w, CORE_AMD64, 22);
	gw_layout(CORE_AMD64, 22, &l);
	memcpy(w.data + (w.moduledata - GW_DATA) +
		       go_off(&l, F_moduledata_next),
	       &w.moduledata, 8);
	gw_modules(&w, &c);
	ck_assert_uint_eq(c.process.n_modules, 1);
	ck_assert_str_eq(c.process.findings->at[c.process.findings->n - 1].kind,
			 "bad module");
	gw_close(&c);
}
END_TEST

START_TEST(a_core_without_go_has_no_anchor)
{
	struct gw_core c;
	struct go_anchor a;
	sample_make(&w, CORE_AMD64, 22);
	memset(w.data, 0, GW_SEGMENT);
	gw_open(&w, &c);
	ck_assert_int_eq(go_anchor_find(c.core, &a), HC_NONE);
	ck_assert_int_eq(go_discover(&c.process, NULL), HC_NONE);
	gw_close(&c);
}
END_TEST

Suite *functab_suite(void)
{
	Suite *s = suite_create("functab");
	TCase *t = tcase_create("functab");
	tcase_add_loop_test(t, every_pc_has_its_function, 0, N_KINDS);
	tcase_add_loop_test(t, a_record_is_read_as_its_version_wrote_it, 0,
			    N_KINDS);
	tcase_add_test(t, names_are_found_in_one_pass);
	tcase_add_test(t, any_name_is_found_by_its_index);
	tcase_add_test(t, a_split_text_is_mapped);
	tcase_add_test(t, a_list_of_modules_that_is_a_circle_ends);
	tcase_add_test(t, a_core_without_go_has_no_anchor);
	suite_add_tcase(s, t);
	return s;
}
