// test_hostile.c: input made to crash, hang or swallow memory.
#include "libdwarfread/tests/ask_all.h"
#include "libdwarfread/tests/ck.h"

static struct desk desk;

static void setup(void)
{
	desk_open(&desk);
}

static void teardown(void)
{
	desk_close(&desk);
}

// exact copies a section to memory with nothing behind it.
static struct bytes exact(struct bytes b, uint64_t len)
{
	uint8_t *at = malloc(len ? len : 1);
	memcpy(at, b.at, len);
	return (struct bytes){ at, len, 0 };
}

// ask asks everything of sections cut to their exact size.
static void ask(struct dwarf_sections in)
{
	char *mark = pool_mark(&desk.pool);
	struct bytes *all[] = { &in.info.bytes, &in.abbrev.bytes,
				&in.addr.bytes };
	for (size_t i = 0; i < 3; i++)
		*all[i] = exact(*all[i], all[i]->len);
	ask_all(&in, &desk.pool);
	for (size_t i = 0; i < 3; i++)
		free((void *)(uintptr_t)all[i]->at);
	pool_rewind(&desk.pool, mark);
}

START_TEST(every_prefix_is_answered)
{
	put_go_program(&desk.w);
	struct dwarf_sections good = writer_sections(&desk.w), in;
	for (uint64_t n = 0; n <= good.info.bytes.len; n++) {
		in = good;
		in.info.bytes.len = n;
		ask(in);
	}
	for (uint64_t n = 0; n <= good.abbrev.bytes.len; n++) {
		in = good;
		in.abbrev.bytes.len = n;
		ask(in);
	}
}
END_TEST

START_TEST(every_byte_can_be_wrong)
{
	static const uint8_t wrong[] = { 0, 0xff, 0x80, 0x7f, 1 };
	put_go_program(&desk.w);
	struct dwarf_sections in = writer_sections(&desk.w);
	struct buf *const bufs[] = { &desk.w.info, &desk.w.abbrev };
	for (size_t k = 0; k < 2; k++)
		for (uint64_t i = 0; i < bufs[k]->n; i++) {
			uint8_t was = bufs[k]->at[i];
			for (size_t j = 0; j < sizeof(wrong); j++) {
				bufs[k]->at[i] = wrong[j];
				ask(in);
			}
			bufs[k]->at[i] = was ^ 0x20;
			ask(in);
			bufs[k]->at[i] = was;
		}
}
END_TEST

START_TEST(every_allocation_can_fail)
{
	put_go_program(&desk.w);
	struct dwarf_sections in = writer_sections(&desk.w);
	for (uint64_t n = 1; n < 80; n++) {
		desk.pool.fail_after = n;
		ask(in);
		desk.pool.fail_after = 0;
	}
}
END_TEST

START_TEST(a_failed_question_can_be_asked_again)
{
	static const char *const name = "runtime.g";
	struct dwarf_type t;
	put_go_program(&desk.w);
	desk_read(&desk);
	for (uint64_t n = 1;; n++) {
		desk.pool.fail_after = n;
		enum hc got = dwarf_find_structs(desk.d, &name, 1, &t,
						 &desk.err);
		desk.pool.fail_after = 0;
		if (got == HC_OK)
			break;
		ck_assert_int_eq(desk.err.kind, HC_NOMEM);
		ck_assert_uint_lt(n, 100);
	}
	ck_assert_uint_eq(t.len, 224);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_dropped, 0);
}
END_TEST

// begin starts a unit whose abbreviations 2 and 3 are a typedef and an array
// of another type, 4 a struct, 5 a member, 6 a block with children.
static void begin(void)
{
	struct dw_writer *w = &desk.w;
	put_abbrev(w, 1, TAG_COMPILE_UNIT, true, AT_UNKNOWN, FORM_DATA1, 0);
	put_abbrev(w, 2, TAG_TYPEDEF, false, AT_NAME, FORM_STRING, AT_TYPE,
		   FORM_REF_ADDR, 0);
	put_abbrev(w, 3, TAG_ARRAY, true, AT_NAME, FORM_STRING, AT_TYPE,
		   FORM_REF_ADDR, 0);
	put_abbrev(w, 4, TAG_STRUCT, true, AT_NAME, FORM_STRING, 0);
	put_abbrev(w, 5, TAG_MEMBER, false, AT_NAME, FORM_STRING,
		   AT_MEMBER_OFFSET, FORM_UDATA, AT_TYPE, FORM_REF_ADDR,
		   AT_GO_EMBEDDED, FORM_FLAG, 0);
	put_abbrev(w, 6, TAG_LEXICAL_BLOCK, true, 0);
	put_abbrev(w, 7, TAG_SUBRANGE, false, AT_COUNT, FORM_UDATA, 0);
	put_u8(&w->abbrev, 0);
	put_unit(w, 4, 8);
	put_fixed(&w->info, 0x0001, 2);
}

