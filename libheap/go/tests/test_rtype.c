// test_rtype.c: type descriptors as they lie in memory.
#include "libheap/go/tests/typewriter.h"

Suite *rtype_suite(void);

static const uint8_t sizes[27] = {
	[GO_KIND_BOOL] = 1, [GO_KIND_INT] = 8, [GO_KIND_INT8] = 1,
	[GO_KIND_INT16] = 2, [GO_KIND_INT32] = 4, [GO_KIND_INT64] = 8,
	[GO_KIND_UINT] = 8, [GO_KIND_UINT8] = 1, [GO_KIND_UINT16] = 2,
	[GO_KIND_UINT32] = 4, [GO_KIND_UINT64] = 8, [GO_KIND_UINTPTR] = 8,
	[GO_KIND_FLOAT32] = 4, [GO_KIND_FLOAT64] = 8, [GO_KIND_COMPLEX64] = 8,
	[GO_KIND_COMPLEX128] = 16, [GO_KIND_CHAN] = 8, [GO_KIND_FUNC] = 8,
	[GO_KIND_INTERFACE] = 16, [GO_KIND_MAP] = 8, [GO_KIND_POINTER] = 8,
	[GO_KIND_SLICE] = 24, [GO_KIND_STRING] = 16,
	[GO_KIND_UNSAFE_POINTER] = 8,
};

START_TEST(every_kind_has_its_size)
{
	struct typewriter *tw = tw_begin((unsigned)_i);
	taddr right[27] = { 0 }, wrong[27] = { 0 };
	unsigned k;

	for (k = 1; k < 27; k++) {
		uint64_t size = sizes[k] ? sizes[k] : 40;

		right[k] = tw_type(tw, (enum go_kind)k, size, 0, "T");
		wrong[k] = tw_type(tw, (enum go_kind)k, size + 8, 0, "T");
	}
	tw_open(tw);
	for (k = 1; k < 27; k++) {
		ck_assert_uint_eq(tw_get(tw, right[k])->kind, k);
		ck_assert_uint_eq(tw_get(tw, right[k])->size,
				  sizes[k] ? sizes[k] : 40);
		if (sizes[k])
			ck_assert_uint_eq(tw_id(tw, wrong[k]), 0);
	}
	tw_close(tw);
}
END_TEST

START_TEST(fields_have_names_types_and_places)
{
	struct typewriter *tw = tw_begin((unsigned)_i);
	taddr number = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr text = tw_type(tw, GO_KIND_STRING, 16, 1, "string");
	struct tw_field fields[] = { { "ID", number, 0, false },
				     { "string", text, 8, true } };
	taddr at = tw_struct(tw, 24, 2, "main.T", fields, 2);
	const struct go_type_field *f;
	const struct go_type *r;

	tw_open(tw);
	r = tw_get(tw, at);
	ck_assert_uint_eq(r->n_fields, 2);
	f = go_type_field_at(tw->types, r, 0);
	ck_assert_str_eq(f->name, "ID");
	ck_assert_uint_eq(f->type, tw_id(tw, number));
	ck_assert(!f->embedded);
	f = go_type_field_at(tw->types, r, 1);
	ck_assert_str_eq(f->name, "string");
	ck_assert_uint_eq(f->off, 8);
	ck_assert_uint_eq(f->type, tw_id(tw, text));
	ck_assert(f->embedded);
	tw_close(tw);
}
END_TEST

START_TEST(what_a_type_is_made_of_is_known)
{
	struct typewriter *tw = tw_begin(26);
	taddr key = tw_type(tw, GO_KIND_STRING, 16, 1, "string");
	taddr elem = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr array = tw_type(tw, GO_KIND_ARRAY, 24, 0, "[3]int");
	taddr map = tw_type(tw, GO_KIND_MAP, 8, 1, "map[string]int");
	taddr group = tw_type(tw, GO_KIND_STRUCT, 200, 2, "map.group");
	const struct go_type *r;

	tw_set(tw, array, 48, elem);
	tw_set(tw, array, 64, 3);
	tw_set(tw, map, 48, key);
	tw_set(tw, map, 56, elem);
	tw_set(tw, map, 64, group);
	tw_open(tw);
	r = tw_get(tw, array);
	ck_assert_uint_eq(r->elem, tw_id(tw, elem));
	ck_assert_uint_eq(r->len, 3);
	r = tw_get(tw, map);
	ck_assert_uint_eq(r->key, tw_id(tw, key));
	ck_assert_uint_eq(r->elem, tw_id(tw, elem));
	ck_assert_uint_eq(r->group, tw_id(tw, group));
	// And back: a group leads to its map.
	ck_assert_uint_eq(tw_get(tw, group)->key, tw_id(tw, map));
	tw_close(tw);
}
END_TEST

