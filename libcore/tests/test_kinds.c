// test_kinds.c: cores of the shapes that gdb, large programs and archivers make.
#include "libcore/tests/opencore.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

Suite *kinds_suite(void);

static struct corewriter w;
static struct opencore o;

// gdb's gcore packs segments without any alignment.
START_TEST(segments_at_odd_offsets_are_read)
{
	cw_init(&w, CORE_AMD64);
	w.align = 1;
	cw_load(&w, 0x1000, 0x1001, 0x1001, CORE_R);
	cw_load(&w, 0x4000, 0x203, 0x203, CORE_R | CORE_W);
	cw_load(&w, 0x8000, 0x1000, 0x7ff, CORE_R);
	opencore_must(&o, cw_finish(&w), NULL);
	static const taddr places[] = { 0x1000, 0x2000, 0x4001, 0x4202, 0x87fe };
	for (unsigned i = 0; i < 5; i++) {
		uint8_t v;
		ck_ok(core_u8(o.core, places[i], &v, &o.err), &o.err);
		ck_assert_uint_eq(v, cw_byte(places[i]));
	}
	opencore_close(&o);
	cw_free(&w);
}
END_TEST

// The file has 6 GiB, nearly all of it holes, and its last bytes count.
START_TEST(a_sparse_core_of_many_gigabytes_is_read)
{
	enum { TAIL = 4096 };
	uint64_t len = UINT64_C(6) << 30, off = 4096;
	char path[] = "/tmp/heapcore-sparse-XXXXXX";
	struct elfbuf b = { .is64 = true };
	struct core_input in = { .core = path };
	struct pool pool;
	struct core *core;
	struct hc_err err;
	uint64_t v;
	struct stat st;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	elfbuf_head(&b, &(struct elfbuf_head){ .type = ELF_CORE,
					       .machine = ELF_MACHINE_AMD64,
					       .n_phdrs = 1 });
	elfbuf_phdr(&b, &(struct elfbuf_phdr){ .type = ELF_PT_LOAD,
					       .off = off,
					       .vaddr = UINT64_C(0xc000000000),
					       .filesz = len - off,
					       .memsz = len - off });
	ck_assert_int_eq(pwrite(fd, b.at, b.len, 0), (ssize_t)b.len);
	ck_assert_int_eq(ftruncate(fd, (off_t)len), 0);
	ck_assert_int_eq(pwrite(fd, "the end.", 8, (off_t)len - 8), 8);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_lt(st.st_blocks, 4096);
	ck_assert_int_eq(pool_open(UINT64_C(1) << 26, &pool, &err), HC_OK);
	ck_ok(core_open(&in, &pool, &core, &err), &err);
	ck_assert(!core_info(core)->truncated);
	ck_assert_uint_eq(core_saved_bytes(core, 0, UINT64_MAX), len - off);
	ck_ok(core_u64(core, UINT64_C(0xc000000000) + len - off - 8, &v, &err),
	      &err);
	ck_assert_int_eq(memcmp(&v, "the end.", 8), 0);
	core_close(core);
	pool_close(&pool);
	elfbuf_free(&b);
	close(fd);
	unlink(path);
}
END_TEST

// A stream whose length nobody knew beforehand does not say it.
START_TEST(zstd_without_a_content_size_is_unpacked)
{
	struct core_input in = { 0 };
	struct pool pool;
	struct core *core;
	struct hc_err err;
	cw_sample(&w, CORE_AMD64);
	struct bytes plain = cw_finish(&w);
	uint64_t cap = plain.len * 2 + 65536;
	uint8_t *out = malloc(cap);
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, 0);
	size_t n = ZSTD_compress2(c, out, cap, plain.at, plain.len);
	ck_assert(!ZSTD_isError(n));
	ck_assert(ZSTD_getFrameContentSize(out, n) ==
		  ZSTD_CONTENTSIZE_UNKNOWN);
	ck_assert_int_eq(pool_open(UINT64_C(1) << 26, &pool, &err), HC_OK);
	in.core = elfbuf_path((struct bytes){ out, n, 0 });
	ck_ok(core_open(&in, &pool, &core, &err), &err);
	ck_assert(core_info(core)->compressed);
	ck_assert_uint_eq(core_info(core)->file_bytes, plain.len);
	core_close(core);
	pool_close(&pool);
	ZSTD_freeCCtx(c);
	free(out);
	cw_free(&w);
}
END_TEST

Suite *kinds_suite(void)
{
	Suite *s = suite_create("kinds");
	TCase *tc = tcase_create("kinds");
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, segments_at_odd_offsets_are_read);
	tcase_add_test(tc, a_sparse_core_of_many_gigabytes_is_read);
	tcase_add_test(tc, zstd_without_a_content_size_is_unpacked);
	suite_add_tcase(s, tc);
	return s;
}
