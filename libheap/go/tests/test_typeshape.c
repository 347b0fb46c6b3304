// test_typeshape.c: types told by their pointer masks.
#include "libheap/go/tests/typewriter.h"
#include "libheap/go/types/typeshape.h"

Suite *typeshape_suite(void);

static struct go_shapes *shapes_of(struct typewriter *tw)
{
	struct go_shapes *shapes = NULL;

	tw_open(tw);
	ck_assert_int_eq(go_shapes_open(tw->types, &tw->core.pool, &shapes,
					NULL),
			 HC_OK);
	return shapes;
}

START_TEST(the_only_type_of_a_mask_and_size_is_claimed)
{
	struct typewriter *tw = tw_begin(26);
	taddr a = tw_struct(tw, 40, 0x1a, "main.A", NULL, 0);
	taddr b = tw_struct(tw, 40, 0x14, "main.B", NULL, 0);
	struct go_shapes *s = shapes_of(tw);

	// 40 bytes are allocated in slots of 48.
	ck_assert_uint_eq(go_shape_type(s, 48, 0x1a), tw_id(tw, a));
	ck_assert_uint_eq(go_shape_type(s, 48, 0x14), tw_id(tw, b));
	ck_assert_uint_eq(go_shape_type(s, 64, 0x1a), 0);
	ck_assert_uint_eq(go_shape_type(s, 48, 0x18), 0);
	ck_assert_uint_eq(go_shape_type(s, 48, 0), 0);
	tw_close(tw);
}
END_TEST

START_TEST(none_of_two_types_of_a_mask_and_size_is_claimed)
{
	struct typewriter *tw = tw_begin(26);
	struct go_shapes *s;

	(void)tw_struct(tw, 40, 0x1a, "main.A", NULL, 0);
	(void)tw_struct(tw, 48, 0x1a, "main.B", NULL, 0);
	s = shapes_of(tw);
	ck_assert_uint_eq(go_shape_type(s, 48, 0x1a), 0);
	tw_close(tw);
}
END_TEST

START_TEST(what_may_be_an_array_is_not_claimed)
{
	struct typewriter *tw = tw_begin(26);
	struct go_shapes *s;

	// Two strings, two pointers: elements of arrays as well.
	(void)tw_struct(tw, 32, 0x5, "main.A", NULL, 0);
	(void)tw_struct(tw, 16, 0x3, "main.B", NULL, 0);
	(void)tw_struct(tw, 96, 0x249, "main.C", NULL, 0);
	s = shapes_of(tw);
	ck_assert_uint_eq(go_shape_type(s, 32, 0x5), 0);
	ck_assert_uint_eq(go_shape_type(s, 16, 0x3), 0);
	ck_assert_uint_eq(go_shape_type(s, 96, 0x249), 0);
	tw_close(tw);
}
END_TEST

START_TEST(channels_are_found_by_their_elements)
{
	struct typewriter *tw = tw_begin(26);
	taddr i = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr text = tw_type(tw, GO_KIND_STRING, 16, 1, "string");
	taddr chan = tw_type(tw, GO_KIND_CHAN, 8, 1, "chan int");
	struct go_shapes *s;

	tw_set(tw, chan, 48, i);
	s = shapes_of(tw);
	ck_assert_uint_eq(go_shape_chan(s, tw_id(tw, i)), tw_id(tw, chan));
	ck_assert_uint_eq(go_shape_chan(s, tw_id(tw, text)), 0);
	tw_close(tw);
}
END_TEST

static bool fits_all(void *ctx, const struct go_type *type)
{
	(void)type;
	return ctx == NULL;
}

START_TEST(closures_are_told_only_when_one_type_fits)
{
	struct typewriter *tw = tw_begin(26);
	taddr code = tw_type(tw, GO_KIND_UINTPTR, 8, 0, "uintptr");
	taddr p = tw_pointer(tw, code);
	taddr text = tw_type(tw, GO_KIND_STRING, 16, 1, "string");
	const struct tw_field one[] = { { "F", code, 0, false },
					{ "X0", p, 8, false } };
	const struct tw_field two[] = { { "F", code, 0, false },
					{ "X0", text, 8, false } };
	const struct tw_field none[] = { { "G", code, 0, false },
					 { "X0", p, 8, false } };
	taddr a = tw_struct(tw, 16, 2, "struct { F; X0 *T }", one, 2);
	struct go_shapes *s;

	(void)tw_struct(tw, 24, 2, "struct { F; X0 string }", two, 2);
	(void)tw_struct(tw, 24, 2, "struct { F; X0 string; int }", two, 2);
	(void)tw_struct(tw, 16, 2, "struct { G; X0 *T }", none, 2);
	s = shapes_of(tw);
	ck_assert_uint_eq(go_shape_closure(s, 16, 2, fits_all, NULL),
			  tw_id(tw, a));
	ck_assert_uint_eq(go_shape_closure(s, 16, 2, fits_all, s), 0);
	ck_assert_uint_eq(go_shape_closure(s, 24, 2, fits_all, NULL), 0);
	tw_close(tw);
}
END_TEST

START_TEST(large_types_are_told_only_when_one_fits)
{
	struct typewriter *tw = tw_begin(22);
	taddr copy = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr a = tw_struct(tw, 8000, 0x1, "main.A", NULL, 0);
	taddr b = tw_struct(tw, 9000, 0x1, "main.B", NULL, 0);
	taddr c = tw_struct(tw, 9000, 0x1, "main.C", NULL, 0);
	taddr lost = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	struct go_shapes *s;

	tw_set(tw, a, 8, 4096);
	tw_set(tw, b, 8, 4096);
	tw_set(tw, c, 8, 4096);
	// What the runtime unrolled has only size and pointer bytes.
	tw_byte(tw, copy, 23, 0);
	tw_set(tw, copy, 0, 8000);
	tw_set(tw, copy, 8, 4096);
	tw_byte(tw, lost, 23, 0);
	tw_set(tw, lost, 0, 9000);
	tw_set(tw, lost, 8, 4096);
	s = shapes_of(tw);
	ck_assert_uint_eq(go_shape_large(s, copy), tw_id(tw, a));
	ck_assert_uint_eq(go_shape_large(s, lost), 0);
	ck_assert_uint_eq(go_shape_large(s, 0), 0);
	tw_close(tw);
}
END_TEST

Suite *typeshape_suite(void)
{
	Suite *s = suite_create("typeshape");
	TCase *tc = tcase_create("typeshape");

	tcase_add_test(tc, the_only_type_of_a_mask_and_size_is_claimed);
	tcase_add_test(tc, none_of_two_types_of_a_mask_and_size_is_claimed);
	tcase_add_test(tc, what_may_be_an_array_is_not_claimed);
	tcase_add_test(tc, channels_are_found_by_their_elements);
	tcase_add_test(tc, closures_are_told_only_when_one_type_fits);
	tcase_add_test(tc, large_types_are_told_only_when_one_fits);
	suite_add_tcase(s, tc);
	return s;
}
