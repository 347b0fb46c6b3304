// test_input.c: a core comes in any wrapping, and what is none is named.
#include "libcore/tests/opencore.h"
#include "libcore/tests/packer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *input_suite(void);

static struct corewriter w;
static struct bytes plain;
static struct pool pool;
static struct core *core;
static struct hc_err err;

static void setup(void)
{
	cw_sample(&w, CORE_AMD64);
	// A megabyte of what cannot be compressed away, and a hole.
	cw_load(&w, 0x100000, 0x100000, 0x100000, CORE_R);
	plain = cw_finish(&w);
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &pool, NULL), HC_OK);
}

static void teardown(void)
{
	core_close(core);
	pool_close(&pool);
	cw_free(&w);
}

static enum hc open_path(const char *path)
{
	struct core_input in = { .core = path };
	return core_open(&in, &pool, &core, &err);
}

static void must_be_the_sample(bool compressed)
{
	const uint8_t *view;
	const struct core_info *info = core_info(core);
	ck_assert_uint_eq(info->file_bytes, plain.len);
	ck_assert_uint_eq(info->compressed, compressed);
	ck_assert(!info->truncated);
	ck_ok(core_view(core, 0x100000, 0x100000, &view, &err), &err);
	unsigned i = 0;
	while (i < 0x100000 && view[i] == cw_byte(0x100000 + i))
		i++;
	ck_assert_uint_eq(i, 0x100000);
}

START_TEST(a_file_is_mapped)
{
	ck_ok(open_path(elfbuf_path(plain)), &err);
	must_be_the_sample(false);
}
END_TEST

START_TEST(a_compressed_file_is_unpacked)
{
	struct bytes b = packer_pack((enum pack)_i, plain);
	ck_ok(open_path(elfbuf_path(b)), &err);
	must_be_the_sample(true);
	ck_assert_uint_eq(core_findings(core)->n, 1); // no executable
	pack_free(b);
}
END_TEST

START_TEST(frames_may_follow_each_other)
{
	struct bytes first, second;
	ck_ok(bytes_sub(plain, 0, 70001, &first, &err), &err);
	ck_ok(bytes_sub(plain, 70001, plain.len - 70001, &second, &err), &err);
	struct bytes a = packer_pack((enum pack)_i, first);
	struct bytes b = packer_pack((enum pack)_i, second);
	struct bytes both = pack_join(a, b);
	ck_ok(open_path(elfbuf_path(both)), &err);
	must_be_the_sample(true);
	pack_free(both);
	pack_free(a);
	pack_free(b);
}
END_TEST

START_TEST(what_follows_a_whole_core_is_left_out)
{
	static const uint8_t junk[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct bytes a = packer_pack((enum pack)_i, plain);
	struct bytes both = pack_join(a, (struct bytes){ junk, 8, 0 });
	ck_ok(open_path(elfbuf_path(both)), &err);
	must_be_the_sample(true);
	ck_assert_ptr_nonnull(finding_of(core, "trailing bytes"));
	pack_free(both);
	pack_free(a);
}
END_TEST

START_TEST(a_cut_compressed_core_is_answered_with_what_is_there)
{
	struct bytes b = packer_pack((enum pack)_i, plain);
	for (uint64_t part = 1; part < 16; part++) {
		b.len -= part == 1 ? 1 : b.len / 16;
		enum hc rc = open_path(elfbuf_path(b));
		if (rc) { // not even the ELF header came out
			ck_assert_int_eq(rc, HC_FAIL);
			continue;
		}
		ck_assert(core_info(core)->truncated);
		ck_assert_uint_le(core_info(core)->file_bytes, plain.len);
		walk_all(core);
		core_close(core);
		core = NULL;
	}
	pack_free(b);
}
END_TEST

START_TEST(a_flipped_compressed_core_is_answered_or_refused)
{
	struct bytes b = packer_pack((enum pack)_i, plain);
	uint8_t *at = (uint8_t *)(uintptr_t)b.at;
	for (uint64_t i = 0; i < b.len; i += 1 + i / 4) {
		at[i] ^= 0x55;
		const char *path = elfbuf_path(b);
		if (open_path(path) == HC_OK)
			walk_all(core);
		core_close(core);
		core = NULL;
		at[i] ^= 0x55;
		int fd;
		ck_assert_int_eq(sscanf(path, "/proc/self/fd/%d", &fd), 1);
		close(fd);
		pool_rewind(&pool, pool.start);
	}
	pack_free(b);
}
END_TEST

// feed makes standard input a pipe that yields b.
static void feed(struct bytes b)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	if (!fork()) {
		close(ends[0]);
		while (b.len) {
			ssize_t n = write(ends[1], b.at, b.len);
			if (n <= 0)
				_exit(1);
			b.at += n;
			b.len -= (uint64_t)n;
		}
		_exit(0);
	}
	close(ends[1]);
	ck_assert_int_eq(dup2(ends[0], 0), 0);
	close(ends[0]);
}