static struct dwarf_type first_named(const char *name)
{
	struct dwarf_type t;
	put_u8(&desk.w.info, 0);
	put_unit_end(&desk.w);
	desk_read(&desk);
	ck_answers(dwarf_find_types(desk.d, &name, 1, &t, &desk.err),
		   &desk.err);
	return t;
}

START_TEST(typedefs_in_a_circle_end)
{
	struct dwarf_type t;
	begin();
	uint32_t a = at_info(&desk.w);
	put_u8(&desk.w.info, 2);
	put_str(&desk.w.info, "a");
	put_fixed(&desk.w.info, a + 7, 4);
	put_u8(&desk.w.info, 2);
	put_str(&desk.w.info, "b");
	put_fixed(&desk.w.info, a, 4);
	ck_assert_uint_eq(first_named("a").len, 0);
	ck_fails(dwarf_strip(desk.d, a, &t, &desk.err), &desk.err, LIMIT);
}
END_TEST

START_TEST(an_array_of_itself_has_no_length)
{
	begin();
	uint32_t a = at_info(&desk.w);
	put_u8(&desk.w.info, 3);
	put_str(&desk.w.info, "a");
	put_fixed(&desk.w.info, a, 4);
	put_u8(&desk.w.info, 7);
	put_uleb(&desk.w.info, 1u << 20);
	put_u8(&desk.w.info, 0);
	struct dwarf_type t = first_named("a");
	ck_assert_uint_eq(t.len, 0);
	ck_assert_uint_eq(t.count, 1u << 20);
}
END_TEST

START_TEST(a_struct_in_itself_ends_with_the_path)
{
	struct dwarf_field f;
	begin();
	uint32_t a = at_info(&desk.w);
	put_u8(&desk.w.info, 4);
	put_str(&desk.w.info, "a");
	put_u8(&desk.w.info, 5);
	put_str(&desk.w.info, "m");
	put_uleb(&desk.w.info, UINT64_MAX / 2);
	put_fixed(&desk.w.info, a, 4);
	put_u8(&desk.w.info, 1);
	put_u8(&desk.w.info, 0);
	uint32_t ref = first_named("a").ref;
	ck_assert_int_eq(dwarf_field_at(desk.d, ref, "m.m", &f, &desk.err),
			 HC_OK);
	ck_fails(dwarf_field_at(desk.d, ref, "m.m.m", &f, &desk.err),
		 &desk.err, CORRUPT); // past the end of memory
	ck_assert_int_eq(dwarf_field_at(desk.d, ref, "n", &f, &desk.err),
			 HC_NONE);
}
END_TEST

START_TEST(references_to_nowhere_fail)
{
	struct dwarf_type t = { .ref = 7 };
	begin();
	first_named("a");
	for (uint32_t ref = 0; ref < desk.w.info.n + 9; ref++)
		(void)!dwarf_type_at(desk.d, ref, &t, &desk.err);
	t.ref = 7;
	ck_assert_int_eq(dwarf_type_at(desk.d, 0, &t, &desk.err), HC_NONE);
	ck_fails(dwarf_type_at(desk.d, 3, &t, &desk.err), &desk.err, CORRUPT);
	ck_fails(dwarf_type_at(desk.d, UINT32_MAX, &t, &desk.err), &desk.err,
		 CORRUPT);
	ck_assert_uint_eq(t.ref, 7);
}
END_TEST

