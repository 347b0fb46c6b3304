// test_types.c: the type of every object, against what the programs said.
#include "libheap/go/tests/zoo.h"
#include "libheap/go/types/types.h"

#include "libdwarfread/dwarfread.h"

#include <stdlib.h>

Suite *types_suite(void);

// Sets of which no evidence exists, and why.
static const char *const untold[] = {
	"unsafe.Pointer",        // the pointer's type says nothing
	"interior pointer only", // a pointer to a field says that field's type
	"cleanup argument",      // kept as a word beside its function
	"pending cleanup argument",
	"argument of a reflect-made function", // on a frame without variables
};

static bool is_untold(const struct zoo_set *set)
{
	size_t i;

	for (i = 0; i < sizeof(untold) / sizeof(untold[0]); i++)
		if (strcmp(set->name, untold[i]) == 0)
			return true;
	return false;
}

// has_dwarf says whether the core's program has debug information of its own:
// one linked with -w by a C linker still has that of its C parts.
static bool has_dwarf(struct zoo *z)
{
	static const char *const name = "runtime.g";
	struct dwarf_type g = { 0 };
	struct dwarf *dwarf;

	return !go_dwarf(z->process, &dwarf) &&
	       !dwarf_find_structs(dwarf, &name, 1, &g, NULL) && g.ref;
}

static const char *name_of(struct zoo *z, struct heap_ref ref)
{
	return go_type_name(z->process->types, heap_type_of(z->heap, ref) >> 1,
			    &z->pool);
}

// expected says whether an object of a set must have its type: not when only
// debug information could tell.
static bool expected(const struct zoo_set *set, bool dwarf)
{
	return dwarf && set->live && !is_untold(set);
}

static void objects_have_the_type_that_the_program_says(struct zoo *z)
{
	bool dwarf = has_dwarf(z);
	const char *line = z->truth;
	struct zoo_set set;
	struct heap_ref ref;
	unsigned i;

	while (zoo_next_set(&line, &set))
		for (i = 0; i < set.n; i++) {
			const char *name;

			if (heap_find(z->heap, set.at[i], &ref))
				continue; // dead and gone
			name = name_of(z, ref);
			if (!expected(&set, dwarf) &&
			    strcmp(name, "unknown") == 0)
				continue;
			zoo_require(z, strcmp(name, set.type) == 0,
				    "0x%" PRIx64 " of \"%s\" is %s, not %s",
				    set.at[i], set.name, name, set.type);
		}
}

// counted returns how many live objects are of a type.
static uint64_t counted(struct zoo *z, const char *type)
{
	uint32_t i, n = 2 * go_type_count(z->process->types);
	struct heap_count *count = pool_new(&z->pool, struct heap_count, n);
	uint64_t all = 0;

	ck_assert_ptr_nonnull(count);
	heap_type_counts(z->heap, heap_live(z->heap), NULL, 0, count, n);
	for (i = 0; i < n; i++)
		if (count[i].objects &&
		    strcmp(go_type_name(z->process->types, i >> 1, &z->pool),
			   type) == 0)
			all += count[i].objects;
	return all;
}

// of_type returns how many live objects of a type the program tells of.
static uint64_t of_type(struct zoo *z, const char *type)
{
	const char *line = z->truth;
	struct zoo_set set;
	uint64_t all = 0;

	while (zoo_next_set(&line, &set))
		if (set.live && strcmp(set.type, type) == 0)
			all += set.n;
	return all;
}

// lost returns how many objects a program made and did not tell of: in one core
// two goroutines noted theirs at the same time.
static uint64_t lost(const struct zoo *z, const char *type)
{
	return strcmp(z->name, "1.24-amd64/heap") == 0 &&
	       strcmp(type, "main.tStackChain") == 0;
}

