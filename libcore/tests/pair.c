// pair.c: see pair.h.
#include "libcore/tests/pair.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void pair_setup(struct pair *p)
{
	*p = (struct pair){ .dir = "/tmp/heapcore-test-XXXXXX" };
	ck_assert_ptr_nonnull(mkdtemp(p->dir));
	ew_init(&p->ew, CORE_AMD64, PAIR_BASE);
	p->ew.go_id = "right/id";
}

void pair_teardown(struct pair *p)
{
	char command[64];
	if (p->o.copy)
		opencore_close(&p->o);
	cw_free(&p->w);
	ew_free(&p->ew);
	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	ck_assert_int_eq(system(command), 0);
}

const char *pair_path(struct pair *p, const char *name)
{
	static char paths[8][128];
	static unsigned turn;
	char *path = paths[turn++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", p->dir, name);
	return path;
}

const char *pair_put(struct pair *p, const char *name, struct bytes b)
{
	const char *path = pair_path(p, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	ck_assert(fd >= 0 && write(fd, b.at, b.len) == (ssize_t)b.len);
	close(fd);
	return path;
}

const char *pair_other(struct pair *p, const char *name)
{
	struct exewriter other;
	ew_init(&other, CORE_AMD64, PAIR_BASE);
	other.go_id = "wrong/id";
	const char *path = pair_put(p, name, ew_finish(&other));
	ew_free(&other);
	return path;
}

void pair_open(struct pair *p, const char *path, const char *exe)
{
	struct bytes file = p->ew.out.len ? elfbuf_bytes(&p->ew.out) :
					    ew_finish(&p->ew);
	cw_pair(&p->w, CORE_AMD64, file, path, PAIR_BASE);
	opencore_open(&p->o, cw_finish(&p->w), exe);
}
