// test_unwind.c: frames of stacks written by hand, sound and impossible.
#include "libheap/go/stacks/pcs.h"
#include "libheap/go/tests/gowriter.h"
#include "libheap/go/stacks/unwind.h"

Suite *unwind_suite(void);

// Function i of the program begins at GW_TEXT + i * LEN. A pc-value table is
// pairs of a zigzag difference (from -1 on) and a length in instructions.
enum { LEN = 0x40, STACK = GW_DATA + 0x8000, STACK_LEN = 0x400 };
enum { TOP, OUTER, INNER, LEAF, SIGPANIC, SWITCHER, PREEMPT, N_FUNCS };

static const uint8_t delta_0[] = { 2, 0x40, 0 };
static const uint8_t delta_8[] = { 18, 0x40, 0 };
static const uint8_t delta_16[] = { 34, 0x40, 0 };
static const uint8_t delta_24_late[] = { 2, 4, 48, 0x3c, 0 };

static struct gw_func funcs[N_FUNCS] = {
	[TOP] = { .name = "runtime.goexit", .sp = delta_0,
		  .flag = GO_FUNC_TOP },
	[OUTER] = { .name = "main.outer", .sp = delta_24_late },
	[INNER] = { .name = "main.inner", .sp = delta_16 },
	[LEAF] = { .name = "main.leaf", .sp = delta_0 },
	[SIGPANIC] = { .name = "runtime.sigpanic", .sp = delta_8 },
	[SWITCHER] = { .name = "runtime.mcall", .sp = delta_0,
		       .flag = GO_FUNC_SPWRITE },
	[PREEMPT] = { .name = "runtime.asyncPreempt", .sp = delta_8 },
};

static struct gowriter w;
static struct gw_core c;
static struct go_stack stack;

static taddr in(unsigned func)
{
	return GW_TEXT + func * LEN + 0x20;
}

static void put(unsigned i, uint64_t word)
{
	memcpy(w.data + (STACK - GW_DATA) + 8 * i, &word, 8);
}

// open_program writes the program with the stack as put so far.
static void open_program(void)
{
	struct go_threads *t;
	struct hc_err err;
	unsigned i;

	for (i = 0; i < N_FUNCS; i++)
		funcs[i].len = LEN;
	gw_layout(w.arch, w.minor, &c.process.layout);
	funcs[SIGPANIC].id = (uint8_t)go_const(&c.process.layout,
					       C_FuncID_sigpanic, 0);
	funcs[PREEMPT].id = (uint8_t)go_const(&c.process.layout,
					      C_FuncID_asyncPreempt, 0);
	funcs[OUTER].deferreturn = 0x10;
	w.funcs = funcs;
	w.n_funcs = N_FUNCS;
	w.with_buckets = true;
	gw_make(&w);
	gw_modules(&w, &c);
	c.process.version.minor = w.minor;
	t = pool_new(&c.pool, struct go_threads, 1);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(go_pcs_make(&c.pool, &t->pcs, &err), HC_OK);
	c.process.threads = t;
	go_stack_open(&c.process, STACK, STACK + STACK_LEN, STACK, false,
		      &stack);
}

static void program(enum core_arch arch)
{
	memset(&w, 0, sizeof(w));
	w.arch = arch;
	w.minor = 26;
	w.word = 8;
}

static void check_frame(struct go_unwind *u, unsigned func, unsigned sp,
			unsigned fp)
{
	ck_assert(go_unwind_next(u));
	ck_assert_str_eq(u->frame.at->fn.name, funcs[func].name);
	ck_assert_uint_eq(u->frame.sp, STACK + 8 * sp);
	ck_assert_uint_eq(u->frame.fp, STACK + 8 * fp);
}

// amd64: the return address is the word below the caller's frame.
START_TEST(frames_follow_the_tables_on_amd64)
{
	struct go_unwind u;

	program(CORE_AMD64);
	put(0, in(INNER)); // leaf: no frame
	put(3, in(OUTER)); // inner: 2 words
	put(7, in(TOP));   // outer: 3 words
	open_program();
	go_unwind_begin(&u, &c.process, &stack, in(LEAF), STACK, 0, true,
			false);
	check_frame(&u, LEAF, 0, 1);
	ck_assert_uint_eq(go_frame_look(&u.frame), in(LEAF));
	ck_assert_uint_eq(u.frame.varp, STACK);
	check_frame(&u, INNER, 1, 4);
	ck_assert_uint_eq(go_frame_look(&u.frame), in(INNER) - 1);
	ck_assert_uint_eq(u.frame.varp, STACK + 8 * 2); // saved rbp above it
	ck_assert_uint_eq(u.frame.argp, STACK + 8 * 4);
	check_frame(&u, OUTER, 4, 8);
	check_frame(&u, TOP, 8, 9);
	ck_assert(!go_unwind_next(&u));
	ck_assert_int_eq(u.end, GO_END_TOP);
	gw_close(&c);
}
END_TEST

// arm64: the return address is the frame's lowest word, or still in lr.
START_TEST(frames_follow_the_tables_on_arm64)
{
	struct go_unwind u;

	program(CORE_ARM64);
	put(0, in(OUTER)); // inner: 2 words
	put(2, in(TOP));   // outer: 3 words
	open_program();
	go_unwind_begin(&u, &c.process, &stack, in(LEAF), STACK, in(INNER),
			true, false);
	check_frame(&u, LEAF, 0, 0);
	check_frame(&u, INNER, 0, 2);
	ck_assert_uint_eq(u.frame.argp, STACK + 8 * 3);
	ck_assert_uint_eq(u.frame.varp, STACK + 8 * 1);
	check_frame(&u, OUTER, 2, 5);
	check_frame(&u, TOP, 5, 5);
	ck_assert(!go_unwind_next(&u));
	ck_assert_int_eq(u.end, GO_END_TOP);
	gw_close(&c);
}
END_TEST

