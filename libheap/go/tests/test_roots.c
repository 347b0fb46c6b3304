// test_roots.c: what is reachable, against what the collector itself kept.
#include "libheap/go/roots.h"
#include "libheap/go/tests/zoo.h"

static const struct heap_reader *reader_of(const struct zoo *z)
{
	return heap_reader_of(z->heap);
}

static bool lives(const struct zoo *z, taddr at)
{
	struct heap_ref ref;
	size_t n;

	if (heap_find(z->heap, at, &ref))
		return false;
	return heap_bit(heap_live(z->heap),
			&heap_regions(z->heap, &n)[ref.region], ref.slot);
}

START_TEST(objects_are_reachable_exactly_when_the_program_says_so)
{
	struct hc_err err = { 0 };
	struct zoo_set set;
	const char *line;
	struct zoo z;
	unsigned i;

	if (!zoo_is((unsigned)_i, "heap") && !zoo_is((unsigned)_i, "dirty") &&
	    !zoo_is((unsigned)_i, "states") && !zoo_is((unsigned)_i, "maps"))
		return;
	zoo_open((unsigned)_i, &z);
	ck_assert_int_eq(heap_mark(z.heap, &err), HC_OK);
	line = z.truth;
	while (zoo_next_set(&line, &set))
		for (i = 0; i < set.n; i++)
			ck_assert_msg(lives(&z, set.at[i]) == set.live,
				      "%s: 0x%" PRIx64 " of \"%s\" is%s alive",
				      zoo_name((unsigned)_i), set.at[i],
				      set.name, set.live ? "" : " not");
	zoo_close(&z);
}
END_TEST

// These modes collect before they die, so what is allocated is what was kept,
// but for a few objects made on the way out.
START_TEST(reachable_objects_are_those_that_the_collector_kept)
{
	struct hc_err err = { 0 };
	struct heap_totals t;
	struct zoo z;

	if (!zoo_is((unsigned)_i, "heap") &&
	    !zoo_is((unsigned)_i, "states") && !zoo_is((unsigned)_i, "maps"))
		return;
	zoo_open((unsigned)_i, &z);
	ck_assert_int_eq(heap_mark(z.heap, &err), HC_OK);
	t = heap_totals(z.heap);
	ck_assert_uint_gt(t.live_objects, 100);
	ck_assert_msg(t.garbage_objects <= 3 + t.live_objects / 500,
		      "%s: %" PRIu64 " live, %" PRIu64 " garbage",
		      zoo_name((unsigned)_i), t.live_objects,
		      t.garbage_objects);
	zoo_close(&z);
}
END_TEST

START_TEST(nothing_reachable_is_free_or_found_dead)
{
	const struct heap_region *r;
	struct hc_err err = { 0 };
	struct zoo z;
	size_t i, n;
	uint32_t k;

	zoo_open((unsigned)_i, &z);
	ck_assert_int_eq(heap_mark(z.heap, &err), HC_OK);
	r = heap_regions(z.heap, &n);
	for (i = 0; i < n; i++)
		for (k = 0; k < r[i].n_slots; k++) {
			if (!heap_bit(heap_live(z.heap), &r[i], k))
				continue;
			ck_assert(heap_bit(heap_allocated(z.heap), &r[i], k));
			ck_assert(!heap_bit(heap_dead(z.heap), &r[i], k));
		}
	zoo_close(&z);
}
END_TEST

START_TEST(healthy_stacks_give_no_findings)
{
	struct hc_err err = { 0 };
	struct findings *f;
	struct zoo z;
	uint64_t i;

	zoo_open((unsigned)_i, &z);
	ck_assert_int_eq(heap_mark(z.heap, &err), HC_OK);
	f = core_findings(z.core);
	for (i = 0; i < f->n; i++)
		ck_assert_msg(strncmp(f->at[i].kind, "bad", 3) != 0,
			      "%s: %s: %s", zoo_name((unsigned)_i),
			      f->at[i].kind, f->at[i].text);
	zoo_close(&z);
}
END_TEST