// The sets' own types, main.t…, are of nothing else.
static void there_are_as_many_of_a_type_as_the_program_says(struct zoo *z)
{
	const char *line = z->truth;
	struct zoo_set set;

	if (!has_dwarf(z))
		return;
	while (zoo_next_set(&line, &set))
		if (strncmp(set.type, "main.t", 6) == 0 && set.live &&
		    !is_untold(&set)) {
			uint64_t is = counted(z, set.type);
			uint64_t says = of_type(z, set.type) +
					lost(z, set.type);

			zoo_require(z, is == says,
				    "%" PRIu64 " %s, not %" PRIu64, is,
				    set.type, says);
		}
}

// Stripped programs of before Go 1.22 have no descriptor in any object.
static void few_live_bytes_are_untyped(struct zoo *z)
{
	uint32_t i, n = 2 * go_type_count(z->process->types);
	struct heap_count *count = pool_new(&z->pool, struct heap_count, n);
	uint64_t most = has_dwarf(z) ? 2 : 15, all = 0;

	if (!has_dwarf(z) && zoo_minor(z->i) < 22)
		return;
	ck_assert_ptr_nonnull(count);
	heap_type_counts(z->heap, heap_live(z->heap), NULL, 0, count, n);
	for (i = 0; i < n; i++)
		all += count[i].bytes;
	zoo_require(z, all == heap_totals(z->heap).live_bytes, "%" PRIu64, all);
	zoo_require(z, count[0].bytes * 100 <= all * most,
		    "%" PRIu64 " of %" PRIu64 " bytes are untyped",
		    count[0].bytes, all);
}

// types_of lists the type numbers of all slots.
static uint32_t *types_of(struct zoo *z, size_t *ret_n)
{
	size_t i, n, slots = 0;
	const struct heap_region *r = heap_regions(z->heap, &n);
	uint32_t k, *all;

	for (i = 0; i < n; i++)
		slots += r[i].n_slots;
	all = pool_new(&z->pool, uint32_t, slots + 1);
	ck_assert_ptr_nonnull(all);
	*ret_n = 0;
	for (i = 0; i < n; i++)
		for (k = 0; k < r[i].n_slots; k++)
			all[(*ret_n)++] = heap_type_of(
				z->heap, (struct heap_ref){ (uint32_t)i, k });
	return all;
}

static void every_run_gives_the_same_types(struct zoo *z)
{
	static const unsigned threads[] = { 0, 1, 8 };
	struct hc_err err = { 0 };
	size_t i, n, again;
	uint32_t *types = types_of(z, &n);

	for (i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		struct zoo other;
		uint32_t *others;

		zoo_open_threads(z->i, threads[i], &other);
		ck_assert_int_eq(heap_type(other.heap, &err), HC_OK);
		others = types_of(&other, &again);
		zoo_require(z, n == again, "%zu slots, then %zu", n, again);
		zoo_require(z, memcmp(types, others, n * sizeof(*types)) == 0,
			    "other types with %u threads", threads[i]);
		zoo_close(&other);
	}
}

static const struct zoo_claim claims[] = {
	ZOO_CLAIM(objects_have_the_type_that_the_program_says),
	ZOO_CLAIM(there_are_as_many_of_a_type_as_the_program_says),
	ZOO_CLAIM(few_live_bytes_are_untyped),
	ZOO_CLAIM(every_run_gives_the_same_types),
	{ NULL, NULL },
};

START_TEST(every_claim_on_types_holds)
{
	struct hc_err err = { 0 };
	const struct zoo_claim *c;
	struct zoo z;

	zoo_open((unsigned)_i, &z);
	ck_assert_int_eq(heap_type(z.heap, &err), HC_OK);
	for (c = claims; c->check; c++) {
		z.claim = c->name;
		c->check(&z);
	}
	zoo_close(&z);
}
END_TEST

Suite *types_suite(void)
{
	Suite *s = suite_create("types");
	TCase *tc = tcase_create("types");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, every_claim_on_types_holds, 0,
			    (int)zoo_count());
	suite_add_tcase(s, tc);
	return s;
}
