// test_walk.c: where types keep pointers.
#include "libheap/go/tests/typewriter.h"
#include "libheap/go/types/walk.h"

Suite *walk_suite(void);

// struct walker is a type section with walks over it.
struct walker {
	struct typewriter *tw;
	struct walks *walks;
};

static void walker_open(struct walker *w, struct typewriter *tw)
{
	w->tw = tw;
	tw_open(tw);
	ck_assert_int_eq(walks_open(tw->types, &tw->core.pool, &w->walks, NULL),
			 HC_OK);
}

static void walker_close(struct walker *w)
{
	walks_close(w->walks);
	tw_close(w->tw);
}

static struct walk walk_at(struct walker *w, taddr type)
{
	return walk_of(w->walks, tw_id(w->tw, type));
}

#define N(a) (sizeof(a) / sizeof((a)[0]))

START_TEST(pointers_are_listed_in_the_order_of_their_places)
{
	struct typewriter *tw = tw_begin(26);
	taddr i = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr p = tw_pointer(tw, i);
	taddr text = tw_type(tw, GO_KIND_STRING, 16, 1, "string");
	taddr slice = tw_type(tw, GO_KIND_SLICE, 24, 1, "[]int");
	taddr eface = tw_type(tw, GO_KIND_INTERFACE, 16, 3, "interface {}");
	taddr iface = tw_type(tw, GO_KIND_INTERFACE, 16, 3, "error");
	taddr fn = tw_type(tw, GO_KIND_FUNC, 8, 1, "func()");
	taddr unsafe = tw_type(tw, GO_KIND_UNSAFE_POINTER, 8, 1, "p");
	taddr map = tw_type(tw, GO_KIND_MAP, 8, 1, "map[int]int");
	taddr chan = tw_type(tw, GO_KIND_CHAN, 8, 1, "chan int");
	const struct tw_field inner[] = { { "I", i, 0, false },
					  { "P", p, 8, false } };
	taddr in = tw_struct(tw, 16, 2, "main.in", inner, 2);
	const struct tw_field fields[] = {
		{ "A", in, 0, true },	   { "B", text, 16, false },
		{ "C", slice, 32, false }, { "D", eface, 56, false },
		{ "E", iface, 72, false }, { "F", fn, 88, false },
		{ "G", unsafe, 96, false }, { "H", map, 104, false },
		{ "I", chan, 112, false },
	};
	taddr all = tw_struct(tw, 120, 0x7fff, "main.T", fields, N(fields));
	static const uint32_t offs[] = { 8, 16, 32, 56, 72, 88, 96, 104, 112 };
	static const enum walk_op ops[] = {
		WALK_POINTER, WALK_STRING,  WALK_SLICE,
		WALK_EFACE,   WALK_IFACE,   WALK_POINTER,
		WALK_UNSAFE,  WALK_POINTER, WALK_POINTER,
	};
	struct walker w;
	struct walk walk;
	unsigned k;

	tw_set(tw, slice, 48, i);
	tw_set(tw, iface, 64, 1); // a method
	walker_open(&w, tw);
	walk = walk_at(&w, all);
	ck_assert_uint_eq(walk.n, N(offs));
	ck_assert_uint_eq(walk.size, 120);
	ck_assert(!walk.cut);
	for (k = 0; k < walk.n; k++) {
		ck_assert_uint_eq(walk.at[k].off, offs[k]);
		ck_assert_uint_eq(walk.at[k].op, ops[k]);
	}
	ck_assert_uint_eq(walk.at[0].type, tw_id(tw, i));
	ck_assert_uint_eq(walk.at[2].type, tw_id(tw, i));
	walker_close(&w);
}
END_TEST

START_TEST(types_without_pointers_have_none)
{
	struct typewriter *tw = tw_begin(26);
	taddr i = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	const struct tw_field field = { "A", i, 0, false };
	taddr t = tw_struct(tw, 8, 0, "main.T", &field, 1);
	struct walker w;

	walker_open(&w, tw);
	ck_assert_uint_eq(walk_at(&w, i).n, 0);
	ck_assert_uint_eq(walk_at(&w, t).n, 0);
	ck_assert_uint_eq(walk_of(w.walks, 0).n, 0);
	walker_close(&w);
}
END_TEST

START_TEST(short_arrays_are_unrolled_and_long_ones_kept)
{
	struct typewriter *tw = tw_begin(26);
	taddr i = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr p = tw_pointer(tw, i);
	taddr small = tw_type(tw, GO_KIND_ARRAY, 24, 7, "[3]*int");
	taddr large = tw_type(tw, GO_KIND_ARRAY, 8000, 1, "[1000]*int");
	taddr wrong = tw_type(tw, GO_KIND_ARRAY, 24, 7, "[…]*int");
	struct walker w;
	struct walk walk;

	tw_set(tw, small, 48, p);
	tw_set(tw, small, 64, 3);
	tw_set(tw, large, 48, p);
	tw_set(tw, large, 64, 1000);
	tw_set(tw, wrong, 48, p);
	tw_set(tw, wrong, 64, UINT64_C(1) << 61);
	walker_open(&w, tw);
	walk = walk_at(&w, small);
	ck_assert_uint_eq(walk.n, 3);
	ck_assert_uint_eq(walk.at[2].off, 16);
	walk = walk_at(&w, large);
	ck_assert_uint_eq(walk.n, 1);
	ck_assert_uint_eq(walk.at[0].op, WALK_ARRAY);
	ck_assert_uint_eq(walk.at[0].n, 1000);
	ck_assert_uint_eq(walk.at[0].stride, 8);
	ck_assert_uint_eq(walk_at(&w, wrong).n, 0);
	walker_close(&w);
}
END_TEST

