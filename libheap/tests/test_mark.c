// test_mark.c: marking finds what a naive reference finds, and nothing else.
#include "libheap/tests/naive.h"
#include "libheap/tests/pools.h"
#include "libheap/tests/randheap.h"
#include "libheap/worker.h"

#include <check.h>

Suite *mark_suite(void);

// check_totals counts what the bitmaps and depths say by hand.
static void check_totals(const struct heapwriter *hw, const struct heap *heap,
			 const uint32_t *depth)
{
	struct heap_totals want = { 0 }, got = heap_totals(heap);
	for (uint64_t i = 0; i < hw->n_slots; i++) {
		struct heap_ref ref = naive_ref(hw, i);
		const struct hw_region *r = &hw->regions.at[ref.region];
		bool live = depth[i] != UINT32_MAX;
		bool in = hw_is(r->allocated, ref.slot);
		bool dead = in && !live && hw_is(r->dead, ref.slot);
		want.live_objects += live;
		want.live_bytes += live ? r->slot : 0;
		want.unswept_objects += dead;
		want.unswept_bytes += dead ? r->slot : 0;
		want.garbage_objects += in && !live && !dead;
		want.garbage_bytes += in && !live && !dead ? r->slot : 0;
		want.free_slots += !in;
		want.free_bytes += in ? 0 : r->slot;
	}
	ck_assert_mem_eq(&want, &got, sizeof(want));
}

// check_mark marks and compares with the reference.
static void check_mark(struct heapwriter *hw)
{
	struct hc_err err = { 0 };
	uint64_t edges;
	uint32_t *depth = naive_depths(hw, &mine, &edges);
	struct heap *heap = hw_heap(hw, &theirs);
	if (hw->threads > 1) { // so that they share even so small a heap
		heap->enough = 1 + hw->threads % 3;
		heap->few = 0;
		heap->processors = 8;
		heap->patience = hw->n_slots % 3 ? 0 : heap->patience;
	}
	ck_assert_msg(heap_mark(heap, &err) == HC_OK, "%s", err.msg);
	ck_assert(heap_mark(heap, &err) == HC_OK);
	size_t n;
	const struct heap_region *regions = heap_regions(heap, &n);
	const uint64_t *live = heap_live(heap);
	ck_assert_uint_eq(n, hw->regions.n);
	for (uint64_t i = 0; i < hw->n_slots; i++) {
		struct heap_ref ref = naive_ref(hw, i);
		bool got = heap_bit(live, &regions[ref.region], ref.slot);
		if (got != (depth[i] != UINT32_MAX))
			ck_abort_msg("object %" PRIu64 " depth %u", i,
				     depth[i]);
	}
	ck_assert_uint_eq(heap_edges_followed(heap), edges);
	check_totals(hw, heap, depth);
	heap_close(heap);
}

// Each row is a kind of random heap.
static const struct rand_shape shapes[] = {
	{ 1, 20, 4, 2, 10, 20, 20, 20 },
	{ 8, 100, 8, 3, 5, 60, 20, 30 },
	{ 30, 300, 3, 5, 10, 70, 30, 40 },
	{ 60, 600, 2, 2, 0, 55, 5, 44 },  // chains
	{ 40, 200, 40, 1, 5, 95, 5, 30 }, // a few far pointers
	{ 5, 10, 4000, 1, 0, 98, 0, 20 }, // giant fan-out
};
enum { N_SHAPES = sizeof(shapes) / sizeof(*shapes), SEEDS = 100 };

START_TEST(marks_equal_the_reference)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct heapwriter hw = { .pool = &mine, .threads = 1 };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		rand_heap(&hw, seed + SEEDS * (uint64_t)_i,
			  &shapes[_i % N_SHAPES]);
		check_mark(&hw);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

// Regions far enough apart that each thread owns some.
static const struct rand_shape wide[] = {
	{ 30, 300, 3, 5, 10, 60, 20, 25 },
	{ 60, 600, 6, 3, 5, 60, 5, 24 },
	{ 60, 300, 40, 1, 5, 90, 5, 25 },
};

START_TEST(any_number_of_threads_marks_the_same)
{
	static const unsigned threads[] = { 2, 3, 4, 8, 100 };
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct heapwriter hw = { .pool = &mine,
					 .threads = threads[seed % 5] };
		char *a = pool_mark(&mine), *b = pool_mark(&theirs);
		rand_heap(&hw, seed + 500 + 40 * (uint64_t)_i, &wide[_i % 3]);
		check_mark(&hw);
		pool_rewind(&mine, a);
		pool_rewind(&theirs, b);
	}
}
END_TEST

START_TEST(all_pages_of_a_region_have_one_owner)
{
	struct heapwriter hw = { .pool = &mine };
	rand_heap(&hw, 500 + (uint64_t)_i, &wide[_i % 3]);
	hw_region_add(&hw, UINT64_C(1) << 48, 24 << 20, 1, 0, 0);
	hw_region_add(&hw, UINT64_C(5) << 46, 24, 1 << 20, 0, 0);
	struct heap *heap = hw_heap(&hw, &theirs);
	const struct pagemap *map = &heap->map;
	struct marker *m = pool_new(&theirs, struct marker, 1);
	struct crew *crew = NULL;
	uint8_t *queued = pool_new(&theirs, uint8_t, map->n_pages);
	unsigned owned[4] = { 0 };
	ck_assert(marker_init(m, heap, &theirs, NULL, queued, NULL) == HC_OK);
	ck_assert(crew_open(m, 4, &theirs, &crew, NULL) == HC_OK);
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		taddr last = r->base + r->slot * r->n_slots - 1;
		uint32_t page = pagemap_page(map, r->base, 13);
		uint32_t end = pagemap_page(map, last, 13);
		unsigned owner = crew_owner(crew, page);
		owned[owner]++;
		for (; page <= end; page++)
			if (crew_owner(crew, page) != owner)
				ck_abort_msg("region %u, page %u", i, page);
	}
	ck_assert(owned[0] && owned[1] && owned[2] && owned[3]);
	heap_close(heap);
}
END_TEST

