// fixture.c: see fixture.h.
#include "libheap/go/tests/fixture.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *dir, const char *name)
{
	char *path;
	// Before any test runs, check has no way to say that one failed.
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		abort();
	return path;
}

// a_core returns heap.core of the folder, or its first core, or NULL.
static char *a_core(const char *dir)
{
	char *best = NULL;
	struct dirent *e;
	DIR *d = opendir(dir);
	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);
		if (len < 5 || strcmp(e->d_name + len - 5, ".core") != 0)
			continue;
		bool heap = strcmp(e->d_name, "heap.core") == 0;
		if (!best || heap)
			best = join(dir, e->d_name);
		if (heap)
			break;
	}
	if (d)
		closedir(d);
	return best;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct fixture *)a)->name,
		      ((const struct fixture *)b)->name);
}

unsigned fixtures_list(struct fixture ret[FIXTURES_MAX])
{
	const char *named = getenv("FIXTURES");
	const char *top = named ? named : "build/fixtures";
	DIR *d = opendir(top);
	struct dirent *e;
	unsigned n = 0;
	while (d && n < FIXTURES_MAX && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		char *dir = join(top, e->d_name);
		struct fixture f = { strdup(e->d_name), join(dir, "exe"),
				     a_core(dir) };
		if (f.core && access(f.exe, R_OK) == 0)
			ret[n++] = f;
	}
	if (d)
		closedir(d);
	if (n == 0)
		printf("ok - fixtures # SKIP no unpacked cores in %s\n", top);
	qsort(ret, n, sizeof(ret[0]), by_name);
	return n;
}

// hide makes section headers of symbols and debug information unused.
static void hide64(uint8_t *b)
{
	const Elf64_Ehdr *h = (const void *)b;
	Elf64_Shdr *s = (void *)(b + h->e_shoff);
	const char *names = (const char *)b + s[h->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const char *name = names + s[i].sh_name;
		if (s[i].sh_type == SHT_SYMTAB ||
		    strncmp(name, ".debug_", 7) == 0 ||
		    strncmp(name, ".zdebug_", 8) == 0) {
			s[i].sh_type = SHT_NULL;
			s[i].sh_name = 0;
		}
	}
}

static void hide32(uint8_t *b)
{
	const Elf32_Ehdr *h = (const void *)b;
	Elf32_Shdr *s = (void *)(b + h->e_shoff);
	const char *names = (const char *)b + s[h->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const char *name = names + s[i].sh_name;
		if (s[i].sh_type == SHT_SYMTAB ||
		    strncmp(name, ".debug_", 7) == 0 ||
		    strncmp(name, ".zdebug_", 8) == 0) {
			s[i].sh_type = SHT_NULL;
			s[i].sh_name = 0;
		}
	}
}

// make_stripped writes what strip would leave, by and large: for where no strip
// knows the architecture.
static void make_stripped(const char *exe, char *path)
{
	struct stat st;
	int from = open(exe, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(fstat(from, &st), 0);
	uint8_t *b = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE, from, 0);
	ck_assert_ptr_ne(b, MAP_FAILED);
	if (b[EI_CLASS] == ELFCLASS64)
		hide64(b);
	else
		hide32(b);
	strcpy(path, "/tmp/heapcore-test-XXXXXX");
	int to = mkstemp(path);
	ck_assert_int_ge(to, 0);
	for (off_t at = 0; at < st.st_size;) {
		ssize_t n = write(to, b + at, (size_t)(st.st_size - at));
		ck_assert_int_gt(n, 0);
		at += n;
	}
	munmap(b, (size_t)st.st_size);
	close(from);
	close(to);
}

void fixture_open(const struct fixture *f, bool strip, struct fixture_run *r)
{
	struct hc_err err;
	char *twin = NULL;
	*r = (struct fixture_run){ 0 };
	if (strip) {
		ck_assert_int_gt(asprintf(&twin, "%s.stripped", f->exe), 0);
		if (access(twin, R_OK) != 0)
			make_stripped(f->exe, r->stripped);
	}
	struct core_input in = { .core = f->core,
				 .exe = !strip		? f->exe :
					r->stripped[0] ? r->stripped :
							 twin };
	ck_assert(!pool_open(UINT64_C(1) << 33, &r->pool, &err));
	enum hc hc = core_open(&in, &r->pool, &r->core, &err);
	ck_assert_msg(hc == HC_OK, "%s: %s", f->name, err.msg);
	r->process = (struct go_process){ .core = r->core,
					  .pool = &r->pool,
					  .findings = core_findings(r->core) };
	hc = go_discover(&r->process, &err);
	r->twin = twin;
	ck_assert_msg(hc == HC_OK, "%s: %d %s", f->name, (int)hc,
		      hc == HC_FAIL ? err.msg : "");
}

void fixture_close(struct fixture_run *r)
{
	go_discover_done(&r->process);
	core_close(r->core);
	pool_close(&r->pool);
	if (r->stripped[0])
		unlink(r->stripped);
	free(r->twin);
}
