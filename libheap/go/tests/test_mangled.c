// test_mangled.c: cores with words that someone overwrote still get answers.
//
// Damage in the dead process is what the reader is for: whatever it says, it
// says it soon and without reading outside.
#include "libheap/go/go.h"
#include "libheap/go/stacks/goroutines.h"
#include "libheap/go/roots/roots.h"
#include "libheap/go/tests/copy.h"
#include "libheap/go/tests/zoo.h"

Suite *mangled_suite(void);

enum { ROUNDS = 24, MAX_WORDS = 400 };

// struct mangled is a copy of a core, mapped for writing.
struct mangled {
	struct core_copy copy;
	uint64_t seed;
	struct { uint64_t off, old; } undo[MAX_WORDS];
	unsigned n;
};

static uint64_t dice(struct mangled *m)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return m->seed;
}

static uint64_t word_at(struct mangled *m, uint64_t off)
{
	return get_u64(m->copy.bytes + off);
}

// some_word finds a word that is not 0: most of a core is.
static uint64_t some_word(struct mangled *m)
{
	uint64_t off = 0;
	unsigned i;

	for (i = 0; i < 1000; i++) {
		off = dice(m) % (m->copy.len / 8) * 8;
		if (word_at(m, off))
			break;
	}
	return off;
}

static void mangle(struct mangled *m, unsigned n)
{
	for (m->n = 0; m->n < n; m->n++) {
		uint64_t off = some_word(m), new = word_at(m, off);

		m->undo[m->n].off = off;
		m->undo[m->n].old = new;
		switch (dice(m) % 6) {
		case 0:
			new = 0;
			break;
		case 1:
			new = UINT64_MAX;
			break;
		case 2:
			new += dice(m) % 512 - 256;
			break;
		case 3:
			new ^= UINT64_C(1) << dice(m) % 64;
			break;
		case 4:
			new = word_at(m, some_word(m));
			break;
		default:
			new = (new & UINT32_MAX) | dice(m) << 32;
		}
		memcpy(m->copy.bytes + off, &new, 8);
	}
}

static void mend(struct mangled *m)
{
	while (m->n-- > 0)
		memcpy(m->copy.bytes + m->undo[m->n].off, &m->undo[m->n].old, 8);
}

static uint64_t sum; // so that what is said is read

static bool hear_frame(void *ctx, const struct heap_frame *f)
{
	(void)ctx;
	sum += strlen(f->function) + (f->file ? strlen(f->file) : 0);
	return true;
}

static bool hear_owner(void *ctx, const struct heap_owner *o)
{
	sum += strlen(o->status) + (o->created_by ? strlen(o->created_by) : 0);
	go_frames(ctx, o->index, hear_frame, NULL);
	return true;
}

struct hearing {
	struct go_process *process;
	struct pool pool;
	unsigned n;
};

static void hear_root(void *ctx, const struct heap_root *root)
{
	struct hearing *h = ctx;
	struct heap_root_text text;
	struct hc_err err;
	char *mark = pool_mark(&h->pool);

	if (h->n++ % 31 == 0 &&
	    go_root_text(h->process, root, &h->pool, &text, &err) == HC_OK)
		sum += strlen(text.name);
	pool_rewind(&h->pool, mark);
}

static void hear_weak(void *ctx, taddr at, taddr target)
{
	(void)ctx;
	sum += at ^ target;
}

static void ask(const struct core_input *in)
{
	static const struct heap_reader *const readers[] = { &go_reader };
	static const struct heap_options options = { .quiet = true };
	struct hearing h = { 0 };
	struct hc_err err = { 0 };
	struct pool pool;
	struct core *core = NULL;
	struct heap *heap = NULL;
	const char *text;

	ck_assert_int_eq(pool_open(UINT64_C(1) << 32, &pool, &err), HC_OK);
	ck_assert_int_eq(pool_open(UINT64_C(1) << 24, &h.pool, &err), HC_OK);
	if (core_open(in, &pool, &core, &err) == HC_OK &&
	    heap_open(core, readers, 1, &options, &pool, &heap, &err) ==
		    HC_OK) {
		h.process = heap_self(heap);
		go_crash_text(h.process, &text);
		go_owners(h.process, hear_owner, h.process);
		go_roots(h.process, hear_root, &h);
		go_weak(h.process, hear_weak, NULL);
		ck_assert_int_eq(heap_mark(heap, &err), HC_OK);
	}
	heap_close(heap);
	core_close(core);
	pool_close(&h.pool);
	pool_close(&pool);
}

START_TEST(a_mangled_core_gets_an_answer)
{
	struct core_input in = zoo_input((unsigned)_i);
	struct mangled m = { .seed = 0x9e3779b97f4a7c15u + (unsigned)_i };
	unsigned round;

	if (!zoo_is((unsigned)_i, "states-abrt"))
		return;
	copy_open(in.core, &m.copy);
	in.core = m.copy.path;
	in.allow_mismatch = true;
	for (round = 0; round < ROUNDS; round++) {
		mangle(&m, 1 + (unsigned)(dice(&m) %
					  (round % 2 ? MAX_WORDS : 16)));
		ask(&in);
		mend(&m);
	}
	copy_close(&m.copy);
}
END_TEST

Suite *mangled_suite(void)
{
	Suite *s = suite_create("mangled");
	TCase *tc = tcase_create("zoo");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, a_mangled_core_gets_an_answer, 0,
			    (int)zoo_count());
	suite_add_tcase(s, tc);
	return s;
}
