// test_damage.c: no broken core crashes, hangs or is read outside its bytes.
#include "libcore/tests/opencore.h"

#include <stdlib.h>

Suite *damage_suite(void);

static struct corewriter w;
static struct exewriter ew;
static struct bytes good;
static const char *exe;

static void setup_arch(enum core_arch arch)
{
	cw_sample(&w, arch);
	good = cw_finish(&w);
	ew_init(&ew, arch, 0x10000);
	ew.go_id = "go/id";
	ew_symbol(&ew, "main.main", 0x11040, 16, 2);
	exe = elfbuf_path(ew_finish(&ew));
}

static void teardown(void)
{
	cw_free(&w);
	ew_free(&ew);
}

// try_one opens b; the answer may be anything, and is walked when it is one.
static bool try_one(struct bytes b, const char *with)
{
	struct opencore o;
	opencore_open(&o, b, with);
	bool opened = o.core != NULL;
	if (opened)
		walk_all(o.core);
	else
		ck_assert_int_eq(o.rc, HC_FAIL);
	opencore_close(&o);
	return opened;
}

static const enum core_arch arches[] = { CORE_AMD64, CORE_ARM64, CORE_386 };

START_TEST(every_prefix_is_answered_or_refused)
{
	setup_arch(arches[_i]);
	uint64_t n = 0;
	for (uint64_t len = 0; len < good.len; len++)
		n += try_one((struct bytes){ good.at, len, 0 }, NULL);
	// Whatever ends behind the program headers is answered.
	ck_assert_uint_gt(n, good.len - 600);
}
END_TEST

static void flip_all(uint8_t mask, bool set)
{
	uint8_t *at = (uint8_t *)(uintptr_t)good.at;
	for (uint64_t i = 0; i < good.len - 0x500; i++) {
		uint8_t was = at[i];
		at[i] = set ? mask : was ^ mask;
		try_one(good, NULL);
		at[i] = was;
	}
}

START_TEST(every_byte_may_be_flipped)
{
	setup_arch(arches[_i]);
	flip_all(0xff, false);
	flip_all(0x80, false);
}
END_TEST

START_TEST(every_byte_may_be_0_or_ff)
{
	setup_arch(arches[_i]);
	flip_all(0, true);
	flip_all(0xff, true);
}
END_TEST

static bool take_symbol(void *ctx, const struct objfile_symbol *s)
{
	(void)ctx;
	ck_assert_uint_lt(strlen(s->name), 100);
	return true;
}

// walk_file opens an exact copy of b as an executable.
static void walk_file(struct bytes b, struct pool *pool)
{
	uint8_t *copy = malloc(b.len ? b.len : 1);
	struct objfile *f;
	size_t n;
	memcpy(copy, b.at, b.len);
	struct bytes bytes = { copy, b.len, 0 };
	if (objfile_open_bytes(bytes, pool, &f, NULL) == HC_OK) {
		const struct objfile_section *s = objfile_sections(f, &n);
		for (size_t i = 0; i < n; i++)
			ck_assert_uint_le(s[i].bytes.len, b.len);
		objfile_each_symbol(f, take_symbol, NULL);
		objfile_close(f);
	}
	pool_rewind(pool, pool->start);
	free(copy);
}

START_TEST(every_byte_and_prefix_of_the_executable_may_be_broken)
{
	setup_arch(arches[_i]);
	struct bytes file = elfbuf_bytes(&ew.out);
	uint8_t *at = (uint8_t *)(uintptr_t)file.at;
	struct pool pool;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 32, &pool, NULL), HC_OK);
	for (uint64_t i = 0; i < file.len; i++) {
		if (i == 0x340)
			i = 0x27f0; // text is not looked at
		at[i] ^= 0xff;
		walk_file(file, &pool);
		at[i] ^= 0xff;
	}
	for (uint64_t len = 0; len < file.len; len++) {
		if (len == 0x340)
			len = 0x27f0;
		walk_file((struct bytes){ at, len, 0 }, &pool);
	}
	pool_close(&pool);
}
END_TEST

