// test_debugfile.c: where debug information in a file of its own is found, and
// which file is taken.
#include "libcore/base/codec.h"
#include "libcore/tests/pair.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

Suite *debugfile_suite(void);

static struct pair p;
static uint8_t link_bytes[32];
static const char id_hex[] = "/usr/lib/debug/.build-id/31/"
			     "32333435363738393031323334353637383930.debug";

static void setup(void)
{
	pair_setup(&p);
}

static void teardown(void)
{
	pair_teardown(&p);
}

// debug_make writes a debug file with this GNU id, or none.
static struct bytes debug_make(struct exewriter *ew, const char *id)
{
	static const uint8_t some[64] = { 1, 2, 3 };
	ew_init(ew, CORE_AMD64, PAIR_BASE);
	ew->gnu_id = id;
	ew->go_id = "right/id";
	ew_section(ew, ".debug_info", 1, 0, 0, (struct bytes){ some, 64, 0 });
	ew_symbol(ew, "main.main", PAIR_BASE + 0x1040, 16, 2);
	return ew_finish(ew);
}

// link_to gives the executable a .gnu_debuglink.
static void link_to(const char *name, uint32_t crc)
{
	size_t off = (strlen(name) + 4) / 4 * 4;
	memset(link_bytes, 0, sizeof(link_bytes));
	memcpy(link_bytes, name, strlen(name));
	memcpy(link_bytes + off, &crc, 4);
	ew_section(&p.ew, ".gnu_debuglink", 1, 0, 0,
		   (struct bytes){ link_bytes, off + 4, 0 });
}

// debug_of opens the core of the pair's executable and returns the debug file
// that was found for it.
static const struct objfile *debug_of(void)
{
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	pair_open(&p, exe, NULL);
	ck_ok(p.o.rc, &p.o.err);
	ck_assert_ptr_nonnull(core_exe(p.o.core)->file);
	return core_exe(p.o.core)->debug;
}

START_TEST(a_linked_file_with_the_right_checksum_is_taken)
{
	static const char *const places[] = { "exe.debug", ".debug/exe.debug",
					      "exe.debug" };
	struct exewriter ew;
	struct bytes b = debug_make(&ew, NULL);
	uint32_t crc = crc32_more(0, b.at, b.len);
	ck_assert_int_eq(mkdir(pair_path(&p, ".debug"), 0700), 0);
	pair_put(&p, places[_i], b);
	link_to("exe.debug", _i == 2 ? crc + 1 : crc);
	const struct objfile *debug = debug_of();
	ck_assert(_i == 2 ? !debug : debug != NULL);
	ew_free(&ew);
}
END_TEST

START_TEST(the_ids_of_both_decide_where_there_are_some)
{
	struct exewriter ew;
	p.ew.gnu_id = "12345678901234567890";
	struct bytes b = debug_make(&ew, _i ? "09876543210987654321" :
					      p.ew.gnu_id);
	pair_put(&p, "exe.debug", b);
	link_to("exe.debug", crc32_more(0, b.at, b.len) + 7);
	ck_assert((debug_of() == NULL) == _i);
	ew_free(&ew);
}
END_TEST

START_TEST(a_link_may_not_lead_elsewhere)
{
	struct exewriter ew;
	struct bytes b = debug_make(&ew, NULL);
	ck_assert_int_eq(mkdir(pair_path(&p, "a"), 0700), 0);
	pair_put(&p, "a/exe.debug", b);
	link_to("a/exe.debug", crc32_more(0, b.at, b.len));
	ck_assert_ptr_null(debug_of());
	ew_free(&ew);
}
END_TEST

START_TEST(a_build_id_below_the_sysroot_is_found)
{
	struct exewriter ew;
	char path[300] = "";
	p.ew.gnu_id = "12345678901234567890";
	for (const char *at = id_hex; (at = strchr(at + 1, '/'));) {
		snprintf(path, sizeof(path), "%s%.*s", p.dir,
			 (int)(at - id_hex), id_hex);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	pair_put(&p, id_hex + 1, debug_make(&ew, p.ew.gnu_id));
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), exe, PAIR_BASE);
	struct core_input in = { .core = pair_put(&p, "core", cw_finish(&p.w)),
				 .sysroot = p.dir };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &p.o.pool, NULL), HC_OK);
	ck_ok(core_open(&in, &p.o.pool, &c, &p.o.err), &p.o.err);
	ck_assert_ptr_nonnull(core_exe(c)->debug);
	ck_assert_ptr_eq(core_exe(c)->symbols, core_exe(c)->debug);
	core_close(c);
	pool_close(&p.o.pool);
	ew_free(&ew);
}
END_TEST

// struct server answers for one file and counts how often it was asked.
struct server {
	const char *path;
	unsigned asked;
	bool debug;
};

static const char *serve(void *ctx, const uint8_t *id, uint64_t len,
			 bool debug)
{
	struct server *s = ctx;
	ck_assert(len == 20 && memcmp(id, "12345678901234567890", 20) == 0);
	s->asked++;
	s->debug = debug;
	return s->path;
}

START_TEST(a_server_is_asked_when_nothing_is_here)
{
	struct exewriter ew;
	p.ew.gnu_id = "12345678901234567890";
	struct server s = { 0 };
	s.path = pair_put(&p, "cached",
			  debug_make(&ew, _i ? "09876543210987654321" :
					       p.ew.gnu_id));
	const char *exe = pair_put(&p, "exe", ew_finish(&p.ew));
	cw_pair(&p.w, CORE_AMD64, elfbuf_bytes(&p.ew.out), exe, PAIR_BASE);
	struct core_input in = { .core = pair_put(&p, "core", cw_finish(&p.w)),
				 .fetch = serve, .fetch_ctx = &s };
	struct core *c;
	ck_assert_int_eq(pool_open(UINT64_C(1) << 30, &p.o.pool, NULL), HC_OK);
	ck_ok(core_open(&in, &p.o.pool, &c, &p.o.err), &p.o.err);
	ck_assert(s.asked == 1 && s.debug);
	// What it sends is not believed.
	ck_assert((core_exe(c)->debug == NULL) == _i);
	core_close(c);
	pool_close(&p.o.pool);
	ew_free(&ew);
}
END_TEST

Suite *debugfile_suite(void)
{
	Suite *s = suite_create("debugfile");
	TCase *tc = tcase_create("debugfile");
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_linked_file_with_the_right_checksum_is_taken,
			    0, 3);
	tcase_add_loop_test(tc, the_ids_of_both_decide_where_there_are_some, 0,
			    2);
	tcase_add_test(tc, a_link_may_not_lead_elsewhere);
	tcase_add_test(tc, a_build_id_below_the_sysroot_is_found);
	tcase_add_loop_test(tc, a_server_is_asked_when_nothing_is_here, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}