START_TEST(many_letters_between_threads_all_arrive)
{
	// One array over all objects of two threads, which point to each other.
	enum { REGIONS = 96, EACH = 512, WORDS = 100000 };
	struct heapwriter hw = { .pool = &mine, .threads = 2 };
	uint64_t s = 11;
	taddr base = UINT64_C(0xc000000000);
	hw.page_shift = 13;
	for (uint32_t i = 0; i < REGIONS; i++)
		hw_region_add(&hw,
			      base + (i & ~15u) * UINT64_C(0x40000) +
				      i * UINT64_C(0x2000),
			      16, EACH, i % 5 ? 0 : HEAP_NOSCAN, 2);
	for (uint32_t i = 0; i < REGIONS; i++) {
		for (uint32_t k = 0; k < EACH; k++) {
			hw_alloc(&hw, i, k);
			hw_put(&hw, i, k, k % 2,
			       hw_addr(&hw, (uint32_t)rand_below(&s, REGIONS),
				       (uint32_t)rand_below(&s, EACH)));
		}
	}
	uint32_t array = hw_region_add(&hw, base + 0x10000000, WORDS * 8, 1, 0,
				       WORDS);
	hw_alloc(&hw, array, 0);
	for (uint32_t w = 0; w < WORDS; w++)
		hw_put(&hw, array, 0, w,
		       hw_addr(&hw, (uint32_t)rand_below(&s, REGIONS),
			       (uint32_t)rand_below(&s, EACH)) +
			       8);
	hw_root(&hw, hw_addr(&hw, array, 0) + 80, 0x1000);
	check_mark(&hw);
}
END_TEST

START_TEST(a_long_chain_is_followed_to_its_end)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	enum { REGIONS = 40, EACH = 512 };
	uint64_t s = 3;
	for (uint32_t i = 0; i < REGIONS; i++)
		hw_region_add(&hw, UINT64_C(0xc000000000) + i * UINT64_C(8192),
			      16, EACH, 0, 2);
	uint32_t order[REGIONS * EACH];
	for (uint32_t i = 0; i < REGIONS * EACH; i++) {
		uint32_t k = (uint32_t)rand_below(&s, i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	taddr next = 0;
	for (uint32_t i = 0; i < REGIONS * EACH; i++) {
		hw_alloc(&hw, order[i] / EACH, order[i] % EACH);
		hw_put(&hw, order[i] / EACH, order[i] % EACH, 1, next);
		next = hw_addr(&hw, order[i] / EACH, order[i] % EACH);
	}
	hw_root(&hw, next, 0x1000);
	check_mark(&hw);
}
END_TEST

START_TEST(cycles_and_self_references_end)
{
	struct heapwriter hw = { .pool = &mine, .page_shift = 13 };
	hw_region_add(&hw, 0x10000, 16, 512, 0, 2);
	for (uint32_t i = 0; i < 512; i++) {
		hw_alloc(&hw, 0, i);
		hw_put(&hw, 0, i, 0, hw_addr(&hw, 0, (i + 1) % 512));
		hw_put(&hw, 0, i, 1, hw_addr(&hw, 0, i) + 8);
	}
	hw_root(&hw, 0x10000 + 5, 0);
	check_mark(&hw);
}
END_TEST

START_TEST(memory_running_out_is_said_and_harmless)
{
	struct heapwriter hw = { .pool = &mine };
	const struct heap_reader *readers[] = { &hw_reader };
	struct heap_options options = { .threads = 1 };
	rand_heap(&hw, 12, &shapes[2]);
	unsigned failed = 0;
	for (uint64_t k = 1;; k++) {
		struct hc_err err = { 0 };
		struct heap *heap = NULL;
		char *b = pool_mark(&theirs);
		theirs.fail_after = k;
		enum hc got = heap_open((struct core *)&hw, readers, 1,
					&options, &theirs, &heap, &err);
		ck_assert((got == HC_OK) == (heap != NULL));
		if (got == HC_OK)
			got = heap_mark(heap, &err);
		bool more = theirs.fail_after == 0;
		theirs.fail_after = 0;
		if (heap && got) // and once more, with memory
			ck_assert(heap_mark(heap, &err) == HC_OK);
		heap_close(heap);
		pool_rewind(&theirs, b);
		if (got == HC_OK)
			break;
		ck_assert_int_eq(err.kind, HC_NOMEM);
		ck_assert(more || heap);
		failed++;
	}
	ck_assert_uint_ge(failed, 10);
}
END_TEST

Suite *mark_suite(void)
{
	Suite *s = suite_create("mark");
	TCase *t = tcase_create("mark");
	tcase_add_checked_fixture(t, pools_open, pools_close);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, marks_equal_the_reference, 0, 3 * N_SHAPES);
	tcase_add_loop_test(t, any_number_of_threads_marks_the_same, 0, 6);
	tcase_add_loop_test(t, all_pages_of_a_region_have_one_owner, 0, 3);
	tcase_add_test(t, many_letters_between_threads_all_arrive);
	tcase_add_test(t, a_long_chain_is_followed_to_its_end);
	tcase_add_test(t, cycles_and_self_references_end);
	tcase_add_test(t, memory_running_out_is_said_and_harmless);
	suite_add_tcase(s, t);
	return s;
}
