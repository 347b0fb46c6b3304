// zoo_paths.c: paths from roots, held against the process's memory.
#include "libheap/go/tests/zoo.h"

// The stripped twin's graph is the same, or other claims fail.
enum { N_LIVE = 200, N_GARBAGE = 50, N_STRIPPED = 10 };

static bool is_stripped(const struct zoo *z)
{
	return strstr(z->name, "stripped") != NULL;
}

// next_random is xorshift64: the same objects in every run.
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

// objects_where lists the allocated objects that are live, or are not.
static struct heap_ref *objects_where(struct zoo *z, bool live, size_t *ret_n)
{
	size_t i, n, slots = 0;
	const struct heap_region *r = heap_regions(z->heap, &n);
	struct heap_ref *list;
	uint32_t k;

	for (i = 0; i < n; i++)
		slots += r[i].n_slots;
	list = pool_new(&z->pool, struct heap_ref, slots + 1);
	ck_assert_ptr_nonnull(list);
	for (*ret_n = i = 0; i < n; i++)
		for (k = 0; k < r[i].n_slots; k++)
			if (heap_bit(heap_allocated(z->heap), &r[i], k) &&
			    heap_bit(heap_live(z->heap), &r[i], k) == live)
				list[(*ret_n)++] = (struct heap_ref){
					(uint32_t)i, k
				};
	return list;
}

static bool is_in(const struct zoo *z, taddr at, struct heap_ref object)
{
	return at - heap_ref_at(z->heap, object) <
	       heap_ref_size(z->heap, object);
}

// word_leads says whether the word at `at` points into the object.
static bool word_leads(const struct zoo *z, taddr at, struct heap_ref object)
{
	struct hc_err err;
	taddr word;

	return core_ptr(z->core, at, &word, &err) == HC_OK &&
	       is_in(z, word, object);
}

// root_leads says whether the root is one that points into the object: the
// word that it names does, or it is a register (which has no address). The
// contents of an object with a finalizer are roots as well: the word lies in
// that object then.
static bool root_leads(const struct zoo *z, const struct heap_root *root,
		       struct heap_ref object)
{
	if (root->kind >= HEAP_N_ROOT_KINDS || !is_in(z, root->target, object))
		return false;
	if (!root->at)
		return root->kind == HEAP_ROOT_REGISTER;
	return word_leads(z, root->at, object);
}

static void path_holds(const struct zoo *z, const struct heap_path *p,
		       struct heap_ref wanted)
{
	struct heap_ref last;
	size_t i;

	zoo_require(z, p->n_steps > 0, "a path of no steps");
	zoo_require(z, root_leads(z, &p->root, p->steps[0].object),
		    "%s at 0x%" PRIx64 " leads to 0x%" PRIx64,
		    heap_root_kind_name(p->root.kind), p->root.at,
		    p->root.target);
	for (i = 0; i + 1 < p->n_steps; i++) {
		taddr at = heap_ref_at(z->heap, p->steps[i].object);

		zoo_require(z, p->steps[i].offset + 8 <=
				       heap_ref_size(z->heap,
						     p->steps[i].object),
			    "0x%" PRIx64, at);
		zoo_require(z, word_leads(z, at + p->steps[i].offset,
					  p->steps[i + 1].object),
			    "0x%" PRIx64 " + %" PRIu64, at,
			    p->steps[i].offset);
	}
	last = p->steps[p->n_steps - 1].object;
	zoo_require(z, last.region == wanted.region && last.slot == wanted.slot,
		    "a path to something else");
}

static void every_step_of_a_path_is_in_memory(struct zoo *z)
{
	uint64_t state = 88172645463325252 + z->i;
	struct hc_err err = { 0 };
	struct heap_path *paths;
	struct heap_ref *live;
	size_t i, k, n, n_paths;

	live = objects_where(z, true, &n);
	ck_assert_uint_gt(n, 150);
	for (i = 0; i < (is_stripped(z) ? N_STRIPPED : N_LIVE); i++) {
		struct heap_ref ref = live[next_random(&state) % n];

		zoo_require(z, heap_paths(z->heap, ref, 3, false, &z->pool,
					  &paths, &n_paths, &err) == HC_OK,
			    "0x%" PRIx64 ": %s", heap_ref_at(z->heap, ref),
			    err.msg);
		zoo_require(z, n_paths >= 1 && n_paths <= 3, "%zu paths",
			    n_paths);
		for (k = 0; k < n_paths; k++)
			path_holds(z, &paths[k], ref);
	}
}

static void no_path_leads_to_garbage(struct zoo *z)
{
	uint64_t state = 88172645463325252 + z->i;
	struct hc_err err = { 0 };
	struct heap_path *paths;
	struct heap_ref *garbage;
	size_t i, n, n_paths = 0;

	garbage = objects_where(z, false, &n);
	if (zoo_is(z->i, "dirty"))
		ck_assert_uint_ge(n, 20);
	for (i = 0; n && i < (is_stripped(z) ? N_STRIPPED : N_GARBAGE); i++)
		zoo_require(z, heap_paths(z->heap,
					  garbage[next_random(&state) % n],
					  1, false, &z->pool, &paths,
					  &n_paths, &err) == HC_NONE,
			    "%zu paths", n_paths);
}

const struct zoo_claim zoo_paths[] = {
	ZOO_CLAIM(every_step_of_a_path_is_in_memory),
	ZOO_CLAIM(no_path_leads_to_garbage),
	{ NULL, NULL },
};
