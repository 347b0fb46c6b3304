// test_verify.c: verify finds nothing in sound cores, and all that is planted.
#include "libheap/go/go.h"
#include "libheap/go/tests/plants.h"

#include <stdio.h>

Suite *verify_suite(void);

// run verifies the core that `in` names and gives its findings to fn.
static void run(const struct core_input *in,
		void (*fn)(void *ctx, const struct finding *f), void *ctx)
{
	static const struct heap_reader *const readers[] = { &go_reader };
	static const struct heap_options options = { .quiet = true };
	struct findings found = { 0 };
	struct hc_err err = { 0 };
	struct pool pool;
	struct core *core = NULL;
	struct heap *heap = NULL;
	uint64_t i;

	ck_assert_int_eq(pool_open(UINT64_C(1) << 34, &pool, &err), HC_OK);
	ck_assert_msg(core_open(in, &pool, &core, &err) == HC_OK, "%s",
		      err.msg);
	ck_assert_msg(heap_open(core, readers, 1, &options, &pool, &heap,
				&err) == HC_OK, "%s", err.msg);
	ck_assert_int_eq(heap_mark(heap, &err), HC_OK);
	found.pool = &pool;
	heap_reader_of(heap)->verify(heap_self(heap), &found);
	for (i = 0; i < core_findings(core)->n; i++)
		fn(ctx, &core_findings(core)->at[i]);
	for (i = 0; i < found.n; i++)
		fn(ctx, &found.at[i]);
	heap_close(heap);
	core_close(core);
	pool_close(&pool);
}

static void must_be_none(void *ctx, const struct finding *f)
{
	ck_abort_msg("%s: %s at 0x%" PRIx64 ": %s", (const char *)ctx, f->kind,
		     f->at, f->text);
}

START_TEST(a_sound_core_has_no_findings)
{
	char name[96];
	struct core_input in = zoo_input((unsigned)_i);

	snprintf(name, sizeof(name), "%s", zoo_name((unsigned)_i));
	run(&in, must_be_none, name);
}
END_TEST

// struct search is for one finding: of these words, about that address.
struct search {
	const struct plant *plant;
	bool found;
	char last[512];
};

static void look(void *ctx, const struct finding *f)
{
	struct search *s = ctx;

	snprintf(s->last, sizeof(s->last), "%s: %s", f->kind, f->text);
	if (strstr(s->last, s->plant->says))
		s->found = true;
}

// plant_all plants each damage of a list in turn and returns how many there
// could be.
static unsigned plant_all(struct patch *p, const struct plant *plants)
{
	unsigned i, n = 0;

	for (i = 0; plants[i].plant; i++) {
		struct search s = { .plant = &plants[i] };

		if (plants[i].plant(p)) {
			run(&p->in, look, &s);
			ck_assert_msg(s.found, "%s: %s is not found (%s)",
				      p->sound.name, plants[i].name,
				      s.last[0] ? s.last : "nothing is");
			n++;
		}
		patch_mend(p);
	}
	return n;
}

START_TEST(every_planted_damage_is_named)
{
	struct patch p;
	unsigned n;

	// What a stripped program lacks may make the damaged variable itself
	// impossible to find, which is an error and not a finding.
	if (!zoo_is((unsigned)_i, "heap") || strchr(zoo_name((unsigned)_i), ' '))
		return;
	patch_open((unsigned)_i, &p);
	n = plant_all(&p, plants_spans) + plant_all(&p, plants_rest);
	ck_assert_msg(n >= 30, "%s: only %u damages could be planted",
		      zoo_name((unsigned)_i), n);
	patch_close(&p);
}
END_TEST

Suite *verify_suite(void)
{
	Suite *s = suite_create("verify");
	TCase *tc = tcase_create("zoo");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_sound_core_has_no_findings, 0,
			    (int)zoo_count());
	tcase_add_loop_test(tc, every_planted_damage_is_named, 0,
			    (int)zoo_count());
	suite_add_tcase(s, tc);
	return s;
}
