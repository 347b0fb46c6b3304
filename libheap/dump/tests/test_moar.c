// test_moar.c: several heaps in one MoarVM file, and what may go wrong there.
#include "libheap/dump/pack.h"
#include "libheap/dump/read.h"

#include "libcore/tests/ck.h"

#include <stdlib.h>

Suite *moar_suite(void);

typedef enum hc writer(const struct dump_heaps *heaps,
		       const struct dump_sink *sink, struct pool *pool,
		       struct pool *names, struct hc_err *err);
static writer *const writers[] = { dump_moar2, dump_moar3 };

enum { HEAPS = 3, FILE_MAX = 1 << 16 };

struct file {
	uint8_t at[FILE_MAX];
	uint64_t len, refuse; // fails from that byte on, if not 0
};

static struct pool pool, names;
static struct hc_err err;
static struct file dumps[HEAPS]; // one heap each

static void setup(void)
{
	ck_ok(pool_open(UINT64_C(1) << 30, &pool, &err), &err);
	ck_ok(pool_open(UINT64_C(1) << 24, &names, &err), &err);
}

static void teardown(void)
{
	pool_close(&pool);
	pool_close(&names);
}

static enum hc to_file(void *ctx, const void *bytes, uint64_t len,
		       struct hc_err *ret)
{
	struct file *f = ctx;
	ck_assert_uint_le(len, sizeof(f->at) - f->len);
	if (f->refuse && f->len + len > f->refuse)
		return hc_fail(ret, HC_IO, 0, "no more room");
	memcpy(f->at + f->len, bytes, len);
	f->len += len;
	return HC_OK;
}

static void numbers(struct pack *p, enum dump_section section, unsigned n,
		    const uint64_t *v)
{
	pack_section(p, section);
	for (unsigned i = 0; i < n; i++)
		pack_u(p, v[i]);
}

static void bits(struct pack *p, enum dump_section section, uint64_t v)
{
	pack_section(p, section);
	pack_bytes(p, &v, sizeof(v));
}

static void put_owner(struct pack *p, const char *function)
{
	pack_section(p, DUMP_OWNERS);
	pack_u(p, 1);
	pack_u(p, 0);
	pack_u(p, 7); // its id
	pack_text(p, "goroutine");
	pack_text(p, "waiting");
	for (unsigned i = 0; i < 14; i++) // up to its labels
		pack_u(p, 0);
	pack_u(p, 1);
	pack_text(p, function);
	pack_text(p, "main.go");
	pack_u(p, 12);
	pack_u(p, 0x401000);
	pack_u(p, 0);
	pack_u(p, 0);
	pack_u(p, 0); // no more frames, no more owners
	pack_u(p, 0);
}

// make_dump writes a heap of n objects: three types, the last two of them of
// the same name, and the last object of one that only this heap has.
static void make_dump(struct file *f, unsigned n, const char *last)
{
	static const uint64_t zero[16];
	const uint64_t core[15] = { 0, 8, 42 };
	const uint64_t regions[6] = { 13, 1, 0xc000000000, 16, 64, 0 };
	const char *const names_of[] = { "main.node", "main.leaf", "main.leaf",
					 last };
	struct pack p;
	struct dump_sink sink = { to_file, f };
	struct dump_options options = { .threads = 1 };
	*f = (struct file){ .len = 0 };
	ck_ok(pack_open(&sink, &options, &pool, &p, &err), &err);
	numbers(&p, DUMP_CORE, 15, core);
	for (unsigned i = DUMP_THREADS; i <= DUMP_MODULES; i++)
		numbers(&p, (enum dump_section)i, 1, zero);
	numbers(&p, DUMP_IDENTITY, 9, zero);
	numbers(&p, DUMP_MEMORY, 1, zero);
	numbers(&p, DUMP_FINDINGS, 2, zero);
	numbers(&p, DUMP_REGIONS, 6, regions);
	bits(&p, DUMP_ALLOCATED, (UINT64_C(1) << n) - 1);
	bits(&p, DUMP_DEAD, 0);
	bits(&p, DUMP_LIVE, (UINT64_C(1) << n) - 1);
	pack_section(&p, DUMP_OBJECTS);
	for (unsigned i = 0; i < n; i++)
		pack_u(&p, i + 1 == n ? 3 : i % 3);
	pack_section(&p, DUMP_TYPES);
	pack_u(&p, 5);
	pack_u(&p, 4);
	for (unsigned i = 0; i < 4; i++) {
		pack_u(&p, i + 1);
		pack_text(&p, names_of[i]);
		pack_text(&p, "main");
	}
	numbers(&p, DUMP_LAYOUTS, 1, zero);
	numbers(&p, DUMP_EDGE_LENGTHS, 1, zero);
	numbers(&p, DUMP_SHAPES, 1, zero);
	numbers(&p, DUMP_ROOTS, 1, zero);
	put_owner(&p, last);
	ck_ok(pack_close(&p, true, &err), &err);
}

