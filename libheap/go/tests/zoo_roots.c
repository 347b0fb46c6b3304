// zoo_roots.c: what roots say of themselves, and weak pointers.
#include "libheap/go/tests/zoo.h"

static const struct heap_reader *reader_of(const struct zoo *z)
{
	return heap_reader_of(z->heap);
}

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

static void roots_say_what_keeps_an_object(struct zoo *z)
{
	struct zoo_set set;
	const char *line;
	size_t i;

	if (!zoo_is(z->i, "heap"))
		return;
	line = z->truth;
	while (zoo_next_set(&line, &set))
		for (i = 0; i < N_DIRECT; i++) {
			struct wanted w = { z, &set, i, false };

			if (strcmp(set.name, direct[i].set) != 0)
				continue;
			reader_of(z)->roots(z->process, look, &w);
			zoo_require(z, w.found, "%s", set.name);
		}
}

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

static void weak_pointers_are_seen(struct zoo *z)
{
	struct weak_seen seen = { 0 };
	struct zoo_set set;
	const char *line;

	if (!zoo_is(z->i, "heap"))
		return;
	line = z->truth;
	while (zoo_next_set(&line, &set)) {
		if (strcmp(set.name, "weak and strong pointer") != 0)
			continue;
		seen = (struct weak_seen){ &set, 0 };
		reader_of(z)->weak(z->process, see_weak, &seen);
		ck_assert_uint_eq(seen.n, set.n);
	}
}

const struct zoo_claim zoo_roots[] = {
	ZOO_CLAIM(roots_say_what_keeps_an_object),
	ZOO_CLAIM(weak_pointers_are_seen),
	{ NULL, NULL },
};
