// test_objfile.c: sections and symbols of an executable.
#include "libcore/base/inflate.h"
#include "libcore/tests/opencore.h"
#include "libcore/tests/packer.h"

#include <elf.h>
#include <fcntl.h>

Suite *objfile_suite(void);

static struct exewriter ew;
static struct pool pool;
static struct objfile *file;
static struct hc_err err;

static const enum core_arch arches[] = { CORE_AMD64, CORE_ARM64, CORE_386 };

static void setup(void)
{
	ck_assert_int_eq(pool_open(UINT64_C(1) << 32, &pool, NULL), HC_OK);
}

static void teardown(void)
{
	objfile_close(file);
	file = NULL;
	pool_close(&pool);
	ew_free(&ew);
}

static void open_it(void)
{
	ck_ok(objfile_open(elfbuf_path(ew_finish(&ew)), &pool, &file, &err),
	      &err);
}

START_TEST(sections_are_found_by_name)
{
	struct objfile_section s;
	ew_init(&ew, arches[_i], 0x10000);
	ew_section(&ew, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
		   0x11000, (struct bytes){ (const uint8_t *)"code", 4, 0 });
	open_it();
	ck_ok(objfile_section(file, ".text", &s), &err);
	ck_assert_uint_eq(s.addr, 0x11000);
	ck_assert_uint_eq(s.len, 4);
	ck_assert_uint_eq(s.flags, SHF_ALLOC | SHF_EXECINSTR);
	ck_assert(bytes_equal(s.bytes, "code", 4));
	ck_assert_uint_eq(s.inflated_len, 0);
	ck_none(objfile_section(file, ".no", &s));
	ck_assert(!file->is_stub);
}
END_TEST

START_TEST(a_section_outside_the_file_is_empty)
{
	struct objfile_section s;
	size_t n;
	ew_init(&ew, arches[_i], 0x10000);
	struct bytes b = ew_finish(&ew);
	// The last section header, .shstrtab: its size is out of bounds.
	bool is64 = ew.out.is64;
	uint8_t *last = (uint8_t *)(uintptr_t)b.at + b.len - (is64 ? 64 : 40);
	memset(last + (is64 ? 32 : 20), 0x7f, 4);
	ck_ok(objfile_open(elfbuf_path(b), &pool, &file, &err), &err);
	const struct objfile_section *all = objfile_sections(file, &n);
	ck_assert_uint_gt(n, 3);
	ck_assert_uint_eq(all[n - 1].bytes.len, 0);
	ck_none(objfile_section(file, ".shstrtab", &s));
}
END_TEST

START_TEST(a_file_without_sections_opens)
{
	size_t n;
	ew_init(&ew, arches[_i], 0x10000);
	ew.no_sections = true;
	ew.go_id = "an/id";
	open_it();
	(void)objfile_sections(file, &n);
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_eq(file->n_loads, 2);
	ck_assert(bytes_equal(file->ids.go, "an/id", 5));
}
END_TEST

START_TEST(a_debug_file_gives_no_bytes_to_memory)
{
	ew_init(&ew, CORE_AMD64, 0x10000);
	ew_section(&ew, ".text", SHT_NOBITS, SHF_ALLOC, 0x11000,
		   (struct bytes){ 0 });
	open_it();
	ck_assert(file->is_stub);
}
END_TEST

