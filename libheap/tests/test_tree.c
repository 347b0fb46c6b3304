// test_tree.c: the statistics tree adds up.
#include "libheap/heap.h"

#include <check.h>

Suite *tree_suite(void);

static struct pool pool;

static void setup(void)
{
	ck_assert(pool_open(1 << 20, &pool, NULL) == HC_OK);
}

static void teardown(void)
{
	pool_close(&pool);
}

static uint32_t add(struct mem_tree *tree, uint32_t parent, const char *name,
		    uint64_t bytes)
{
	uint32_t at = 0;
	ck_assert(mem_tree_add(&pool, tree, parent, name, &at, NULL) == HC_OK);
	tree->at[at].bytes = bytes;
	tree->at[at].saved_bytes = bytes / 2;
	return at;
}

START_TEST(parents_are_the_sums_of_their_children)
{
	struct mem_tree tree = { 0 };
	uint32_t all = add(&tree, 0, "all", 0);
	uint32_t heap = add(&tree, all, "heap", 0);
	uint32_t text = add(&tree, all, "text", 100);
	uint32_t live = add(&tree, heap, "live", 30);
	uint32_t dead = add(&tree, heap, "dead", 12);
	mem_tree_sum(&tree);
	ck_assert_uint_eq(tree.at[heap].bytes, 42);
	ck_assert_uint_eq(tree.at[all].bytes, 142);
	ck_assert_uint_eq(tree.at[all].saved_bytes, 71);
	ck_assert_uint_eq(tree.at[all].first_child, heap);
	ck_assert_uint_eq(tree.at[heap].next, text);
	ck_assert_uint_eq(tree.at[text].next, 0);
	ck_assert_uint_eq(tree.at[heap].first_child, live);
	ck_assert_uint_eq(tree.at[heap].last_child, dead);
	ck_assert_str_eq(tree.at[dead].name, "dead");
}
END_TEST

START_TEST(a_tree_as_deep_as_memory_needs_no_recursion)
{
	struct mem_tree tree = { 0 };
	uint32_t at = add(&tree, 0, "all", 0);
	for (int i = 0; i < 8000; i++)
		at = add(&tree, at, "in", 0);
	tree.at[at].bytes = 5;
	mem_tree_sum(&tree);
	ck_assert_uint_eq(tree.at[0].bytes, 5);
}
END_TEST

START_TEST(a_full_pool_adds_nothing)
{
	struct mem_tree tree = { 0 };
	struct hc_err err = { 0 };
	uint32_t at = 77;
	add(&tree, 0, "all", 0);
	while (tree.n < tree.cap)
		add(&tree, 0, "in", 1);
	uint64_t n = tree.n;
	pool.fail_after = 1;
	ck_assert(mem_tree_add(&pool, &tree, 0, "x", &at, &err) == HC_FAIL);
	ck_assert_int_eq(err.kind, HC_NOMEM);
	ck_assert_uint_eq(at, 77);
	ck_assert_uint_eq(tree.n, n);
}
END_TEST

Suite *tree_suite(void)
{
	Suite *s = suite_create("tree");
	TCase *t = tcase_create("tree");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, parents_are_the_sums_of_their_children);
	tcase_add_test(t, a_tree_as_deep_as_memory_needs_no_recursion);
	tcase_add_test(t, a_full_pool_adds_nothing);
	suite_add_tcase(s, t);
	return s;
}