START_TEST(a_type_may_lead_to_itself)
{
	struct typewriter *tw = tw_begin(26);
	taddr pointer = tw_pointer(tw, 0);
	struct tw_field next = { "Next", pointer, 0, false };
	taddr node = tw_struct(tw, 8, 1, "main.Node", &next, 1);
	const struct go_type *r;

	tw_set(tw, pointer, 48, node);
	tw_open(tw);
	r = tw_get(tw, node);
	ck_assert_uint_eq(go_type_get(tw->types,
				      go_type_field_at(tw->types, r, 0)->type)
				  ->elem,
			  tw_id(tw, node));
	tw_close(tw);
}
END_TEST

START_TEST(the_same_address_is_the_same_type)
{
	struct typewriter *tw = tw_begin(26);
	taddr at = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	uint32_t n;

	tw_open(tw);
	ck_assert_uint_ne(tw_id(tw, at), 0);
	n = go_type_count(tw->types);
	ck_assert_uint_eq(tw_id(tw, at), tw_id(tw, at));
	ck_assert_uint_eq(go_type_count(tw->types), n);
	tw_close(tw);
}
END_TEST

// spoil makes one of several hostile descriptors of a good struct.
static void spoil(struct typewriter *tw, taddr at, int how)
{
	switch (how) {
	case 0: tw_byte(tw, at, 23, 0); break;  // no kind
	case 1: tw_byte(tw, at, 23, 27); break; // nor is this one
	case 2: tw_byte(tw, at, 21, 0); break;  // no alignment
	case 3: tw_byte(tw, at, 21, 255); break;
	case 4: tw_set(tw, at, 8, 48); break;   // pointers behind the end
	case 5: tw_set(tw, at, 8, 4); break;    // half a pointer
	case 6: tw_set(tw, at, 64, UINT64_MAX); break; // fields
	case 7: tw_set(tw, at, 64, UINT64_C(1) << 40); break;
	case 8: tw_set(tw, at, 56, 16); break;  // nowhere
	case 9: tw_set(tw, at, 56, UINT64_MAX - 8); break;
	case 10: tw_set(tw, at, 0, 0); break;   // a field behind the end
	default: break;
	}
}

enum { SPOILS = 11 };

START_TEST(hostile_descriptors_are_no_types)
{
	struct typewriter *tw = tw_begin(26);
	taddr number = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	struct tw_field fields[] = { { "A", number, 0, false },
				     { "B", number, 32, false } };
	taddr at = tw_struct(tw, 40, 0, "main.T", fields, 2);

	spoil(tw, at, _i);
	tw_open(tw);
	ck_assert_int_eq(tw_id(tw, at) != 0, _i == SPOILS);
	tw_close(tw);
}
END_TEST

START_TEST(no_type_is_where_no_descriptor_fits)
{
	struct typewriter *tw = tw_begin(26);
	taddr at = tw_type(tw, GO_KIND_INT, 8, 0, "int");

	tw_open(tw);
	ck_assert_uint_eq(tw_id(tw, 0), 0);
	ck_assert_uint_eq(tw_id(tw, at + 4), 0);
	ck_assert_uint_eq(tw_id(tw, 0x1000), 0);
	ck_assert_uint_eq(tw_id(tw, GW_DATA + GW_SEGMENT - 40), 0);
	ck_assert_uint_eq(tw_id(tw, UINT64_MAX - 7), 0);
	tw_close(tw);
}
END_TEST

START_TEST(more_elements_than_fit_are_not_believed)
{
	struct typewriter *tw = tw_begin(26);
	taddr number = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr at = tw_type(tw, GO_KIND_ARRAY, 24, 0, "[3]int");
	const struct go_type *r;

	tw_set(tw, at, 48, number);
	tw_set(tw, at, 64, UINT64_C(1) << 61); // times 8 is 0
	tw_open(tw);
	r = tw_get(tw, at);
	ck_assert(!go_type_holds(tw->types, r, r->elem, r->len));
	ck_assert(go_type_holds(tw->types, r, r->elem, 3));
	tw_close(tw);
}
END_TEST

Suite *rtype_suite(void)
{
	Suite *s = suite_create("rtype");
	TCase *tc = tcase_create("rtype");

	tcase_add_loop_test(tc, every_kind_has_its_size, 18, 28);
	tcase_add_loop_test(tc, fields_have_names_types_and_places, 18, 28);
	tcase_add_test(tc, what_a_type_is_made_of_is_known);
	tcase_add_test(tc, a_type_may_lead_to_itself);
	tcase_add_test(tc, the_same_address_is_the_same_type);
	tcase_add_loop_test(tc, hostile_descriptors_are_no_types, 0,
			    SPOILS + 1);
	tcase_add_test(tc, no_type_is_where_no_descriptor_fits);
	tcase_add_test(tc, more_elements_than_fit_are_not_believed);
	suite_add_tcase(s, tc);
	return s;
}
