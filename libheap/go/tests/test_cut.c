// test_cut.c: cores whose file ends early get an answer or a clear error.
#include "libheap/go/go.h"
#include "libheap/go/tests/zoo.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

Suite *cut_suite(void);

enum { CUTS = 25 };

// struct cut is a copy of a core that gets shorter and shorter.
struct cut {
	char path[64];
	int fd;
	uint64_t len;      // of the whole core
	Elf64_Phdr *ph;    // its program headers
	size_t n_ph;
	uint64_t ph_end;   // of these in the file
};

// copy_core keeps the holes of the file.
static void copy_core(const char *from, struct cut *ret)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	off_t len = lseek(in, 0, SEEK_END), at = 0, end;

	strcpy(ret->path, "/tmp/heapcore-cut-XXXXXX");
	ret->fd = mkstemp(ret->path);
	ck_assert(in >= 0 && ret->fd >= 0 && len > 0);
	ck_assert_int_eq(ftruncate(ret->fd, len), 0);
	ret->len = (uint64_t)len;
	while ((at = lseek(in, at, SEEK_DATA)) >= 0) {
		end = lseek(in, at, SEEK_HOLE);
		ck_assert_int_eq(lseek(ret->fd, at, SEEK_SET), at);
		ck_assert_int_eq(lseek(in, at, SEEK_SET), at);
		while (at < end) {
			static char buf[1 << 16];
			size_t n = end - at < (off_t)sizeof(buf) ?
					   (size_t)(end - at) : sizeof(buf);

			ck_assert_int_eq(read(in, buf, n), (ssize_t)n);
			ck_assert_int_eq(write(ret->fd, buf, n), (ssize_t)n);
			at += (off_t)n;
		}
	}
	ck_assert_int_eq(errno, ENXIO); // no data behind
	close(in);
}

static void read_headers(struct cut *c)
{
	Elf64_Ehdr h;
	size_t len;

	ck_assert_int_eq(pread(c->fd, &h, sizeof(h), 0), sizeof(h));
	c->n_ph = h.e_phnum;
	len = c->n_ph * sizeof(*c->ph);
	c->ph_end = h.e_phoff + len;
	c->ph = malloc(len);
	ck_assert_int_eq(pread(c->fd, c->ph, len, (off_t)h.e_phoff),
			 (ssize_t)len);
}

// missing_behind adds up what the headers promise of memory behind len; where
// these are missing themselves it counts headers.
static uint64_t missing_behind(const struct cut *c, uint64_t len)
{
	uint64_t sum = 0;
	size_t i;

	if (len < c->ph_end)
		return (c->ph_end - len + sizeof(*c->ph) - 1) / sizeof(*c->ph);
	for (i = 0; i < c->n_ph; i++) {
		const Elf64_Phdr *p = &c->ph[i];
		uint64_t have = len < p->p_offset ? 0 : len - p->p_offset;

		if (p->p_type == PT_LOAD && have < p->p_filesz)
			sum += p->p_filesz - have;
	}
	return sum;
}

static bool hear_frame(void *ctx, const struct heap_frame *f)
{
	*(size_t *)ctx += strlen(f->function);
	return true;
}

struct listener {
	struct heap *heap;
	size_t heard; // so that what is said is read
};

static bool hear_owner(void *ctx, const struct heap_owner *o)
{
	struct listener *l = ctx;

	heap_reader_of(l->heap)->frames(heap_self(l->heap), o->index,
					hear_frame, &l->heard);
	return true;
}

static void hear_fact(void *ctx, const struct heap_fact *fact)
{
	((struct listener *)ctx)->heard += strlen(fact->key);
}

// ask_all asks what the commands ask, whatever the answers.
static void ask_all(struct heap *heap, struct pool *pool)
{
	const struct heap_reader *r = heap_reader_of(heap);
	struct listener l = { heap, 0 };
	struct heap_counters counters;
	struct heap_identity id;
	struct mem_tree tree;
	struct hc_err err;

	ck_assert_int_eq(heap_mark(heap, &err), HC_OK);
	(void)!r->identity(heap_self(heap), &id, &err);
	(void)!r->counters(heap_self(heap), &counters, &err);
	r->facts(heap_self(heap), hear_fact, &l);
	r->owners(heap_self(heap), hear_owner, &l);
	(void)!heap_type(heap, &err);
	if (r->memory(heap_self(heap), true, pool, &tree, &err) == HC_OK)
		ck_assert_uint_le(tree.at[0].saved_bytes, tree.at[0].bytes);
}

// says_missing looks for the finding, and the number in it.
static bool says_missing(struct core *core, uint64_t missing)
{
	const struct findings *f = core_findings(core);
	char number[32];
	uint64_t i;

	snprintf(number, sizeof(number), ": %" PRIu64 " ", missing);
	for (i = 0; i < f->n; i++)
		if (strcmp(f->at[i].kind, "truncated") == 0 &&
		    strstr(f->at[i].text, number))
			return true;
	return false;
}

static void is_one_line(const struct hc_err *err)
{
	ck_assert_uint_gt(strlen(err->msg), 10);
	ck_assert_ptr_null(strchr(err->msg, '\n'));
}

// ask_cut returns whether there was an answer.
static bool ask_cut(const struct core_input *in, uint64_t missing)
{
	static const struct heap_reader *const readers[] = { &go_reader };
	static const struct heap_options options = { .quiet = true };
	struct hc_err err = { 0 };
	struct core *core = NULL;
	struct heap *heap = NULL;
	struct pool pool;
	bool answer = false;

	ck_assert_int_eq(pool_open(UINT64_C(1) << 32, &pool, &err), HC_OK);
	if (core_open(in, &pool, &core, &err)) {
		is_one_line(&err);
	} else {
		ck_assert(core_info(core)->truncated);
		ck_assert(says_missing(core, missing));
		answer = heap_open(core, readers, 1, &options, &pool, &heap,
				   &err) == HC_OK;
		if (answer)
			ask_all(heap, &pool);
		else
			is_one_line(&err);
	}
	heap_close(heap);
	core_close(core);
	pool_close(&pool);
	return answer;
}

// The first cut is behind the ELF header, so that there is a core to name at
// all. An answer needs the runtime's variables, which are in the first tenth
// or so of a core: mappings are in address order, more or less. Stripped, it
// may need more, to tell these variables by what they point to.
START_TEST(a_core_cut_anywhere_gets_an_answer_or_a_clear_error)
{
	struct core_input in = zoo_input((unsigned)_i);
	unsigned k, answers = 0;
	struct cut c;

	// One core of each executable is enough.
	if (!zoo_is((unsigned)_i, "heap"))
		return;
	copy_core(in.core, &c);
	read_headers(&c);
	in.core = c.path;
	for (k = CUTS; k-- > 0;) {
		uint64_t len = c.len / CUTS * k + 13 * k + 64;

		ck_assert_int_eq(ftruncate(c.fd, (off_t)len), 0);
		answers += ask_cut(&in, missing_behind(&c, len));
	}
	ck_assert_msg(answers >= (strstr(in.exe, "stripped") ? 1 :
							       4 * CUTS / 5),
		      "%s: %u", zoo_name((unsigned)_i), answers);
	free(c.ph);
	close(c.fd);
	unlink(c.path);
}
END_TEST

Suite *cut_suite(void)
{
	Suite *s = suite_create("cut");
	TCase *tc = tcase_create("zoo");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(
		tc, a_core_cut_anywhere_gets_an_answer_or_a_clear_error, 0,
		(int)zoo_count());
	suite_add_tcase(s, tc);
	return s;
}