// struct heaps yields the heaps of dumps[]. Shape: each gets a pool of its own,
// whose fail_after-th allocation fails; findings are theirs.
struct heaps {
	unsigned opened, closed;
	uint64_t fail_after, findings;
	struct pool pool;
	struct core *core;
	struct heap *heap;
};

static void let_go(struct heaps *h)
{
	heap_close(h->heap);
	core_close(h->core);
	pool_close(&h->pool);
	h->heap = NULL;
	h->core = NULL;
}

static enum hc open_one(void *ctx, unsigned i, struct heap **ret,
			struct hc_err *why)
{
	static const struct heap_reader *const readers[] = { &dump_reader };
	const struct heap_options options = { .threads = 1, .quiet = true };
	struct heaps *h = ctx;
	const struct file *f = &dumps[i];
	struct bytes file = { f->at, f->len, 0 };
	ck_assert_ptr_null(h->heap);
	ck_ok(pool_open(UINT64_C(1) << 28, &h->pool, &err), &err);
	h->pool.fail_after = h->fail_after;
	enum hc got = dump_open_bytes(file, "test", 0, &h->pool, &h->core, why);
	if (got == HC_OK)
		got = heap_open(h->core, readers, 1, &options, &h->pool,
				&h->heap, why);
	*ret = h->heap;
	h->opened += got == HC_OK;
	if (got)
		let_go(h);
	return got;
}

static void close_one(void *ctx)
{
	struct heaps *h = ctx;
	h->closed++;
	h->findings += core_findings(h->core)->n;
	let_go(h);
}

// write_heaps writes n heaps from the first one on.
static enum hc write_heaps(writer *write, struct heaps *h, unsigned n,
			   struct file *f)
{
	struct dump_sink sink = { to_file, f };
	struct dump_heaps heaps = { n, open_one, close_one, h };
	char *mark = pool_mark(&pool);
	enum hc got = write(&heaps, &sink, &pool, &names, &err);
	ck_assert_uint_eq(h->opened, h->closed);
	ck_assert_ptr_null(h->heap);
	pool_rewind(&pool, mark);
	pool_rewind(&names, names.start);
	return got;
}

static void make_dumps(void)
{
	make_dump(&dumps[0], 9, "main.first");
	make_dump(&dumps[1], 12, "main.second");
	make_dump(&dumps[2], 9, "main.first");
}

// count_text returns how often a file has a text.
static unsigned count_text(const struct file *f, const char *text)
{
	unsigned n = 0;
	for (uint64_t i = 0; i + strlen(text) <= f->len; i++)
		n += memcmp(f->at + i, text, strlen(text)) == 0;
	return n;
}

static uint64_t word_at(const struct file *f, uint64_t from_end)
{
	return get_u64(f->at + f->len - from_end);
}