START_TEST(standard_input_may_be_a_pipe)
{
	struct bytes b = _i < PACK_ZLIB ? packer_pack((enum pack)_i, plain) : plain;
	feed(b);
	ck_ok(open_path("-"), &err);
	must_be_the_sample(_i < PACK_ZLIB);
	wait(NULL);
	if (_i < PACK_ZLIB)
		pack_free(b);
}
END_TEST

START_TEST(standard_input_may_be_a_file)
{
	int fd = open(elfbuf_path(plain), O_RDONLY);
	ck_assert_int_eq(dup2(fd, 0), 0);
	ck_ok(open_path("-"), &err);
	must_be_the_sample(false);
}
END_TEST

START_TEST(zeros_stay_holes)
{
	uint64_t len = 64 << 20;
	uint8_t *big = calloc(1, len);
	memcpy(big, plain.at, plain.len);
	struct bytes b = packer_pack(PACK_ZSTD, (struct bytes){ big, len, 0 });
	ck_ok(open_path(elfbuf_path(b)), &err);
	ck_assert_uint_eq(core_info(core)->file_bytes, len);
	// The temporary file has no name: find it among our mappings.
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], path[512] = "";
	unsigned long from, to;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 &&
		    to - from == len && strstr(line, "(deleted)"))
			snprintf(path, sizeof(path), "/proc/self/map_files/"
						     "%lx-%lx",
				 from, to);
	}
	fclose(maps);
	ck_assert(path[0]);
	struct stat st;
	if (!stat(path, &st)) // needs privileges on some systems
		ck_assert_int_lt(st.st_blocks * 512, 4 << 20);
	pack_free(b);
	free(big);
}
END_TEST

START_TEST(unpacking_stops_at_its_limit)
{
	struct bytes b = packer_pack(PACK_ZSTD, plain);
	struct core_input in = { .core = elfbuf_path(b),
				 .max_unpacked = plain.len - 1 };
	ck_says(core_open(&in, &pool, &core, &err), &err, HC_LIMIT,
		"unpacks to over");
	in.max_unpacked = plain.len;
	ck_ok(core_open(&in, &pool, &core, &err), &err);
	pack_free(b);
}
END_TEST

START_TEST(a_missing_temporary_directory_is_named)
{
	struct bytes b = packer_pack(PACK_ZSTD, plain);
	struct core_input in = { .core = elfbuf_path(b),
				 .tmpdir = "/no/such/dir" };
	ck_says(core_open(&in, &pool, &core, &err), &err, HC_IO,
		"/no/such/dir");
	pack_free(b);
}
END_TEST

static void note_progress(void *ctx, const char *phase, uint64_t done,
			  uint64_t total)
{
	uint64_t *last = ctx;
	ck_assert_str_eq(phase, "unpack");
	ck_assert(done >= *last && done <= total);
	*last = done;
}

START_TEST(progress_is_told)
{
	uint64_t last = 0, len = 80 << 20;
	uint8_t *big = calloc(1, len);
	memcpy(big, plain.at, plain.len);
	for (uint64_t i = plain.len; i < len; i++)
		big[i] = (uint8_t)((i * 2654435761u) >> 13);
	struct bytes b = packer_pack(PACK_LZ4, (struct bytes){ big, len, 0 });
	struct core_input in = { .core = elfbuf_path(b),
				 .progress = note_progress,
				 .progress_ctx = &last };
	ck_ok(core_open(&in, &pool, &core, &err), &err);
	ck_assert_uint_gt(last, 0);
	pack_free(b);
	free(big);
}
END_TEST

