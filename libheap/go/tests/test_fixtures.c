// test_fixtures.c: discovery on real programs of every version.
#include "libdwarfread/dwarfread.h"
#include "libheap/go/program/layout_tables.h"
#include "libheap/go/tests/fixture.h"

#include <stdio.h>

Suite *fixtures_suite(void);

static struct fixture all[FIXTURES_MAX];
static unsigned n_all;

// The debug information of the program is the judge.
START_TEST(tables_say_what_debug_information_says)
{
	unsigned n = 0;
	for (unsigned i = 0; i < n_all; i++) {
		struct fixture_run r;
		struct dwarf *dwarf;
		struct go_layout l;
		fixture_open(&all[i], false, &r);
		struct go_process *p = &r.process;
		uint64_t before = p->findings->n;
		// With cgo there may be debug information of the C part only.
		if (!go_dwarf(p, &dwarf) &&
		    !go_layout_from_dwarf(dwarf, &p->version, p->layout.arch,
					  &p->layout, p->findings, &l, NULL)) {
			n++;
			for (uint64_t k = before; k < p->findings->n; k++)
				printf("%s: %s\n", all[i].name,
				       p->findings->at[k].text);
			ck_assert_uint_eq(p->findings->n, before);
			for (int f = 0; f < GO_N_FIELDS; f++)
				ck_assert_int_eq(l.field[f].off,
						 p->layout.field[f].off);
		}
		fixture_close(&r);
	}
	ck_assert_uint_gt(n, 0);
}
END_TEST

// As for a version that is newer than the tables.
START_TEST(debug_information_alone_suffices)
{
	for (unsigned i = 0; i < n_all; i++) {
		struct fixture_run r;
		struct dwarf *dwarf;
		struct go_layout l, table;
		fixture_open(&all[i], false, &r);
		struct go_process *p = &r.process;
		table = p->layout;
		taddr mheap = p->globals.at[G_mheap_];
		if (!go_dwarf(p, &dwarf) &&
		    !go_layout_from_dwarf(dwarf, &p->version, table.arch, NULL,
					  p->findings, &l, NULL)) {
			for (int f = 0; f < GO_N_FIELDS; f++)
				ck_assert_int_eq(l.field[f].off,
						 table.field[f].off);
			for (int k = 0; k < GO_N_CONSTS; k++)
				ck_assert_int_eq(l.constant[k],
						 table.constant[k]);
			p->layout = l;
			p->n_modules = 0;
			ck_assert(!go_modules_find(p, NULL));
			ck_assert(!go_globals_find(p, NULL));
			ck_assert_uint_eq(p->globals.at[G_mheap_], mheap);
		}
		fixture_close(&r);
	}
}
END_TEST

START_TEST(tables_apply_without_debug_information)
{
	for (unsigned i = 0; i < n_all; i++) {
		struct fixture_run r;
		fixture_open(&all[i], false, &r);
		ck_assert_msg(strncmp(r.process.layout.source, "tables", 6) ==
				      0,
			      "%s: %s", all[i].name, r.process.layout.source);
		ck_assert_str_eq(r.process.globals.source, "symbols");
		ck_assert(!r.process.dwarf_tried);
		fixture_close(&r);
	}
}
END_TEST

static bool same_place(const struct fixture *f, const struct fixture_run *a,
		       const struct fixture_run *b, int g)
{
	taddr want = a->process.globals.at[g], got = b->process.globals.at[g];
	if (got == want || got == 0)
		return true;
	printf("%s: %s is at %lx and was found at %lx\n", f->name,
	       go_global_name((enum go_global)g), (unsigned long)want,
	       (unsigned long)got);
	return false;
}

START_TEST(a_stripped_twin_has_its_globals_in_the_same_places)
{
	static const enum go_global must[] = { G_mheap_, G_allgs, G_allm,
					       G_allp,	 G_sched, G_m0,
					       G_g0,
					       G_firstmoduledata };
	for (unsigned i = 0; i < n_all; i++) {
		struct fixture_run a, b;
		bool good = true;
		unsigned missing = 0;
		fixture_open(&all[i], false, &a);
		fixture_open(&all[i], true, &b);
		ck_assert_str_eq(b.process.globals.source,
				 "signatures and code");
		for (int g = 0; g < GO_N_GLOBALS; g++) {
			good &= same_place(&all[i], &a, &b, g);
			missing += a.process.globals.at[g] &&
				   !b.process.globals.at[g];
		}
		ck_assert_msg(good, "%s", all[i].name);
		for (size_t k = 0; k < sizeof(must) / sizeof(must[0]); k++)
			ck_assert_uint_ne(b.process.globals.at[must[k]], 0);
		// 386 has no table of code references.
		if (a.process.layout.arch != CORE_386)
			ck_assert_msg(missing == 0, "%s: %u not found",
				      all[i].name, missing);
		ck_assert_str_eq(b.process.version.text,
				 a.process.version.text);
		fixture_close(&a);
		fixture_close(&b);
	}
}
END_TEST