START_TEST(entries_too_deep_cost_the_unit)
{
	begin();
	for (int i = 0; i < 100000; i++)
		put_u8(&desk.w.info, 6);
	ck_assert_uint_eq(first_named("a").ref, 0);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_dropped, 1);
}
END_TEST

START_TEST(attributes_of_no_bytes_cost_no_time)
{
	struct dw_writer *w = &desk.w;
	put_abbrev(w, 1, TAG_COMPILE_UNIT, true, AT_UNKNOWN, FORM_DATA1, 0);
	put_uleb(&w->abbrev, 2);
	put_uleb(&w->abbrev, TAG_BASE);
	put_u8(&w->abbrev, 0);
	for (int i = 0; i < 250; i++) {
		put_uleb(&w->abbrev, i % 2 ? AT_UNKNOWN : AT_BYTE_SIZE);
		put_uleb(&w->abbrev, FORM_FLAG_PRESENT);
	}
	put_fixed(&w->abbrev, 0, 3);
	put_unit(w, 4, 8);
	put_fixed(&w->info, 0x0001, 2);
	for (int i = 0; i < 1000000; i++)
		put_u8(&w->info, 2);
	first_named("a");
	uint64_t n;
	ck_answers(dwarf_type_count(desk.d, &n, &desk.err), &desk.err);
	ck_assert_uint_eq(n, 1000000);
}
END_TEST

START_TEST(an_abbreviation_of_too_many_attributes_costs_its_units)
{
	struct dw_writer *w = &desk.w;
	put_abbrev(w, 1, TAG_COMPILE_UNIT, true, AT_UNKNOWN, FORM_DATA1, 0);
	put_uleb(&w->abbrev, 2);
	put_uleb(&w->abbrev, TAG_BASE);
	put_u8(&w->abbrev, 0);
	for (int i = 0; i < 1000000; i++) {
		put_uleb(&w->abbrev, AT_UNKNOWN);
		put_uleb(&w->abbrev, FORM_FLAG_PRESENT);
	}
	put_fixed(&w->abbrev, 0, 3);
	put_unit(w, 4, 8);
	put_fixed(&w->info, 0x0001, 2);
	ck_assert_uint_eq(first_named("a").ref, 0);
	ck_assert_uint_eq(dwarf_trouble(desk.d)->units_dropped, 1);
}
END_TEST

START_TEST(abbreviation_tables_that_overlap_are_cut_short)
{
	struct dw_writer *w = &desk.w;
	enum { N = 20000 };
	for (unsigned i = 1; i <= N; i++) // one long table of 5 bytes each
		put_abbrev(w, i % 100 + 1, TAG_LEXICAL_BLOCK, false, 0);
	put_u8(&w->abbrev, 0);
	for (unsigned i = 0; i < N; i++) {
		put_unit(w, 4, 8);
		put_patch(&w->info, w->unit + 6, 5 * i, 4);
		put_u8(&w->info, 1);
		put_unit_end(w);
	}
	desk_read(&desk);
	uint64_t n;
	ck_answers(dwarf_type_count(desk.d, &n, &desk.err), &desk.err);
	ck_assert_uint_gt(dwarf_trouble(desk.d)->units_dropped, N / 2);
	ck_assert_uint_lt(pool_used(&desk.pool), 64u << 20);
}
END_TEST

Suite *hostile_suite(void)
{
	Suite *s = suite_create("hostile");
	TCase *t = tcase_create("hostile");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, every_prefix_is_answered);
	tcase_add_test(t, every_byte_can_be_wrong);
	tcase_add_test(t, every_allocation_can_fail);
	tcase_add_test(t, a_failed_question_can_be_asked_again);
	tcase_add_test(t, typedefs_in_a_circle_end);
	tcase_add_test(t, an_array_of_itself_has_no_length);
	tcase_add_test(t, a_struct_in_itself_ends_with_the_path);
	tcase_add_test(t, references_to_nowhere_fail);
	tcase_add_test(t, entries_too_deep_cost_the_unit);
	tcase_add_test(t, attributes_of_no_bytes_cost_no_time);
	tcase_add_test(t,
		       an_abbreviation_of_too_many_attributes_costs_its_units);
	tcase_add_test(t, abbreviation_tables_that_overlap_are_cut_short);
	suite_add_tcase(s, t);
	return s;
}