static const struct {
	const char *bytes;
	unsigned len;
	const char *says;
} strangers[] = {
	{ "", 0, "is empty" },
	{ "hello, world\n", 13, "is text" },
	{ "ProblemType: Crash\nDate: x\n", 27, "apport-unpack" },
	{ "MDMP\x93\xa7\0\0", 8, "minidump" },
	{ "\xcf\xfa\xed\xfe\x07\0\0\1", 8, "Mach-O" },
	{ "\xfe\xed\xfa\xcf\0\0\0\1", 8, "Mach-O" },
	{ "PK\3\4\x14\0\0\0", 8, "unzip it first" },
	{ "BZh91AY&SY", 10, "bunzip2" },
	{ "MZ\x90\0\3\0\0\0", 8, "Windows" },
	{ "go1.7 heap dump\n\6", 17, "WriteHeapDump" },
	{ "JAVA PROFILE 1.0.2", 18, "Java heap dump" },
	{ "\1\2\3\4\5\6\7\x8", 8, "not known" },
	{ "\x7f"
	  "ELF",
	  4, "ends within the ELF header" },
};

START_TEST(what_is_no_core_is_named)
{
	struct bytes b = { (const uint8_t *)strangers[_i].bytes,
			   strangers[_i].len, 0 };
	ck_assert_int_eq(open_path(elfbuf_path(b)), HC_FAIL);
	ck_assert_msg(strstr(err.msg, strangers[_i].says), "%s", err.msg);
	ck_assert_ptr_null(strchr(err.msg, '\n'));
}
END_TEST

START_TEST(a_compressed_stranger_is_named)
{
	struct bytes text = { (const uint8_t *)"hello\n", 6, 0 };
	struct bytes b = packer_pack((enum pack)_i, text);
	ck_says(open_path(elfbuf_path(b)), &err, HC_UNSUPPORTED,
		"is, unpacked, text");
	pack_free(b);
}
END_TEST

START_TEST(an_executable_is_sent_to_its_place)
{
	struct exewriter ew;
	ew_init(&ew, CORE_AMD64, 0x10000);
	ck_says(open_path(elfbuf_path(ew_finish(&ew))), &err, HC_UNSUPPORTED,
		"name the core first");
	ew_free(&ew);
}
END_TEST

START_TEST(directories_and_missing_files_are_named)
{
	ck_says(open_path("/tmp"), &err, HC_UNSUPPORTED, "a directory");
	ck_says(open_path("/no/such/core"), &err, HC_IO, "No such file");
}
END_TEST

START_TEST(other_machines_are_named)
{
	uint8_t *at = (uint8_t *)(uintptr_t)plain.at;
	at[18] = 243; // RISC-V
	ck_says(open_path(elfbuf_path(plain)), &err, HC_UNSUPPORTED,
		"riscv64");
	at[18] = 62;
	at[5] = 2;
	ck_says(open_path(elfbuf_path(plain)), &err, HC_UNSUPPORTED,
		"big-endian");
}
END_TEST

Suite *input_suite(void)
{
	int n = PACK_ZLIB; // the formats of files
	Suite *s = suite_create("input");
	TCase *tc = tcase_create("input");
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_file_is_mapped);
	tcase_add_loop_test(tc, a_compressed_file_is_unpacked, 0, n);
	tcase_add_loop_test(tc, frames_may_follow_each_other, 0, n);
	tcase_add_loop_test(tc, what_follows_a_whole_core_is_left_out, 0, n);
	tcase_add_loop_test(
		tc, a_cut_compressed_core_is_answered_with_what_is_there, 0,
		n);
	tcase_add_loop_test(
		tc, a_flipped_compressed_core_is_answered_or_refused, 0, n);
	tcase_add_loop_test(tc, standard_input_may_be_a_pipe, 0, n + 1);
	tcase_add_test(tc, standard_input_may_be_a_file);
	tcase_add_test(tc, zeros_stay_holes);
	tcase_add_test(tc, unpacking_stops_at_its_limit);
	tcase_add_test(tc, a_missing_temporary_directory_is_named);
	tcase_add_test(tc, progress_is_told);
	tcase_add_loop_test(tc, what_is_no_core_is_named, 0,
			    sizeof(strangers) / sizeof(strangers[0]));
	tcase_add_loop_test(tc, a_compressed_stranger_is_named, 0, n);
	tcase_add_test(tc, an_executable_is_sent_to_its_place);
	tcase_add_test(tc, directories_and_missing_files_are_named);
	tcase_add_test(tc, other_machines_are_named);
	suite_add_tcase(s, tc);
	return s;
}