START_TEST(a_compressed_section_tells_its_size)
{
	static const uint8_t zeros[500];
	struct objfile_section s;
	struct bytes ret, packed = packer_pack(PACK_ZLIB, (struct bytes){
							zeros, 500, 0 });
	struct elfbuf b = { .is64 = arches[_i] != CORE_386 };
	elfbuf_u32(&b, 1);
	if (b.is64)
		elfbuf_u32(&b, 0);
	elfbuf_word(&b, 500);
	elfbuf_word(&b, 1);
	elfbuf_put(&b, packed.at, packed.len);
	ew_init(&ew, arches[_i], 0x10000);
	ew_section(&ew, ".debug_info", SHT_PROGBITS, SHF_COMPRESSED, 0,
		   elfbuf_bytes(&b));
	ew_section(&ew, ".debug_line", SHT_PROGBITS, SHF_COMPRESSED, 0,
		   (struct bytes){ (const uint8_t *)"broken", 6, 0 });
	open_it();
	ck_ok(objfile_section(file, ".debug_info", &s), &err);
	ck_assert_uint_eq(s.inflated_len, 500);
	ck_ok(inflate_section(s.bytes, b.is64 ? INFLATE_CHDR64 : INFLATE_CHDR32,
			      &pool, &ret, &err),
	      &err);
	ck_assert(bytes_equal(ret, zeros, 500));
	ck_ok(objfile_section(file, ".debug_line", &s), &err);
	ck_assert_uint_eq(s.bytes.len, 0);
	ck_assert_uint_eq(s.inflated_len, 0);
	elfbuf_free(&b);
	pack_free(packed);
}
END_TEST

struct seen {
	unsigned n, stop_after;
	struct objfile_symbol last;
};

static bool see(void *ctx, const struct objfile_symbol *s)
{
	struct seen *seen = ctx;
	seen->last = *s;
	return ++seen->n != seen->stop_after;
}

START_TEST(symbols_are_told)
{
	struct seen seen = { 0 };
	ew_init(&ew, arches[_i], 0x10000);
	ew_symbol(&ew, "main.main", 0x11040, 16, STT_FUNC);
	ew_symbol(&ew, "", 0x11080, 16, STT_FUNC);
	ew_symbol(&ew, "no.address", 0, 16, STT_FUNC);
	ew_symbol(&ew, "runtime.mheap_", 0x12000, 0x800, STT_OBJECT);
	open_it();
	objfile_each_symbol(file, see, &seen);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_str_eq(seen.last.name, "runtime.mheap_");
	ck_assert_uint_eq(seen.last.addr, 0x12000);
	ck_assert_uint_eq(seen.last.len, 0x800);
	ck_assert_uint_eq(seen.last.type, STT_OBJECT);
	seen = (struct seen){ .stop_after = 1 };
	objfile_each_symbol(file, see, &seen);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_str_eq(seen.last.name, "main.main");
}
END_TEST

START_TEST(names_without_an_end_are_left_out)
{
	struct seen seen = { 0 };
	ew_init(&ew, CORE_AMD64, 0x10000);
	ew_symbol(&ew, "good", 0x11040, 16, STT_FUNC);
	ew_symbol(&ew, "cut", 0x11050, 16, STT_FUNC);
	ew.names.len--; // the last NUL
	open_it();
	objfile_each_symbol(file, see, &seen);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_str_eq(seen.last.name, "good");
}
END_TEST

START_TEST(missing_files_are_none)
{
	ck_none(objfile_open("/no/such/file", &pool, &file, &err));
	ck_none(objfile_open("/dev/null/x", &pool, &file, &err));
	ck_fails(objfile_open("/dev/null", &pool, &file, &err), &err, HC_IO,
		 0);
	ck_assert_ptr_null(file);
}
END_TEST

Suite *objfile_suite(void)
{
	Suite *s = suite_create("objfile");
	TCase *tc = tcase_create("objfile");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, sections_are_found_by_name, 0, 3);
	tcase_add_loop_test(tc, a_section_outside_the_file_is_empty, 0, 3);
	tcase_add_loop_test(tc, a_file_without_sections_opens, 0, 3);
	tcase_add_test(tc, a_debug_file_gives_no_bytes_to_memory);
	tcase_add_loop_test(tc, a_compressed_section_tells_its_size, 0, 3);
	tcase_add_loop_test(tc, symbols_are_told, 0, 3);
	tcase_add_test(tc, names_without_an_end_are_left_out);
	tcase_add_test(tc, missing_files_are_none);
	suite_add_tcase(s, tc);
	return s;
}
