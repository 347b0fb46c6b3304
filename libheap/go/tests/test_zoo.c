// test_zoo.c: the claims that hold of every core of the zoo.
//
// One test is one core with one executable, with DWARF or stripped; what fails
// is said with the claim's name.
#include "libheap/go/tests/zoo.h"

Suite *zoo_suite(void);

static const struct zoo_claim *const lists[] = {
	zoo_objects, zoo_memory, zoo_reached, zoo_sweep, zoo_roots, zoo_paths,
	zoo_allocs, zoo_retained,
};

START_TEST(every_claim_holds)
{
	struct hc_err err = { 0 };
	struct zoo z;
	size_t i;

	zoo_open((unsigned)_i, &z);
	ck_assert_int_eq(heap_mark(z.heap, &err), HC_OK);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct zoo_claim *c;

		for (c = lists[i]; c->check; c++) {
			z.claim = c->name;
			c->check(&z);
		}
	}
	zoo_close(&z);
}
END_TEST

Suite *zoo_suite(void)
{
	Suite *s = suite_create("zoo");
	TCase *tc = tcase_create("zoo");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, every_claim_holds, 0, (int)zoo_count());
	suite_add_tcase(s, tc);
	return s;
}
