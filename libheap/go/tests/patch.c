// patch.c: see patch.h.
#include "libheap/go/tests/patch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

// copy keeps the holes of the file.
static void copy(const char *core, struct patch *p)
{
	static const uint8_t zero[PAGE];
	int from = open(core, O_RDONLY), to;
	struct stat st;
	uint64_t at;
	uint8_t *b;

	ck_assert_int_ge(from, 0);
	ck_assert_int_eq(fstat(from, &st), 0);
	p->len = (uint64_t)st.st_size;
	b = mmap(NULL, p->len, PROT_READ, MAP_PRIVATE, from, 0);
	ck_assert_ptr_ne(b, MAP_FAILED);
	strcpy(p->path, "/tmp/patched-XXXXXX");
	to = mkstemp(p->path);
	ck_assert_int_ge(to, 0);
	ck_assert_int_eq(ftruncate(to, st.st_size), 0);
	p->bytes = mmap(NULL, p->len, PROT_READ | PROT_WRITE, MAP_SHARED, to,
			0);
	ck_assert_ptr_ne(p->bytes, MAP_FAILED);
	for (at = 0; at + PAGE <= p->len; at += PAGE)
		if (memcmp(b + at, zero, PAGE) != 0)
			memcpy(p->bytes + at, b + at, PAGE);
	memcpy(p->bytes + at, b + at, p->len - at);
	munmap(b, p->len);
	close(from);
	close(to);
}

void patch_open(unsigned i, struct patch *p)
{
	struct hc_err err = { 0 };

	*p = (struct patch){ 0 };
	zoo_open(i, &p->sound);
	ck_assert_int_eq(heap_mark(p->sound.heap, &err), HC_OK);
	p->in = zoo_input(i);
	copy(p->in.core, p);
	p->in.core = p->path;
}

void patch_close(struct patch *p)
{
	zoo_close(&p->sound);
	munmap(p->bytes, p->len);
	unlink(p->path);
}

// offset_of returns where an address is in the file, UINT64_MAX for nowhere.
static uint64_t offset_of(const struct patch *p, taddr at, unsigned len)
{
	size_t n, i;
	const struct core_segment *s = core_segments(p->sound.core, &n);

	for (i = 0; i < n; i++)
		if (at >= s[i].base && at - s[i].base < s[i].saved &&
		    s[i].saved - (at - s[i].base) >= len)
			return s[i].core_off + (at - s[i].base);
	return UINT64_MAX;
}

bool patch_poke(struct patch *p, taddr at, uint64_t value, unsigned len)
{
	uint64_t off = offset_of(p, at, len);

	if (off == UINT64_MAX || p->n == 16 || off + 8 > p->len)
		return false;
	p->undo[p->n].off = off;
	p->undo[p->n++].old = get_u64(p->bytes + off);
	memcpy(p->bytes + off, &value, len);
	return true;
}

uint64_t patch_peek(const struct patch *p, taddr at, unsigned len)
{
	uint64_t off = offset_of(p, at, len), v = 0;

	if (off != UINT64_MAX)
		memcpy(&v, p->bytes + off, len);
	return v;
}

void patch_mend(struct patch *p)
{
	while (p->n > 0) {
		p->n--;
		memcpy(p->bytes + p->undo[p->n].off, &p->undo[p->n].old, 8);
	}
}
