// test_notes.c: what the notes say, on each architecture.
#include "libcore/tests/opencore.h"

Suite *notes_suite(void);

static struct corewriter w;
static struct opencore o;

static const enum core_arch arches[] = { CORE_AMD64, CORE_ARM64, CORE_386 };

static void open_sample(enum core_arch arch)
{
	cw_sample(&w, arch);
	opencore_must(&o, cw_finish(&w), NULL);
}

static void open_written(void)
{
	opencore_must(&o, cw_finish(&w), NULL);
}

static void teardown(void)
{
	opencore_close(&o);
	cw_free(&w);
	w = (struct corewriter){ 0 };
}

START_TEST(the_process_is_known)
{
	open_sample(arches[_i]);
	const struct core_info *info = core_info(o.core);
	uint64_t entry;
	ck_assert_int_eq((int)info->arch, (int)arches[_i]);
	ck_assert_uint_eq(info->word, arches[_i] == CORE_386 ? 4 : 8);
	ck_assert_uint_eq(info->pid, 100);
	ck_assert_str_eq(info->name, "sample");
	ck_assert_str_eq(info->command, "./sample --now");
	ck_assert_int_eq(info->signal, 11);
	ck_assert(info->has_siginfo);
	ck_assert_int_eq(info->si_code, 1);
	ck_assert_uint_eq(info->fault_address, 0xdead0);
	ck_assert_uint_eq(info->sender_pid, 0);
	ck_ok(core_auxv(o.core, 9, &entry), &o.err);
	ck_assert_uint_eq(entry, 0x1040);
	ck_none(core_auxv(o.core, 33, &entry));
}
END_TEST

START_TEST(threads_have_their_registers)
{
	open_sample(arches[_i]);
	size_t n;
	const struct core_thread *t = core_threads(o.core, &n);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(t[0].tid, 100);
	ck_assert_int_eq(t[0].signal, 11);
	ck_assert_uint_eq(t[0].pc, 0x1044);
	ck_assert_uint_eq(t[0].sp, 0x7f80);
	ck_assert_uint_eq(t[0].tls, 0x5008);
	ck_assert_uint_eq(t[1].tid, 101);
	ck_assert_uint_eq(t[1].pc, 0x1048);
	ck_assert_uint_eq(t[1].tls, 0x5108);
	static const unsigned n_regs[] = { 27, 34, 17 };
	ck_assert_uint_eq(t[0].n_regs, n_regs[_i]);
}
END_TEST

START_TEST(segments_name_the_mapped_file)
{
	open_sample(arches[_i]);
	size_t n;
	const struct core_segment *s = core_segments(o.core, &n);
	ck_assert_uint_eq(n, 4);
	ck_assert_str_eq(s[0].file, "/no/such/program");
	ck_assert_uint_eq(s[0].file_off, 0);
	ck_assert_ptr_null(s[1].file);
	ck_assert_uint_eq(s[0].perm, CORE_R | CORE_X);
}
END_TEST

START_TEST(a_kill_names_its_sender)
{
	cw_init(&w, CORE_AMD64);
	cw_thread(&w, 7, 6, 1, 2, 3);
	cw_siginfo(&w, 6, -6, 4242);
	open_written();
	ck_assert_uint_eq(core_info(o.core)->sender_pid, 4242);
	ck_assert_uint_eq(core_info(o.core)->fault_address, 0);
	// No psinfo: the first thread's id is the process's.
	ck_assert_uint_eq(core_info(o.core)->pid, 7);
	ck_assert_str_eq(core_info(o.core)->name, "");
}
END_TEST

START_TEST(gcore_of_a_live_process_has_no_signal)
{
	cw_init(&w, CORE_AMD64);
	cw_thread(&w, 7, 0, 1, 2, 3);
	cw_siginfo(&w, 19, 128, 0);
	open_written();
	ck_assert_int_eq(core_info(o.core)->signal, 0);
}
END_TEST

START_TEST(the_first_siginfo_counts)
{
	cw_init(&w, CORE_AMD64);
	cw_thread(&w, 7, 11, 1, 2, 3);
	cw_siginfo(&w, 11, 1, 0x1234);
	cw_thread(&w, 8, 0, 1, 2, 3);
	cw_siginfo(&w, 19, 0, 0);
	open_written();
	ck_assert_int_eq(core_info(o.core)->signal, 11);
	ck_assert_uint_eq(core_info(o.core)->fault_address, 0x1234);
}
END_TEST

START_TEST(names_without_an_end_get_one)
{
	char long_command[81];
	memset(long_command, 'x', 80);
	long_command[80] = 0;
	cw_init(&w, CORE_AMD64);
	cw_psinfo(&w, 1, "sixteen-letters-", long_command);
	open_written();
	ck_assert_str_eq(core_info(o.core)->name, "sixteen-letters-");
	ck_assert_str_eq(core_info(o.core)->command, long_command);
}
END_TEST