START_TEST(names_and_rows_are_there_once)
{
	static struct file f;
	struct heaps h = { .opened = 0 };
	f.len = 0;
	make_dumps();
	ck_ok(write_heaps(dump_moar2, &h, HEAPS, &f), &err);
	ck_assert_uint_eq(h.opened, HEAPS);
	ck_assert_uint_eq(word_at(&f, 8), HEAPS);
	ck_assert_uint_eq(count_text(&f, "main.node"), 1);
	ck_assert_uint_eq(count_text(&f, "main.leaf"), 1);
	ck_assert_uint_eq(count_text(&f, "main.first"), 1);
	ck_assert_uint_eq(count_text(&f, "main.second"), 1);
	// Two types of one name are one; frames are first and second.
	ck_assert_uint_eq(word_at(&f, 24), 20 + 16 * 4);
	ck_assert_uint_eq(word_at(&f, 16), 20 + 32 * 2);
}
END_TEST

START_TEST(a_heap_after_others_costs_only_itself)
{
	static struct file one, two, all;
	struct heaps h = { .opened = 0 };
	one.len = two.len = all.len = 0;
	make_dumps();
	ck_ok(write_heaps(writers[_i], &h, 1, &one), &err);
	ck_ok(write_heaps(writers[_i], &h, 2, &two), &err);
	ck_ok(write_heaps(writers[_i], &h, 3, &all), &err);
	ck_assert_uint_lt(two.len, 2 * one.len);
	ck_assert_uint_lt(all.len - two.len, two.len - one.len);
}
END_TEST

// What a reader leaves out for want of memory (goroutines) is a finding.
START_TEST(memory_that_fails_is_the_answer)
{
	static struct file want, f;
	struct heaps h = { .opened = 0 };
	unsigned failed = 0, n = 1;
	want.len = 0;
	make_dumps();
	ck_ok(write_heaps(writers[_i / 2], &h, HEAPS, &want), &err);
	for (; n < 1000; n++) {
		h.fail_after = _i % 2 ? n : 0;
		pool.fail_after = _i % 2 ? 0 : n;
		f.len = h.findings = 0;
		enum hc got = write_heaps(writers[_i / 2], &h, HEAPS, &f);
		pool.fail_after = 0;
		failed += got == HC_FAIL;
		if (got)
			ck_assert_int_eq((int)err.kind, HC_NOMEM);
		else if (h.findings == 0)
			break; // so many are not asked for
	}
	ck_assert_uint_eq(f.len, want.len);
	ck_assert_mem_eq(f.at, want.at, want.len);
	ck_assert_uint_ge(failed, 10);
}
END_TEST

START_TEST(a_sink_that_fails_is_the_answer)
{
	static struct file f;
	struct heaps h = { .opened = 0 };
	f = (struct file){ .refuse = 100 };
	make_dumps();
	ck_fails(write_heaps(writers[_i], &h, HEAPS, &f), &err, HC_IO, 0);
}
END_TEST

START_TEST(a_bad_heap_in_the_middle_is_the_answer)
{
	static struct file f;
	struct heaps h = { .opened = 0 };
	f.len = 0;
	make_dumps();
	dumps[1].at[40] ^= 1;
	ck_assert_int_eq(write_heaps(writers[_i], &h, HEAPS, &f), HC_FAIL);
	ck_assert_int_eq((int)err.kind, HC_CORRUPT);
	ck_assert_uint_eq(h.opened, 1);
}
END_TEST

START_TEST(too_many_are_refused)
{
	static struct file f;
	struct heaps h = { .opened = 0 };
	f.len = 0;
	ck_fails(write_heaps(writers[_i], &h, 1001, &f), &err, HC_LIMIT, 0);
	ck_assert_uint_eq(h.opened, 0);
}
END_TEST

Suite *moar_suite(void)
{
	Suite *s = suite_create("moar");
	TCase *t = tcase_create("moar");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, names_and_rows_are_there_once);
	tcase_add_loop_test(t, a_heap_after_others_costs_only_itself, 0, 2);
	tcase_add_loop_test(t, memory_that_fails_is_the_answer, 0, 4);
	tcase_add_loop_test(t, a_sink_that_fails_is_the_answer, 0, 2);
	tcase_add_loop_test(t, a_bad_heap_in_the_middle_is_the_answer, 0, 2);
	tcase_add_loop_test(t, too_many_are_refused, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
