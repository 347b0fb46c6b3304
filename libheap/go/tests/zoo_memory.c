// zoo_memory.c: the statistics tree, against the file's own headers and what
// the program read of itself.
#include "libheap/go/tests/zoo.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct range {
	taddr base;
	uint64_t len, saved;
};

static int by_base(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	return (a->base > b->base) - (a->base < b->base);
}

// headers_sum adds up the program headers of the file: what was mapped and
// what is in the file, each address once.
static void headers_sum(const char *path, uint64_t *ret_len,
			uint64_t *ret_saved)
{
	static struct range r[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Phdr *ph;
	const uint8_t *b;
	struct stat st;
	size_t i, n = 0;
	taddr end = 0;

	ck_assert_int_eq(fstat(fd, &st), 0);
	b = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(b, MAP_FAILED);
	ph = (const void *)(b + ((const Elf64_Ehdr *)(const void *)b)->e_phoff);
	for (i = 0; i < ((const Elf64_Ehdr *)(const void *)b)->e_phnum; i++) {
		uint64_t left = (uint64_t)st.st_size - ph[i].p_offset;

		if (ph[i].p_type != PT_LOAD)
			continue;
		ck_assert_uint_lt(n, 4096);
		ck_assert_uint_le(ph[i].p_offset, (uint64_t)st.st_size);
		r[n++] = (struct range){ ph[i].p_vaddr, ph[i].p_memsz,
					 left < ph[i].p_filesz ?
						 left : ph[i].p_filesz };
	}
	munmap((void *)(uintptr_t)b, (size_t)st.st_size);
	close(fd);
	qsort(r, n, sizeof(*r), by_base);
	for (*ret_len = *ret_saved = i = 0; i < n; i++) {
		ck_assert_uint_ge(r[i].base, end); // none overlap in the zoo
		end = r[i].base + r[i].len;
		*ret_len += r[i].len;
		*ret_saved += r[i].saved;
	}
}

static void tree_of(struct zoo *z, bool marked, struct mem_tree *ret)
{
	const struct heap_reader *reader = heap_reader_of(z->heap);
	struct hc_err err = { 0 };

	zoo_require(z, reader->memory(z->process, marked, &z->pool, ret,
				      &err) == HC_OK,
		    "%s", err.msg);
}

static void the_root_is_what_was_mapped_and_what_the_file_holds(struct zoo *z)
{
	uint64_t len, saved;
	struct mem_tree t;

	headers_sum(z->path, &len, &saved);
	tree_of(z, true, &t);
	ck_assert_uint_gt(saved, 1 << 20);
	ck_assert_uint_eq(t.at[0].bytes, len);
	ck_assert_uint_eq(t.at[0].saved_bytes, saved);
}

// family_holds checks one node against its children.
static void family_holds(const struct zoo *z, const struct mem_tree *t,
			 uint64_t i)
{
	uint64_t bytes = 0, saved = 0;
	uint32_t k;

	zoo_require(z, t->at[i].saved_bytes <= t->at[i].bytes, "%s",
		    t->at[i].name);
	if (!t->at[i].first_child)
		return;
	for (k = t->at[i].first_child; k; k = t->at[k].next) {
		bytes += t->at[k].bytes;
		saved += t->at[k].saved_bytes;
	}
	zoo_require(z, bytes == t->at[i].bytes && saved == t->at[i].saved_bytes,
		    "%s", t->at[i].name);
}

static void each_parent_is_the_sum_of_its_children(struct zoo *z)
{
	struct mem_tree t;
	uint64_t i;
	int marked;

	for (marked = 0; marked < 2; marked++) {
		tree_of(z, marked, &t);
		ck_assert_uint_gt(t.n, 20);
		for (i = 0; i < t.n; i++)
			family_holds(z, &t, i);
	}
}

// leaf sums the saved bytes of all nodes of a name.
static uint64_t leaf(const struct mem_tree *t, const char *name)
{
	uint64_t i, sum = 0;

	for (i = 0; i < t->n; i++)
		if (strcmp(t->at[i].name, name) == 0)
			sum += t->at[i].saved_bytes;
	return sum;
}

static void less_than_two_percent_is_unattributed(struct zoo *z)
{
	struct mem_tree t;

	tree_of(z, true, &t);
	zoo_require(z, 50 * leaf(&t, "unattributed") < t.at[0].saved_bytes,
		    "%" PRIu64 " of %" PRIu64, leaf(&t, "unattributed"),
		    t.at[0].saved_bytes);
}

static void the_slots_of_the_tree_are_those_of_the_totals(struct zoo *z)
{
	struct heap_totals h;
	struct mem_tree t;

	tree_of(z, true, &t);
	h = heap_totals(z->heap);
	ck_assert_uint_eq(leaf(&t, "live"), h.live_bytes);
	ck_assert_uint_eq(leaf(&t, "garbage"), h.garbage_bytes);
}

// The five figures, each with how far it may be from what the program read
// (which frees nothing any more). In `heap` and `dirty` nothing runs between
// reading and death. Elsewhere goroutines do: they make a few objects (5 KiB
// at most were seen), at worst each in a span of its own class; their stacks
// grow by 32 KiB at a time, one of `overflow` to 256 KiB and a little; and the
// scavenger releases what is idle.
static const struct {
	const char *name;
	size_t at;
	uint64_t bound;
} figures[] = {
#define F(name, field, bound) \
	{ name, offsetof(struct heap_counters, field), bound }
	F("HeapAlloc", heap_alloc, 8 << 10),
	F("HeapInuse", heap_inuse, 64 << 10),
	F("HeapIdle", heap_idle, 128 << 10),
	F("HeapReleased", heap_released, 256 << 10),
	F("StackInuse", stack_inuse, 128 << 10),
#undef F
};

static void figure_holds(unsigned i, const struct zoo *z,
			 const struct heap_counters *c, size_t k)
{
	bool still = zoo_is(i, "heap") || zoo_is(i, "dirty");
	uint64_t bound = still ? 0 : figures[k].bound, said, ours, d;

	if (zoo_is(i, "states-overflow"))
		bound += UINT64_C(256) << 10;
	memcpy(&ours, (const char *)c + figures[k].at, sizeof(ours));
	if (!zoo_statistic(z, figures[k].name, &said))
		return;
	d = said < ours ? ours - said : said - ours;
	zoo_require(z, d <= bound, "%s is %" PRIu64 ", not %" PRIu64,
		    figures[k].name, ours, said);
}

static void the_figures_are_those_that_the_program_read(struct zoo *z)
{
	struct heap_counters c;
	struct hc_err err = { 0 };
	size_t k;

	ck_assert_int_eq(heap_reader_of(z->heap)->counters(z->process, &c, &err),
			 HC_OK);
	for (k = 0; k < sizeof(figures) / sizeof(figures[0]); k++)
		figure_holds(z->i, z, &c, k);
}

const struct zoo_claim zoo_memory[] = {
	ZOO_CLAIM(the_root_is_what_was_mapped_and_what_the_file_holds),
	ZOO_CLAIM(each_parent_is_the_sum_of_its_children),
	ZOO_CLAIM(less_than_two_percent_is_unattributed),
	ZOO_CLAIM(the_slots_of_the_tree_are_those_of_the_totals),
	ZOO_CLAIM(the_figures_are_those_that_the_program_read),
	{ NULL, NULL },
};