START_TEST(fields_that_do_not_fit_are_left_out)
{
	struct typewriter *tw = tw_begin(26);
	taddr i = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr p = tw_pointer(tw, i);
	const struct tw_field fields[] = { { "A", p, 0, false },
					   { "B", p, 12, false },
					   { "C", p, 16, false } };
	taddr t = tw_struct(tw, 16, 3, "main.T", fields, 3);
	struct walker w;
	struct walk walk;

	walker_open(&w, tw);
	walk = walk_at(&w, t);
	ck_assert_uint_eq(walk.n, 1);
	ck_assert_uint_eq(walk.at[0].off, 0);
	walker_close(&w);
}
END_TEST

START_TEST(a_struct_that_holds_itself_ends)
{
	struct typewriter *tw = tw_begin(26);
	taddr i = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr p = tw_pointer(tw, i);
	const struct tw_field fields[] = { { "P", p, 0, false },
					   { "T", GW_DATA + 320, 0, false },
					   { "U", GW_DATA + 320, 0, false } };
	taddr t = tw_struct(tw, 16, 1, "main.T", fields, 3);
	struct walker w;

	ck_assert_uint_eq(t, GW_DATA + 320);
	walker_open(&w, tw);
	ck_assert(walk_at(&w, t).cut);
	walker_close(&w);
}
END_TEST

START_TEST(an_atomic_pointer_says_what_it_points_to)
{
	struct typewriter *tw = tw_begin(26);
	taddr i = tw_type(tw, GO_KIND_INT, 8, 0, "int");
	taddr p = tw_pointer(tw, i);
	taddr none = tw_type(tw, GO_KIND_ARRAY, 0, 0, "[0]*int");
	taddr unsafe = tw_type(tw, GO_KIND_UNSAFE_POINTER, 8, 1, "p");
	const struct tw_field atomic[] = { { "_", none, 0, false },
					   { "v", unsafe, 0, false } };
	const struct tw_field weak[] = { { "_", none, 0, false },
					 { "u", unsafe, 0, false } };
	taddr a = tw_struct(tw, 8, 1, "atomic.Pointer[int]", atomic, 2);
	taddr b = tw_struct(tw, 8, 1, "weak.Pointer[int]", weak, 2);
	struct walker w;
	struct walk walk;

	tw_set(tw, none, 48, p);
	walker_open(&w, tw);
	walk = walk_at(&w, a);
	ck_assert_uint_eq(walk.n, 1);
	ck_assert_uint_eq(walk.at[0].op, WALK_POINTER);
	ck_assert_uint_eq(walk.at[0].type, tw_id(tw, i));
	// A weak pointer's word leads to a handle, not to the value.
	walk = walk_at(&w, b);
	ck_assert_uint_eq(walk.n, 1);
	ck_assert_uint_eq(walk.at[0].op, WALK_UNSAFE);
	walker_close(&w);
}
END_TEST

START_TEST(a_bucket_leads_to_the_next_one)
{
	struct typewriter *tw = tw_begin(22);
	taddr top = tw_type(tw, GO_KIND_ARRAY, 8, 0, "[8]uint8");
	taddr keys = tw_type(tw, GO_KIND_ARRAY, 64, 0, "[8]int");
	taddr link = tw_type(tw, GO_KIND_UINTPTR, 8, 0, "uintptr");
	const struct tw_field fields[] = { { "topbits", top, 0, false },
					   { "keys", keys, 8, false },
					   { "elems", keys, 72, false },
					   { "overflow", link, 136, false } };
	taddr bucket = tw_struct(tw, 144, UINT64_C(1) << 17, "bucket", fields,
				 4);
	struct walker w;
	struct walk walk;

	walker_open(&w, tw);
	walk = walk_at(&w, bucket);
	ck_assert_uint_eq(walk.n, 1);
	ck_assert_uint_eq(walk.at[0].off, 136);
	ck_assert_uint_eq(walk.at[0].type, tw_id(tw, bucket));
	walker_close(&w);
}
END_TEST

Suite *walk_suite(void)
{
	Suite *s = suite_create("walk");
	TCase *tc = tcase_create("walk");

	tcase_add_test(tc, pointers_are_listed_in_the_order_of_their_places);
	tcase_add_test(tc, types_without_pointers_have_none);
	tcase_add_test(tc, short_arrays_are_unrolled_and_long_ones_kept);
	tcase_add_test(tc, fields_that_do_not_fit_are_left_out);
	tcase_add_test(tc, a_struct_that_holds_itself_ends);
	tcase_add_test(tc, an_atomic_pointer_says_what_it_points_to);
	tcase_add_test(tc, a_bucket_leads_to_the_next_one);
	suite_add_tcase(s, tc);
	return s;
}
