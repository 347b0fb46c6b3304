// test_mutants.c: this very program's debug sections with bytes changed at random.
#include "libdwarfread/tests/ask_all.h"
#include "libdwarfread/tests/ck.h"
#include "libdwarfread/tests/elfsections.h"

#define N_MUTANTS 40
#define N_SECTIONS 9

static struct desk desk;
static struct dwarf_sections in;
static struct dwarf_section *const all[N_SECTIONS] = {
	&in.info, &in.abbrev, &in.addr, &in.loc, &in.loclists, &in.ranges,
	&in.rnglists, &in.str, &in.line_str,
};

static uint64_t draw(uint64_t *seed) // xorshift64
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	return *seed ^= *seed << 17;
}

static void setup(void)
{
	struct bytes file;
	desk_open(&desk);
	ck_answers(elf_map("/proc/self/exe", &file, &desk.err), &desk.err);
	ck_answers(elf_sections(file, &in, &desk.err), &desk.err);
}

static void teardown(void)
{
	pool_close(&desk.pool);
}

// copy_section replaces a section by a plain copy of exactly its size.
static void copy_section(struct dwarf_section *s)
{
	struct bytes plain = { 0 };
	if (s->bytes.len)
		ck_answers(inflate_section(s->bytes, s->kind, &desk.pool,
					   &plain, &desk.err), &desk.err);
	uint8_t *copy = malloc(plain.len ? plain.len : 1);
	ck_assert_ptr_nonnull(copy);
	if (plain.len)
		memcpy(copy, plain.at, plain.len);
	*s = (struct dwarf_section){ { copy, plain.len, 0 }, INFLATE_NONE };
}

static void change_byte(uint64_t *seed)
{
	// Abbreviations are few and matter most.
	size_t which = draw(seed) % 3 ? draw(seed) % N_SECTIONS : 1;
	struct bytes b = all[which]->bytes;
	if (b.len == 0)
		return;
	uint8_t *at = (uint8_t *)(uintptr_t)b.at + draw(seed) % b.len;
	uint64_t kind = draw(seed) % 4;
	*at = kind == 0 ? 0 : kind == 1 ? 0xff : (uint8_t)draw(seed);
}

// ask_funcs asks for the variables of functions anywhere in the program.
static void ask_funcs(void)
{
	struct dwarf *d = NULL;
	uint64_t n;
	if (dwarf_open(&in, &desk.pool, &d, &desk.err) ||
	    dwarf_type_count(d, &n, &desk.err))
		return;
	for (uint64_t i = 0; i < d->funcs.n && i < 200; i++)
		ask_vars(d, d->funcs.at[i].ref, 0x1000, &desk.pool);
	dwarf_close(d);
}

START_TEST(any_changed_bytes_are_answered)
{
	uint64_t seed = 88172645463325252u + (uint64_t)_i * 7919;
	for (size_t i = 0; i < N_SECTIONS; i++)
		copy_section(all[i]);
	for (uint64_t n = 1 + draw(&seed) % 40; n; n--)
		change_byte(&seed);
	ask_all(&in, &desk.pool);
	ask_funcs();
	for (size_t i = 0; i < N_SECTIONS; i++)
		free((void *)(uintptr_t)all[i]->bytes.at);
}
END_TEST

Suite *mutants_suite(void)
{
	Suite *s = suite_create("mutants");
	TCase *t = tcase_create("mutants");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, any_changed_bytes_are_answered, 0, N_MUTANTS);
	suite_add_tcase(s, t);
	return s;
}