START_TEST(a_frame_that_faulted_goes_on_where_defers_return)
{
	struct go_unwind u;

	program(CORE_AMD64);
	put(1, in(OUTER)); // sigpanic: 1 word
	put(5, in(SIGPANIC));
	put(7, in(INNER)); // it faulted too, and has no defers
	put(10, in(TOP));
	open_program();
	go_unwind_begin(&u, &c.process, &stack, in(SIGPANIC), STACK, 0, false,
			false);
	check_frame(&u, SIGPANIC, 0, 2);
	check_frame(&u, OUTER, 2, 6);
	ck_assert(u.frame.trap);
	ck_assert_uint_eq(go_frame_look(&u.frame), in(OUTER));
	ck_assert_uint_eq(u.frame.continpc,
			  GW_TEXT + OUTER * LEN + 0x10 + 1);
	check_frame(&u, SIGPANIC, 6, 8);
	check_frame(&u, INNER, 8, 11);
	ck_assert_uint_eq(u.frame.continpc, 0);
	gw_close(&c);
}
END_TEST

// On arm64 the handler pushes the interrupted lr before it injects a call.
START_TEST(an_injected_call_keeps_the_link_register)
{
	struct go_unwind u;

	program(CORE_ARM64);
	put(0, in(LEAF));  // asyncPreempt: 1 word, returns into leaf
	put(1, in(INNER)); // leaf's lr, in 2 words
	put(3, in(TOP));   // inner: 2 words
	open_program();
	go_unwind_begin(&u, &c.process, &stack, in(PREEMPT), STACK, 0, false,
			false);
	check_frame(&u, PREEMPT, 0, 1);
	check_frame(&u, LEAF, 3, 3);
	ck_assert(u.frame.trap);
	check_frame(&u, INNER, 3, 5);
	check_frame(&u, TOP, 5, 5);
	gw_close(&c);
}
END_TEST

START_TEST(a_nil_function_is_left_out)
{
	struct go_unwind u;

	program(CORE_AMD64);
	put(0, in(OUTER)); // pushed by the call of 0
	put(4, in(TOP));
	open_program();
	go_unwind_begin(&u, &c.process, &stack, 0, STACK, 0, true, false);
	check_frame(&u, OUTER, 1, 5);
	check_frame(&u, TOP, 5, 6);
	gw_close(&c);
}
END_TEST

START_TEST(a_switch_of_stacks_ends_the_walk)
{
	struct go_unwind u;

	program(CORE_AMD64);
	put(0, in(SWITCHER));
	put(1, in(OUTER));
	open_program();
	go_unwind_begin(&u, &c.process, &stack, in(LEAF), STACK, 0, true,
			false);
	check_frame(&u, LEAF, 0, 1);
	check_frame(&u, SWITCHER, 1, 2);
	ck_assert(!go_unwind_next(&u));
	ck_assert_int_eq(u.end, GO_END_JUMP);
	// but not when it is where a goroutine was switched away
	go_unwind_begin(&u, &c.process, &stack, in(SWITCHER), STACK + 8, 0,
			false, false);
	check_frame(&u, SWITCHER, 1, 2);
	ck_assert(go_unwind_next(&u));
	ck_assert_str_eq(u.frame.at->fn.name, "main.outer");
	gw_close(&c);
}
END_TEST

static void ends_broken(struct go_unwind *u, unsigned max)
{
	unsigned n = 0;

	while (go_unwind_next(u))
		ck_assert_uint_lt(n++, max);
	ck_assert_int_eq(u->end, GO_END_BROKEN);
	ck_assert_ptr_nonnull(u->why);
	ck_assert(!go_unwind_next(u));
}

START_TEST(an_impossible_stack_ends)
{
	struct go_unwind u;

	program(CORE_AMD64);
	put(0, in(INNER));
	put(3, 0x1234); // no function
	open_program();
	go_unwind_begin(&u, &c.process, &stack, in(LEAF), STACK, 0, true,
			false);
	ends_broken(&u, 2);
	ck_assert_uint_eq(u.why_at, 0x1234);
	// a stack pointer outside, one whose frame leaves the stack
	go_unwind_begin(&u, &c.process, &stack, in(LEAF), STACK - 8, 0, true,
			false);
	ends_broken(&u, 1);
	go_unwind_begin(&u, &c.process, &stack, in(INNER),
			STACK + STACK_LEN - 8, 0, true, false);
	ends_broken(&u, 1);
	gw_close(&c);
}
END_TEST

START_TEST(a_stack_that_stands_still_ends)
{
	struct go_unwind u;

	program(CORE_ARM64);
	put(0, in(LEAF)); // a leaf that returns to itself
	open_program();
	go_unwind_begin(&u, &c.process, &stack, in(LEAF), STACK, in(LEAF),
			true, false);
	ends_broken(&u, 8);
	gw_close(&c);
}
END_TEST

Suite *unwind_suite(void)
{
	Suite *s = suite_create("unwind");
	TCase *tc = tcase_create("by hand");

	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, frames_follow_the_tables_on_amd64);
	tcase_add_test(tc, frames_follow_the_tables_on_arm64);
	tcase_add_test(tc, a_frame_that_faulted_goes_on_where_defers_return);
	tcase_add_test(tc, an_injected_call_keeps_the_link_register);
	tcase_add_test(tc, a_nil_function_is_left_out);
	tcase_add_test(tc, a_switch_of_stacks_ends_the_walk);
	tcase_add_test(tc, an_impossible_stack_ends);
	tcase_add_test(tc, a_stack_that_stands_still_ends);
	suite_add_tcase(s, tc);
	return s;
}