START_TEST(a_short_note_is_a_finding_and_the_next_is_read)
{
	cw_init(&w, CORE_AMD64);
	elfbuf_note(&w.notes, "CORE", 1, "short", 5);
	elfbuf_note(&w.notes, "CORE", 3, "short", 5);
	cw_thread(&w, 9, 6, 1, 2, 3);
	open_written();
	size_t n;
	const struct core_thread *t = core_threads(o.core, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(t[0].tid, 9);
	const struct findings *f = core_findings(o.core);
	ck_assert_uint_eq(f->n, 3); // these two, and no executable
	ck_assert_str_eq(f->at[0].kind, "bad note");
	ck_assert_str_eq(f->at[1].kind, "bad note");
}
END_TEST

START_TEST(a_file_note_that_claims_too_much_is_a_finding)
{
	uint64_t claim[] = { UINT64_C(1) << 61, 4096, 1, 2, 3 };
	cw_init(&w, CORE_AMD64);
	elfbuf_note(&w.notes, "CORE", 0x46494c45, claim, sizeof(claim));
	open_written();
	ck_assert_ptr_nonnull(finding_of(o.core, "bad note"));
}
END_TEST

// put_register appends one register as delve does.
static void put_register(struct elfbuf *b, const char *name, uint64_t v)
{
	elfbuf_u16(b, (uint16_t)strlen(name));
	elfbuf_put(b, name, strlen(name));
	elfbuf_u16(b, 8);
	elfbuf_put(b, &v, 8);
}

START_TEST(threads_of_delve_are_read)
{
	static const char header[] = "linux/amd64\nVersion: 1.27.2\n"
				     "Target Pid: 4711\n"
				     "Entry Point: 0x4808a0\n";
	const uint64_t fixed[] = { 4712, 0x1044, 0x7f80, 0, 0x5008 };
	struct elfbuf b = { .is64 = true };
	elfbuf_put(&b, fixed, sizeof(fixed));
	elfbuf_put(&b, "\1\0\0\0\0\0\0\0\0", 9); // has_g, g
	elfbuf_u32(&b, 3);
	put_register(&b, "Rip", 0x1044);
	put_register(&b, "Unknown", 1);
	put_register(&b, "R14", 0xc000000000);
	cw_init(&w, CORE_AMD64);
	elfbuf_note(&w.notes, "Delve Header", 0x444c5645, header,
		    sizeof(header) - 1);
	elfbuf_note(&w.notes, "Delve Thread", 0x444c5654, b.at, b.len);
	elfbuf_free(&b);
	open_written();
	size_t n;
	uint64_t entry;
	const struct core_thread *t = core_threads(o.core, &n);
	ck_assert_uint_eq(core_info(o.core)->pid, 4711);
	ck_ok(core_auxv(o.core, 9, &entry), &o.err);
	ck_assert_uint_eq(entry, 0x4808a0);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(t->tid, 4712);
	ck_assert_uint_eq(t->pc, 0x1044);
	ck_assert_uint_eq(t->sp, 0x7f80);
	ck_assert_uint_eq(t->tls, 0x5008);
	ck_assert_uint_eq(t->regs[CORE_AMD64_RIP], 0x1044);
	ck_assert_uint_eq(t->regs[CORE_AMD64_R14], 0xc000000000);
}
END_TEST

START_TEST(notes_without_a_name_are_a_cores_own)
{
	uint8_t d[336] = { 0 };
	d[32] = 42;
	cw_init(&w, CORE_AMD64);
	elfbuf_note(&w.notes, "", 1, d, sizeof(d));
	open_written();
	size_t n;
	const struct core_thread *t = core_threads(o.core, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(t->tid, 42);
}
END_TEST

START_TEST(notes_of_other_systems_are_not_ours)
{
	uint8_t d[336] = { 1 };
	cw_init(&w, CORE_AMD64);
	elfbuf_note(&w.notes, "FreeBSD", 1, d, sizeof(d));
	open_written();
	size_t n;
	(void)core_threads(o.core, &n);
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_eq(core_findings(o.core)->n, 1); // no executable
}
END_TEST

Suite *notes_suite(void)
{
	Suite *s = suite_create("notes");
	TCase *tc = tcase_create("notes");
	tcase_set_timeout(tc, 20);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, the_process_is_known, 0, 3);
	tcase_add_loop_test(tc, threads_have_their_registers, 0, 3);
	tcase_add_loop_test(tc, segments_name_the_mapped_file, 0, 3);
	tcase_add_test(tc, a_kill_names_its_sender);
	tcase_add_test(tc, gcore_of_a_live_process_has_no_signal);
	tcase_add_test(tc, the_first_siginfo_counts);
	tcase_add_test(tc, names_without_an_end_get_one);
	tcase_add_test(tc, a_short_note_is_a_finding_and_the_next_is_read);
	tcase_add_test(tc, a_file_note_that_claims_too_much_is_a_finding);
	tcase_add_test(tc, threads_of_delve_are_read);
	tcase_add_test(tc, notes_without_a_name_are_a_cores_own);
	tcase_add_test(tc, notes_of_other_systems_are_not_ours);
	suite_add_tcase(s, tc);
	return s;
}
