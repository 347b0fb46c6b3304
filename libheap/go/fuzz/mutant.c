// mutant.c: see mutant.h.
#include "libheap/go/fuzz/places.h"

#include "libheap/go/go.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Old and new pointer maps, maps, types and stacks; with and without symbols.
static const char *const which[][2] = {
	{ "1.26-amd64/heap.core", "1.26-amd64/exe" },
	{ "1.21-amd64/heap.core", "1.21-amd64/exe" },
	{ "1.26-amd64/states-abrt.core", "1.26-amd64/exe.stripped" },
	{ "1.19-amd64/heap.core", "1.19-amd64/exe.stripped" },
	{ "1.27-amd64/maps.core", "1.27-amd64/exe" },
	{ "1.24-arm64/states-abrt.core", "1.24-arm64/exe" },
	{ "1.22-amd64/maps.core", "1.22-amd64/exe.stripped" },
	{ "1.27-amd64/states-panic.core", "1.27-amd64/exe.stripped" },
};
enum { N = sizeof(which) / sizeof(which[0]), PAGE = 4096 };

static struct mutant *loaded[N];

unsigned mutant_count(void)
{
	return mutant_get(0) ? N : 0;
}

const char *mutant_name(const struct mutant *m)
{
	return m->name;
}

// copy_pages copies a file into a nameless one, holes left out.
static bool copy_pages(const uint8_t *from, uint64_t len, int to)
{
	static const uint8_t zero[PAGE];
	for (uint64_t at = 0; at < len; at += PAGE) {
		uint64_t n = len - at < PAGE ? len - at : PAGE;
		if (memcmp(from + at, zero, n) != 0 &&
		    pwrite(to, from + at, n, (off_t)at) != (ssize_t)n)
			return false;
	}
	return true;
}

static bool load_file(const char *name, struct mutant_file *ret)
{
	const char *top = getenv("FIXTURES");
	char path[600];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", top ? top : "build/fixtures",
		 name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return false;
	uint64_t len = (uint64_t)st.st_size;
	uint8_t *b = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	int to = memfd_create("mutant", MFD_CLOEXEC);
	if (b == MAP_FAILED || to < 0 || ftruncate(to, st.st_size) ||
	    !copy_pages(b, len, to))
		return false;
	munmap(b, len);
	ret->bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
	ret->len = len;
	snprintf(ret->path, sizeof(ret->path), "/proc/self/fd/%d", to);
	return ret->bytes != MAP_FAILED;
}

struct mutant *mutant_get(unsigned i)
{
	i %= N;
	if (loaded[i])
		return loaded[i];
	struct mutant *m = calloc(1, sizeof(*m));
	m->name = which[i][0];
	if (!load_file(which[i][0], &m->core) ||
	    !load_file(which[i][1], &m->exe) || !places_find(m)) {
		free(m);
		return NULL;
	}
	loaded[i] = m;
	return m;
}

struct core_input mutant_input(const struct mutant *m)
{
	return (struct core_input){ .core = m->core.path, .exe = m->exe.path,
				    .allow_mismatch = true };
}

uint64_t mutant_len(const struct mutant *m)
{
	return m->core.len;
}

taddr mutant_object(const struct mutant *m, unsigned i)
{
	uint32_t n = m->n_of[MUTANT_OBJECT];
	return n ? m->place[m->first[MUTANT_OBJECT] + i * 37 % n].at : 0;
}

int mutant_cut(const struct mutant *m, uint64_t len)
{
	int fd = memfd_create("cut", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)len) ||
	    !copy_pages(m->core.bytes, len, fd)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

// new_word makes the damaged word of the old one.
static uint64_t new_word(const struct mutant *m, uint64_t old, unsigned op,
			 uint32_t value)
{
	const struct mutant_place *p;
	switch (op % 9) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return old + value % 512 - 256;
	case 3:
		return old ^ UINT64_C(1) << value % 64;
	case 4:
		return value;
	case 5:
		return (old & ~UINT64_C(0xffff)) | (value & 0xffff);
	case 6:
		return (uint64_t)value << 32 | (old & UINT32_MAX);
	case 7: // an address of something else
		p = &m->place[value % m->n_places];
		return p->at + (value >> 16) % p->len;
	default:
		return ~old;
	}
}

static void edit(struct mutant *m, unsigned kinds, const uint8_t *e)
{
	unsigned kind = e[0] % MUTANT_N_KINDS;
	uint16_t index, where;
	uint32_t value;
	uint64_t old, new;
	while (!(kinds & 1u << kind) || !m->n_of[kind])
		kind = (kind + 1) % MUTANT_N_KINDS;
	memcpy(&index, e + 2, 2);
	memcpy(&where, e + 4, 2);
	memcpy(&value, e + 6, 4);
	const struct mutant_place *p =
		&m->place[m->first[kind] + index % m->n_of[kind]];
	// Long structures are reached all over.
	uint64_t step = p->len > 65536 ? p->len / 65536 : 1;
	uint64_t off = where * step % p->len;
	struct mutant_file *f = p->exe ? &m->exe : &m->core;
	off = p->off + (e[1] & 0x80 ? off : off & ~UINT64_C(7));
	if (off > f->len || f->len - off < 8)
		return;
	memcpy(&old, f->bytes + off, 8);
	new = new_word(m, old, e[1] & 0x7f, value);
	if (e[1] & 0x80)
		new = (old & ~UINT64_C(0xff)) | (new & 0xff);
	m->undo[m->n_undo].at = f->bytes + off;
	m->undo[m->n_undo++].old = old;
	memcpy(f->bytes + off, &new, 8);
}

void mutant_damage(struct mutant *m, unsigned kinds, const uint8_t *data,
		   size_t size)
{
	m->n_undo = 0;
	bool any = false;
	for (unsigned k = 0; k < MUTANT_N_KINDS; k++)
		any |= (kinds >> k & 1) && m->n_of[k];
	for (; any && size >= MUTANT_EDIT && m->n_undo < MUTANT_MAX_EDITS;
	     size -= MUTANT_EDIT, data += MUTANT_EDIT)
		edit(m, kinds, data);
}

void mutant_mend(struct mutant *m)
{
	while (m->n_undo > 0) {
		m->n_undo--;
		memcpy(m->undo[m->n_undo].at, &m->undo[m->n_undo].old, 8);
	}
}

static volatile size_t heard;

void mutant_hear(const char *text)
{
	heard += text ? strlen(text) : 0;
}

void mutant_ask(const uint8_t *data, size_t size, unsigned kinds,
		void (*ask)(struct heap *heap, struct pool *pool))
{
	static const struct heap_reader *const readers[] = { &go_reader };
	static const struct heap_options options = { .threads = 1,
						     .quiet = true };
	struct mutant *m = size && mutant_count() ? mutant_get(data[0]) : NULL;
	struct pool house, pool; // the heap's, and the questions'
	struct core *core = NULL;
	struct heap *heap = NULL;
	struct hc_err err;

	if (!m || pool_open(UINT64_C(1) << 30, &house, &err))
		return;
	if (pool_open(UINT64_C(1) << 28, &pool, &err))
		abort();
	mutant_damage(m, kinds, data + 1, size - 1);
	struct core_input in = mutant_input(m);
	if (!core_open(&in, &house, &core, &err) &&
	    !heap_open(core, readers, 1, &options, &house, &heap, &err))
		ask(heap, &pool);
	if (heap)
		heap_close(heap);
	if (core)
		core_close(core);
	pool_close(&pool);
	pool_close(&house);
	mutant_mend(m);
}
