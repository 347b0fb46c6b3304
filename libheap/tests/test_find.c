// test_find.c: any address finds its object, and only its own.
#include "libheap/tests/naive.h"
#include "libheap/tests/pools.h"
#include "libheap/tests/randheap.h"

#include <check.h>

Suite *find_suite(void);

// check_at compares one answer. Quiet when right: check writes every assertion
// to a file.
static void check_at(const struct heapwriter *hw, const struct heap *heap,
		     taddr at)
{
	uint64_t want = naive_find(hw, at);
	struct heap_ref ref = { 77, 77 };
	enum hc got = heap_find(heap, at, &ref);
	if (want == NAIVE_NONE) {
		if (got != HC_NONE || ref.region != 77 || ref.slot != 77)
			ck_abort_msg("0x%" PRIx64 " is in no object", at);
		return;
	}
	if (got != HC_OK || naive_number(hw, ref) != want)
		ck_abort_msg("0x%" PRIx64 " is in object %" PRIu64, at, want);
	taddr base = heap_ref_at(heap, ref);
	if (at < base || at - base >= heap_ref_size(heap, ref))
		ck_abort_msg("0x%" PRIx64 " is not in its object", at);
}

// check_around asks at the edges of all slots and pages of a heap.
static void check_around(const struct heapwriter *hw, const struct heap *heap,
			 uint64_t *s)
{
	for (uint64_t i = 0; i < hw->regions.n; i++) {
		const struct hw_region *r = &hw->regions.at[i];
		for (uint32_t k = 0; k <= r->n_slots; k++) {
			taddr at = r->base + r->slot * k;
			check_at(hw, heap, at - 1);
			check_at(hw, heap, at);
			check_at(hw, heap, at + rand_below(s, r->slot));
		}
		for (int k = 0; k < 20; k++)
			check_at(hw, heap, (r->base & ~UINT64_C(8191)) +
						   rand_below(s, 8192));
		taddr end = r->base + r->slot * r->n_slots;
		for (int k = 0; k < 20; k++)
			check_at(hw, heap, end + rand_below(s, 8192));
	}
	for (int k = 0; k < 200; k++)
		check_at(hw, heap, rand_next(s) >> rand_below(s, 64));
	check_at(hw, heap, 0);
	check_at(hw, heap, UINT64_MAX);
}

START_TEST(every_address_finds_its_own_slot)
{
	static const struct rand_shape shape = { 30, 700, 0, 0, 0, 0, 20, 44 };
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct heapwriter hw = { .pool = &mine };
		uint64_t s = seed + 1;
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		rand_heap(&hw, seed + 40 * (uint64_t)_i, &shape);
		struct heap *heap = hw_heap(&hw, &theirs);
		check_around(&hw, heap, &s);
		heap_close(heap);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

START_TEST(more_slot_sizes_than_classes_are_fine)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	uint64_t s = 5;
	for (uint32_t i = 0; i < 400; i++) {
		hw_region_add(&hw, 0x10000 + i * UINT64_C(0x4000), 8 + i, 20, 0,
			      0);
		for (uint32_t k = 0; k < 20; k += 2)
			hw_alloc(&hw, i, k);
	}
	struct heap *heap = hw_heap(&hw, &theirs);
	check_around(&hw, heap, &s);
	heap_close(heap);
}
END_TEST

START_TEST(lowest_and_highest_addresses_are_fine)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	uint64_t s = 5;
	uint32_t low = hw_region_add(&hw, 0, 64, 100, 0, 0);
	uint32_t high = hw_region_add(&hw, UINT64_C(0x7fffffff0000), 48, 170, 0,
				      0);
	hw_alloc(&hw, low, 0);
	hw_alloc(&hw, low, 99);
	hw_alloc(&hw, high, 0);
	hw_alloc(&hw, high, 169);
	struct heap *heap = hw_heap(&hw, &theirs);
	check_around(&hw, heap, &s);
	heap_close(heap);
}
END_TEST

START_TEST(an_object_may_have_many_gigabytes)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	taddr base = UINT64_C(0xc000000000);
	hw_region_add(&hw, base, 64, 128, 0, 0);
	uint32_t big = hw_region_add(&hw, base + 0x10000,
				     UINT64_C(40) << 30, 1, 0, 0);
	uint32_t two = hw_region_add(&hw, base + (UINT64_C(41) << 30),
				     UINT64_C(5) << 30, 2, 0, 0);
	hw_alloc(&hw, big, 0);
	hw_alloc(&hw, two, 1);
	struct heap *heap = hw_heap(&hw, &theirs);
	check_at(&hw, heap, base);
	for (uint64_t i = 0; i < 52; i++)
		for (uint64_t k = 0; k < 3; k++)
			check_at(&hw, heap, base + 0xffff + (i << 30) + k);
	heap_close(heap);
}
END_TEST

START_TEST(a_heap_without_regions_holds_nothing)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	struct heap *heap = hw_heap(&hw, &theirs);
	struct heap_ref ref;
	ck_assert(heap_find(heap, 0, &ref) == HC_NONE);
	ck_assert(heap_find(heap, 0xc000000000, &ref) == HC_NONE);
	ck_assert(heap_find(heap, UINT64_MAX, &ref) == HC_NONE);
	heap_close(heap);
}
END_TEST

Suite *find_suite(void)
{
	Suite *s = suite_create("find");
	TCase *t = tcase_create("find");
	tcase_add_checked_fixture(t, pools_open, pools_close);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, every_address_finds_its_own_slot, 0, 10);
	tcase_add_test(t, more_slot_sizes_than_classes_are_fine);
	tcase_add_test(t, lowest_and_highest_addresses_are_fine);
	tcase_add_test(t, an_object_may_have_many_gigabytes);
	tcase_add_test(t, a_heap_without_regions_holds_nothing);
	suite_add_tcase(s, t);
	return s;
}