// struct judge compares the function tables with the symbol table.
struct judge {
	const struct fixture_run *run;
	taddr bias;
	unsigned n, wrong;
};

// same_name compares len bytes; a middle dot ends them.
static bool same_name(const char *have, const char *want, size_t len)
{
	const char *dot = strstr(have, "\xc2\xb7");
	if (dot && (size_t)(dot - have) < len)
		len = (size_t)(dot - have);
	return strncmp(have, want, len) == 0;
}

static bool one_symbol(void *ctx, const struct objfile_symbol *s)
{
	struct judge *j = ctx;
	const struct go_process *p = &j->run->process;
	taddr at = s->addr + j->bias;
	struct go_func f;
	// Marks of the linker and C functions are not in Go's tables.
	if (s->type != 2 || s->len == 0 || at < p->modules[0].minpc ||
	    at >= p->modules[0].maxpc || strchr(s->name, '.') == NULL ||
	    strncmp(s->name, "go:", 3) == 0)
		return true;
	size_t len = strcspn(s->name, "\t");
	if (len > 5 && strcmp(s->name + len - 5, ".abi0") == 0)
		len -= 5;
	// The tables have "[...]" for all that stands in brackets.
	if (len > strcspn(s->name, "["))
		len = strcspn(s->name, "[");
	j->n++;
	if (go_func_at(p, at, &f) || f.entry != at ||
	    !same_name(f.name, s->name, len)) {
		if (j->wrong++ < 5)
			printf("%s: %s\n", s->name,
			       go_func_at(p, at, &f) ? "none" : f.name);
	}
	return true;
}

START_TEST(functions_are_those_of_the_symbol_table)
{
	for (unsigned i = 0; i < n_all; i++) {
		struct fixture_run r;
		fixture_open(&all[i], false, &r);
		const struct core_module *o = r.process.anchor.object;
		struct judge j = { .run = &r, .bias = o->bias };
		objfile_each_symbol(o->file, one_symbol, &j);
		ck_assert_uint_gt(j.n, 1000);
		ck_assert_msg(j.wrong == 0, "%s: %u of %u", all[i].name,
			      j.wrong, j.n);
		fixture_close(&r);
	}
}
END_TEST

START_TEST(every_function_has_a_line_and_a_frame_size)
{
	for (unsigned i = 0; i < n_all; i++) {
		struct fixture_run r;
		fixture_open(&all[i], true, &r);
		const struct go_module *m = &r.process.modules[0];
		uint64_t no_line = 0, no_sp = 0;
		for (uint64_t k = 0; k < m->n_funcs; k++) {
			struct go_func f;
			struct go_line l[8];
			int32_t sp;
			ck_assert(!go_func_nth(&r.process, m, k, &f));
			no_sp += go_pc_value(&f, GO_TABLE_SP, f.entry, &sp) !=
				 HC_OK;
			unsigned n = go_lines(&r.process, &f, f.entry, l, 8);
			no_line += n == 0 || !l[0].file || !l[0].line;
		}
		// Only marks in assembly (runtime.etext, …) have neither.
		ck_assert_msg(no_line <= 8 && no_sp <= 8,
			      "%s: %lu without line, %lu without sp of %lu",
			      all[i].name, (unsigned long)no_line,
			      (unsigned long)no_sp,
			      (unsigned long)m->n_funcs);
		fixture_close(&r);
	}
}
END_TEST

Suite *fixtures_suite(void)
{
	Suite *s = suite_create("fixtures");
	TCase *t = tcase_create("fixtures");
	tcase_set_timeout(t, 300);
	n_all = fixtures_list(all);
	if (n_all == 0)
		return s;
	tcase_add_test(t, tables_say_what_debug_information_says);
	tcase_add_test(t, debug_information_alone_suffices);
	tcase_add_test(t, tables_apply_without_debug_information);
	tcase_add_test(t, a_stripped_twin_has_its_globals_in_the_same_places);
	tcase_add_test(t, functions_are_those_of_the_symbol_table);
	tcase_add_test(t, every_function_has_a_line_and_a_frame_size);
	suite_add_tcase(s, t);
	return s;
}