// What the zoo does with the objects of a set says what root leads to them.
static const struct {
	const char *set, *owner;
	enum heap_root_kind kind;
	const char *function;
} direct[] = {
	{ "field of an object with a finalizer", NULL, HEAP_ROOT_FINALIZER,
	  NULL },
	{ "pending finalizer", NULL, HEAP_ROOT_FINALIZER_QUEUE, NULL },
	{ "stack variable", "goroutine", HEAP_ROOT_FRAME,
	  "main.stackVariable" },
	{ "stack object only", "goroutine", HEAP_ROOT_FRAME,
	  "main.stackObject" },
	{ "list of stack objects", "goroutine", HEAP_ROOT_FRAME,
	  "main.stackList" },
	{ "argument", "goroutine", HEAP_ROOT_FRAME, "main.argumentOf" },
	{ "argument on the stack", "goroutine", HEAP_ROOT_FRAME,
	  "main.stackArgument" },
	{ "open-coded defer", "goroutine", HEAP_ROOT_FRAME,
	  "main.deferOpen" },
	{ "value of a running panic", "goroutine", HEAP_ROOT_PANIC, NULL },
	{ "value of a recovered panic", "goroutine", HEAP_ROOT_PANIC, NULL },
	{ "goroutine argument", "goroutine", HEAP_ROOT_FRAME,
	  "main.goArgument" },
};
#define N_DIRECT (sizeof(direct) / sizeof(direct[0]))

struct wanted {
	const struct zoo *z;
	const struct zoo_set *set;
	size_t i;
	bool found;
};

static bool in_set(const struct zoo_set *set, taddr at)
{
	unsigned i;

	for (i = 0; i < set->n; i++)
		if (at - set->at[i] < set->len)
			return true;
	return false;
}

static void look(void *ctx, const struct heap_root *root)
{
	struct wanted *w = ctx;
	struct heap_root_text text;
	struct hc_err err;
	struct pool pool;

	if (w->found || root->kind != direct[w->i].kind ||
	    !in_set(w->set, root->target))
		return;
	ck_assert_int_eq(pool_open(1 << 20, &pool, &err), HC_OK);
	ck_assert_int_eq(reader_of(w->z)->root_text(w->z->process, root, &pool,
						    &text, &err), HC_OK);
	w->found = (!direct[w->i].function ||
		    (text.function &&
		     strcmp(text.function, direct[w->i].function) == 0)) &&
		   (direct[w->i].owner ?
			    text.owner && strncmp(text.owner, "goroutine", 9) ==
						  0 : !text.owner);
	pool_close(&pool);
}

START_TEST(roots_say_what_keeps_an_object)
{
	struct zoo_set set;
	const char *line;
	struct zoo z;
	size_t i;

	if (!zoo_is((unsigned)_i, "heap"))
		return;
	zoo_open((unsigned)_i, &z);
	line = z.truth;
	while (zoo_next_set(&line, &set))
		for (i = 0; i < N_DIRECT; i++) {
			struct wanted w = { &z, &set, i, false };

			if (strcmp(set.name, direct[i].set) != 0)
				continue;
			reader_of(&z)->roots(z.process, look, &w);
			ck_assert_msg(w.found, "%s: %s",
				      zoo_name((unsigned)_i), set.name);
		}
	zoo_close(&z);
}
END_TEST

struct weak_seen {
	const struct zoo_set *set;
	unsigned n;
};

static void see_weak(void *ctx, taddr at, taddr target)
{
	struct weak_seen *seen = ctx;

	ck_assert_uint_ne(at, 0);
	seen->n += in_set(seen->set, target);
}

START_TEST(weak_pointers_are_seen)
{
	struct weak_seen seen = { 0 };
	struct zoo_set set;
	const char *line;
	struct zoo z;

	if (!zoo_is((unsigned)_i, "heap"))
		return;
	zoo_open((unsigned)_i, &z);
	line = z.truth;
	while (zoo_next_set(&line, &set)) {
		if (strcmp(set.name, "weak and strong pointer") != 0)
			continue;
		seen = (struct weak_seen){ &set, 0 };
		reader_of(&z)->weak(z.process, see_weak, &seen);
		ck_assert_uint_eq(seen.n, set.n);
	}
	zoo_close(&z);
}
END_TEST

Suite *roots_suite(void);
Suite *roots_suite(void)
{
	Suite *s = suite_create("roots");
	TCase *tc = tcase_create("zoo");
	int n = (int)zoo_count();

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
		tc, objects_are_reachable_exactly_when_the_program_says_so, 0,
		n);
	tcase_add_loop_test(
		tc, reachable_objects_are_those_that_the_collector_kept, 0, n);
	tcase_add_loop_test(tc, nothing_reachable_is_free_or_found_dead, 0, n);
	tcase_add_loop_test(tc, healthy_stacks_give_no_findings, 0, n);
	tcase_add_loop_test(tc, roots_say_what_keeps_an_object, 0, n);
	tcase_add_loop_test(tc, weak_pointers_are_seen, 0, n);
	suite_add_tcase(s, tc);
	return s;
}
