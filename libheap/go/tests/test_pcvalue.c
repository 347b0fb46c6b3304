// test_pcvalue.c: pc-value tables, written by hand.
#include "libheap/go/program/modules.h"

#include <check.h>
#include <stdlib.h>

Suite *pcvalue_suite(void);

enum { ENTRY = 0x1000, LEN = 0x1000 };

// struct desk is a function whose pcsp, pcfile and PCDATA 0 table is at
// offset 1 of pctab.
struct desk {
	struct go_module module;
	struct go_func fn;
	uint8_t record[44 + 12];
	uint8_t *pctab;
};

static void desk_set(struct desk *d, const void *table, uint64_t len,
		     unsigned min_lc)
{
	*d = (struct desk){ 0 };
	// Exactly as long as it is, so that a read past it is seen.
	d->pctab = malloc(len + 1);
	d->pctab[0] = 0;
	memcpy(d->pctab + 1, table, len);
	d->record[16] = 1; // pcsp
	d->record[44 + 4] = 1; // pcdata 1
	d->record[44 + 8] = 0xff; // pcdata 2: past the table
	d->module = (struct go_module){ .pctab = { d->pctab, len + 1, 0 },
					.min_lc = min_lc,
					.func_len = 44 };
	d->fn = (struct go_func){ .module = &d->module,
				  .record = d->record,
				  .entry = ENTRY,
				  .end = ENTRY + LEN,
				  .n_pcdata = 3 };
}

static void want(struct desk *d, taddr pc, int32_t value)
{
	int32_t got;
	ck_assert_msg(!go_pc_value(&d->fn, GO_TABLE_SP, pc, &got), "at %lx",
		      (unsigned long)pc);
	ck_assert_int_eq(got, value);
}

static void want_none(struct desk *d, int which, taddr pc)
{
	int32_t got = 77;
	ck_assert_int_eq(go_pc_value(&d->fn, which, pc, &got), HC_NONE);
	ck_assert_int_eq(got, 77);
}

// Values begin at -1 and change by zigzag numbers: 2 is +1, 15 is -8.
static const char plain[] = "\x02\x04\x10\x0c\x0f\x01";

START_TEST(values_hold_for_their_run_of_code)
{
	struct desk d;
	desk_set(&d, plain, sizeof(plain), 1);
	want(&d, ENTRY, 0);
	want(&d, ENTRY + 3, 0);
	want(&d, ENTRY + 4, 8);
	want(&d, ENTRY + 15, 8);
	want(&d, ENTRY + 16, 0);
	want_none(&d, GO_TABLE_SP, ENTRY + 17);
	free(d.pctab);
}
END_TEST

START_TEST(runs_are_counted_in_quanta)
{
	struct desk d;
	desk_set(&d, plain, sizeof(plain), 4);
	want(&d, ENTRY + 15, 0);
	want(&d, ENTRY + 16, 8);
	want(&d, ENTRY + 63, 8);
	want(&d, ENTRY + 67, 0);
	free(d.pctab);
}
END_TEST

START_TEST(a_first_value_of_minus_one_is_one)
{
	struct desk d;
	desk_set(&d, "\0\x05\x08\x05", 5, 1);
	want(&d, ENTRY + 4, -1);
	want(&d, ENTRY + 5, 3);
	want_none(&d, GO_TABLE_SP, ENTRY + 10);
	free(d.pctab);
}
END_TEST

START_TEST(large_numbers_take_more_bytes)
{
	struct desk d;
	desk_set(&d, "\x82\x01\xac\x02\x02\x01", 7, 1);
	want(&d, ENTRY + 299, 64);
	want(&d, ENTRY + 300, 65);
	free(d.pctab);
}
END_TEST

START_TEST(offset_zero_is_no_table)
{
	struct desk d;
	desk_set(&d, plain, sizeof(plain), 1);
	want_none(&d, GO_TABLE_FILE, ENTRY);
	want_none(&d, GO_TABLE_PCDATA + 0, ENTRY);
	want_none(&d, GO_TABLE_PCDATA + 2, ENTRY);
	want_none(&d, GO_TABLE_PCDATA + 3, ENTRY);
	want_none(&d, -1, ENTRY);
	int32_t got;
	ck_assert_int_eq(go_pc_value(&d.fn, GO_TABLE_PCDATA + 1, ENTRY + 4,
				     &got),
			 HC_OK);
	ck_assert_int_eq(got, 8);
	free(d.pctab);
}
END_TEST

START_TEST(a_pc_outside_the_function_has_no_value)
{
	struct desk d;
	desk_set(&d, plain, sizeof(plain), 1);
	want_none(&d, GO_TABLE_SP, ENTRY - 1);
	want_none(&d, GO_TABLE_SP, ENTRY + LEN);
	free(d.pctab);
}
END_TEST

START_TEST(a_step_of_nothing_ends_the_table)
{
	struct desk d;
	desk_set(&d, "\x02\x00\x02\x05", 5, 1);
	want_none(&d, GO_TABLE_SP, ENTRY);
	free(d.pctab);
}
END_TEST

START_TEST(every_prefix_and_flip_ends)
{
	int32_t got;
	for (size_t n = 0; n <= sizeof(plain); n++) {
		struct desk d;
		desk_set(&d, plain, n, 1);
		for (taddr pc = ENTRY; pc < ENTRY + 20; pc++)
			(void)!go_pc_value(&d.fn, GO_TABLE_SP, pc, &got);
		for (size_t i = 0; i < n * 8; i++) {
			d.pctab[1 + i / 8] ^= (uint8_t)(1u << i % 8);
			(void)!go_pc_value(&d.fn, GO_TABLE_SP, ENTRY + 16,
					   &got);
			d.pctab[1 + i / 8] ^= (uint8_t)(1u << i % 8);
		}
		free(d.pctab);
	}
}
END_TEST

Suite *pcvalue_suite(void)
{
	Suite *s = suite_create("pcvalue");
	TCase *t = tcase_create("pcvalue");
	tcase_add_test(t, values_hold_for_their_run_of_code);
	tcase_add_test(t, runs_are_counted_in_quanta);
	tcase_add_test(t, a_first_value_of_minus_one_is_one);
	tcase_add_test(t, large_numbers_take_more_bytes);
	tcase_add_test(t, offset_zero_is_no_table);
	tcase_add_test(t, a_pc_outside_the_function_has_no_value);
	tcase_add_test(t, a_step_of_nothing_ends_the_table);
	tcase_add_test(t, every_prefix_and_flip_ends);
	suite_add_tcase(s, t);
	return s;
}
