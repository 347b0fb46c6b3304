// test_damage.c: broken function tables and module data end in an answer.
#include "libheap/go/program/buildinfo.h"
#include "libheap/go/program/moduledata.h"
#include "libheap/go/tests/sample.h"

#include <unistd.h>

Suite *damage_suite(void);

static struct gowriter w;

// must is ck_assert for loops: that one writes to a file each time.
static void must(bool claim)
{
	if (!claim)
		ck_abort();
}

static void ask_func(const struct go_process *p, const struct go_func *f)
{
	struct go_line l[8];
	int32_t v;
	taddr pcs[] = { f->entry, f->entry + 12, f->end - 1 };
	for (size_t i = 0; i < 3; i++) {
		for (int t = 0; t < 8; t++)
			(void)!go_pc_value(f, t, pcs[i], &v);
		unsigned n = go_lines(p, f, pcs[i], l, 8);
		for (unsigned k = 0; k < n; k++) {
			must(strlen(l[k].function) < GW_SEGMENT);
			must(!l[k].file || strlen(l[k].file) < GW_SEGMENT);
		}
	}
	for (unsigned i = 0; i < 8; i++)
		(void)go_funcdata(f, i);
}

// ask_all asks everything, whatever the answers.
static void ask_all(struct gw_core *c)
{
	static const char *const names[] = { "main.last", "runtime.big" };
	struct go_process *p = &c->process;
	struct go_func f, two[2];
	uint64_t n = p->findings->n;
	if (go_anchor_find(c->core, &p->anchor) || go_modules_find(p, NULL))
		p->n_modules = 0;
	for (taddr pc = GW_TEXT - 1; pc < GW_TEXT + 0x2600; pc += 0x1f)
		if (!go_func_at(p, pc, &f)) {
			must(f.entry <= pc && pc < f.end);
			ask_func(p, &f);
		}
	for (size_t k = 0; k < p->n_modules; k++)
		for (uint64_t i = 0; i < p->modules[k].n_funcs && i < 100; i++)
			if (!go_func_nth(p, &p->modules[k], i, &f))
				ask_func(p, &f);
	go_funcs_named(p, names, 2, two);
	p->findings->n = n;
}

static void flip_all(struct gw_core *c, uint64_t file_off, uint8_t *bytes,
		     uint32_t from, uint32_t to)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	for (uint32_t i = from; i < to; i++) {
		for (size_t k = 0; k < sizeof(masks); k++) {
			uint8_t b = bytes[i] ^ masks[k];
			off_t at = (off_t)(file_off + i);
			must(pwrite(c->fd, &b, 1, at) == 1);
			ask_all(c);
			must(pwrite(c->fd, bytes + i, 1, at) == 1);
		}
	}
}

static const struct {
	enum core_arch arch;
	unsigned minor;
} kinds[] = { { CORE_AMD64, 19 }, { CORE_AMD64, 27 }, { CORE_386, 24 } };

START_TEST(every_flipped_byte_of_the_tables_ends_well)
{
	struct gw_core c;
	sample_make(&w, kinds[_i].arch, kinds[_i].minor);
	gw_modules(&w, &c);
	flip_all(&c, c.rodata_off, w.rodata, 64, w.rodata_len);
	gw_close(&c);
}
END_TEST

START_TEST(every_flipped_byte_of_module_data_ends_well)
{
	struct gw_core c;
	sample_make(&w, kinds[_i].arch, kinds[_i].minor);
	gw_modules(&w, &c);
	flip_all(&c, c.data_off, w.data, 0x100,
		 0x100 + c.process.layout.size[S_moduledata]);
	gw_close(&c);
}
END_TEST

// The core keeps only the beginning of the tables.
START_TEST(every_prefix_of_the_tables_ends_well)
{
	sample_make(&w, kinds[_i].arch, kinds[_i].minor);
	for (uint32_t cut = 64; cut < w.rodata_len; cut += 3) {
		static struct gowriter copy;
		struct gw_core c;
		copy = w;
		copy.rodata_saved = cut;
		gw_open(&copy, &c);
		gw_layout(w.arch, w.minor, &c.process.layout);
		ask_all(&c);
		gw_close(&c);
	}
}
END_TEST

START_TEST(every_prefix_of_each_table_ends_well)
{
	static const unsigned slices[] = { 1, 4, 7, 10, 13, 16 };
	struct gw_core c;
	sample_make(&w, kinds[_i].arch, kinds[_i].minor);
	gw_modules(&w, &c);
	for (size_t k = 0; k < 6; k++) {
		uint32_t at = (uint32_t)(w.moduledata - GW_DATA) +
			      (slices[k] + 1) * w.word;
		uint64_t len = 0;
		memcpy(&len, w.data + at, w.word);
		off_t off = (off_t)(c.data_off + at);
		for (uint64_t n = 0; n < len; n++) {
			uint64_t two[2] = { n, n };
			memcpy((char *)two + w.word, &n, w.word);
			(void)!pwrite(c.fd, two, 2 * w.word, off);
			ask_all(&c);
		}
		(void)!pwrite(c.fd, w.data + at, 2 * w.word, off);
	}
	gw_close(&c);
}
END_TEST

START_TEST(a_known_version_without_a_heap_is_told_in_one_line)
{
	struct gw_core c;
	struct hc_err err;
	w = (struct gowriter){ 0 };
	sample_make(&w, CORE_AMD64, 22);
	memcpy(w.data + 0x800, "\xff Go buildinf:\x08\x02", 16);
	memcpy(w.data + 0x820, "\x09go1.22.12", 11);
	gw_open(&w, &c);
	ck_assert_int_eq(go_discover(&c.process, &err), HC_FAIL);
	ck_assert_int_eq(err.kind, HC_UNSUPPORTED);
	ck_assert_ptr_null(strchr(err.msg, '\n'));
	gw_close(&c);
}
END_TEST

Suite *damage_suite(void)
{
	Suite *s = suite_create("damage");
	TCase *t = tcase_create("damage");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_flipped_byte_of_the_tables_ends_well, 0,
			    3);
	tcase_add_loop_test(t, every_flipped_byte_of_module_data_ends_well, 0,
			    3);
	tcase_add_loop_test(t, every_prefix_of_the_tables_ends_well, 0, 3);
	tcase_add_loop_test(t, every_prefix_of_each_table_ends_well, 0, 3);
	tcase_add_test(t, a_known_version_without_a_heap_is_told_in_one_line);
	suite_add_tcase(s, t);
	return s;
}