// open_short opens good with the n-th allocation failing; it says whether
// that many were made.
static bool open_short(uint64_t n)
{
	struct core_input in = { .core = "test", .exe = exe };
	struct pool pool;
	struct core *core = NULL;
	struct hc_err err;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 32, &pool, NULL), HC_OK);
	pool.fail_after = n;
	enum hc rc = core_open_bytes(&in, good, &pool, &core, &err);
	bool failed = pool.fail_after == 0;
	if (rc == HC_OK)
		core_close(core);
	else
		ck_assert_str_eq(hc_kind_name(err.kind),
				 hc_kind_name(HC_NOMEM));
	ck_assert(rc == HC_OK || core == NULL);
	pool_close(&pool);
	return failed;
}

START_TEST(every_allocation_may_fail)
{
	struct corewriter pair;
	setup_arch(arches[_i]);
	cw_pair(&pair, arches[_i], elfbuf_bytes(&ew.out), "/no/such/exe",
		0x10000);
	good = cw_finish(&pair);
	uint64_t n = 1;
	while (open_short(n))
		n++;
	ck_assert_uint_gt(n, 20);
	cw_free(&pair);
}
END_TEST

START_TEST(headers_that_share_their_notes_do_not_multiply_the_work)
{
	setup_arch(CORE_AMD64);
	struct elfbuf b = { .is64 = true };
	uint32_t n = 60000;
	uint64_t off = 64 + n * 56ul;
	elfbuf_head(&b, &(struct elfbuf_head){ .type = ELF_CORE,
					       .machine = ELF_MACHINE_AMD64,
					       .n_phdrs = (uint16_t)n });
	for (uint32_t i = 0; i < n; i++)
		elfbuf_phdr(&b, &(struct elfbuf_phdr){
					.type = ELF_PT_NOTE,
					.off = off,
					.filesz = w.notes.len * 2000 });
	for (int i = 0; i < 2000; i++)
		elfbuf_put(&b, w.notes.at, w.notes.len);
	ck_assert(try_one(elfbuf_bytes(&b), NULL));
	elfbuf_free(&b);
}
END_TEST

START_TEST(findings_outlive_what_was_taken_from_the_pool_since)
{
	setup_arch(CORE_AMD64);
	struct opencore o;
	opencore_must(&o, cw_finish(&w), NULL);
	char *mark = pool_mark(&o.pool);
	for (int i = 0; i < 40; i++)
		findings_add(core_findings(o.core), "told", 7, "number %d", i);
	pool_rewind(&o.pool, mark);
	memset(pool_new(&o.pool, char, 1 << 16), 0xee, 1 << 16);
	const struct findings *f = core_findings(o.core);
	ck_assert_str_eq(f->at[f->n - 1].text, "number 39");
	ck_assert_str_eq(f->at[f->n - 40].text, "number 0");
	opencore_close(&o);
}
END_TEST

Suite *damage_suite(void)
{
	Suite *s = suite_create("damage");
	TCase *tc = tcase_create("damage");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, every_prefix_is_answered_or_refused, 0, 3);
	tcase_add_loop_test(tc, every_byte_may_be_flipped, 0, 3);
	tcase_add_loop_test(tc, every_byte_may_be_0_or_ff, 0, 3);
	tcase_add_loop_test(
		tc, every_byte_and_prefix_of_the_executable_may_be_broken, 0, 3);
	tcase_add_loop_test(tc, every_allocation_may_fail, 0, 3);
	tcase_add_test(
		tc, findings_outlive_what_was_taken_from_the_pool_since);
	tcase_add_test(
		tc, headers_that_share_their_notes_do_not_multiply_the_work);
	suite_add_tcase(s, tc);
	return s;
}
