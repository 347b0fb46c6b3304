// copy.c: see copy.h.
#include "libheap/go/tests/copy.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

void copy_open(const char *core, struct core_copy *ret)
{
	static const uint8_t zero[PAGE];
	int from = open(core, O_RDONLY), to;
	struct stat st;
	uint64_t at;
	uint8_t *b;

	ck_assert_int_ge(from, 0);
	ck_assert_int_eq(fstat(from, &st), 0);
	ret->len = (uint64_t)st.st_size;
	b = mmap(NULL, ret->len, PROT_READ, MAP_PRIVATE, from, 0);
	ck_assert_ptr_ne(b, MAP_FAILED);
	strcpy(ret->path, "/tmp/copied-XXXXXX");
	to = mkstemp(ret->path);
	ck_assert_int_ge(to, 0);
	ck_assert_int_eq(ftruncate(to, st.st_size), 0);
	ret->bytes = mmap(NULL, ret->len, PROT_READ | PROT_WRITE, MAP_SHARED,
			  to, 0);
	ck_assert_ptr_ne(ret->bytes, MAP_FAILED);
	for (at = 0; at + PAGE <= ret->len; at += PAGE)
		if (memcmp(b + at, zero, PAGE) != 0)
			memcpy(ret->bytes + at, b + at, PAGE);
	memcpy(ret->bytes + at, b + at, ret->len - at);
	munmap(b, ret->len);
	close(from);
	close(to);
}

void copy_close(struct core_copy *copy)
{
	munmap(copy->bytes, copy->len);
	unlink(copy->path);
}
