// unpack.c: see unpack.h.
#include "libheap/dump/unpack.h"

#include "libcore/base/codec.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORTH_A_THREAD (UINT64_C(8) << 20)

bool dump_is(const char *path)
{
	char first[16];
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, first, sizeof(first));
	close(fd);
	return n == sizeof(first) && memcmp(first, DUMP_MAGIC, 16) == 0;
}

static enum hc map_file(const char *path, struct bytes *ret,
			struct hc_err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return hc_fail(err, HC_IO, 0, "%s", strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return hc_fail(err, HC_IO, 0, "is not a regular file");
	}
	uint64_t len = (uint64_t)st.st_size;
	void *at = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	close(fd);
	if (at == MAP_FAILED)
		return hc_fail(err, HC_IO, 0, "%s", strerror(errno));
	*ret = (struct bytes){ at, len, 0 };
	return HC_OK;
}

static enum hc check_head(struct unpack *u, struct hc_err *err)
{
	const uint8_t *at = u->file.at;
	if (u->file.len < 16 || memcmp(at, DUMP_MAGIC, 16))
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is not a heap-dump file");
	if (u->file.len < 2 * DUMP_HEAD)
		return hc_fail(err, HC_TRUNCATED, u->file.len,
			       "the file ends in its header");
	if (crc32_more(0, at, 28) != get_u32(at + 28))
		return hc_fail(err, HC_CORRUPT, 0,
			       "the header of the dump is damaged");
	if (get_u32(at + 16) != DUMP_VERSION)
		return hc_fail(err, HC_UNSUPPORTED, 16,
			       "is a dump of version %" PRIu32
			       "; this heapcore reads version %u",
			       get_u32(at + 16), DUMP_VERSION);
	u->flags = get_u32(at + 20);
	return HC_OK;
}

// check_tail finds the table of contents of the snapshot that ends at u->end. A
// file that was cut has no trailer at its end.
static enum hc check_tail(struct unpack *u, struct hc_err *err)
{
	uint64_t len = u->end;
	if (len < 2 * DUMP_HEAD)
		return hc_fail(err, HC_CORRUPT, len,
			       "there are bytes that no section owns");
	const uint8_t *at = u->file.at + len - DUMP_HEAD;
	if (memcmp(at + 28, DUMP_END, 4))
		return hc_fail(err, HC_TRUNCATED, len,
			       "the dump is cut short or damaged at its end");
	if (crc32_more(0, at, 24) != get_u32(at + 24))
		return hc_fail(err, HC_CORRUPT, len - DUMP_HEAD,
			       "the trailer of the dump is damaged");
	if (get_u64(at + 16) != len)
		return hc_fail(err, HC_TRUNCATED, len,
			       "the dump was %" PRIu64 " bytes long, this file "
			       "is %" PRIu64, get_u64(at + 16), len);
	uint64_t toc = get_u64(at), n = get_u32(at + 8);
	if (toc < DUMP_HEAD || toc > len - DUMP_HEAD ||
	    len - DUMP_HEAD - toc != n * DUMP_ENTRY)
		return hc_fail(err, HC_CORRUPT, len - DUMP_HEAD,
			       "the table of contents is not where it should "
			       "be");
	u->toc = (struct bytes){ u->file.at + toc, n * DUMP_ENTRY, toc };
	if (crc32_more(0, u->toc.at, u->toc.len) != get_u32(at + 12))
		return hc_fail(err, HC_CORRUPT, toc,
			       "the table of contents is damaged");
	return HC_OK;
}

// check_begin finds where the snapshot's first block lies: they end at the
// table.
static enum hc check_begin(struct unpack *u, struct hc_err *err)
{
	uint64_t n = u->toc.len / DUMP_ENTRY;
	u->begin = u->toc.org;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t packed = get_u32(u->toc.at + i * DUMP_ENTRY + 8);
		if (packed > u->begin - DUMP_HEAD)
			return hc_fail(err, HC_CORRUPT, u->toc.org,
				       "block %" PRIu64 " does not fit", i);
		u->begin -= packed;
	}
	return HC_OK;
}

// check_toc adds the blocks up into sections. Numbers that this version does
// not know are passed over.
static enum hc check_toc(struct unpack *u, struct hc_err *err)
{
	uint64_t at = u->begin, n = u->toc.len / DUMP_ENTRY;
	uint32_t last = 0;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *e = u->toc.at + i * DUMP_ENTRY;
		uint32_t id = get_u32(e), raw = get_u32(e + 4);
		if (raw > DUMP_BLOCK || raw == 0)
			return hc_fail(err, HC_CORRUPT, u->toc.org,
				       "block %" PRIu64 " does not fit", i);
		if (id < DUMP_N_SECTIONS) {
			if (u->section[id].n && id != last)
				return hc_fail(err, HC_CORRUPT, u->toc.org,
					       "section %" PRIu32 " is in two "
					       "pieces", id);
			if (!u->section[id].n) {
				u->section[id].first = i;
				u->section[id].at = at;
			}
			u->section[id].n++;
			u->section[id].len += raw;
		}
		last = id;
		at += get_u32(e + 8);
	}
	return HC_OK;
}

// snapshot_at takes the snapshot that ends at a file offset.
static enum hc snapshot_at(struct bytes file, uint64_t end, struct unpack *ret,
			   struct hc_err *err)
{
	struct unpack u = { .file = file, .end = end, .borrowed = true };
	HC_TRY(check_tail(&u, err));
	HC_TRY(check_begin(&u, err));
	HC_TRY(check_toc(&u, err));
	*ret = u;
	return HC_OK;
}

// struct check is one thread's share of the blocks: every step-th.
struct check {
	const struct unpack *u;
	uint64_t first, step;
	uint64_t bad; // file offset of the first damaged block, or UINT64_MAX
};

static void *check_blocks(void *ctx)
{
	struct check *c = ctx;
	uint64_t at = c->u->begin, n = c->u->toc.len / DUMP_ENTRY;
	c->bad = UINT64_MAX;
	for (uint64_t i = 0; i < n && c->bad == UINT64_MAX; i++) {
		const uint8_t *e = c->u->toc.at + i * DUMP_ENTRY;
		uint32_t packed = get_u32(e + 8);
		if (i % c->step == c->first &&
		    crc32_more(0, c->u->file.at + at, packed) !=
			    get_u32(e + 12))
			c->bad = at;
		at += packed;
	}
	return NULL;
}

static enum hc check_sums(const struct unpack *u, struct hc_err *err)
{
	pthread_t thread;
	bool two = u->end - u->begin >= WORTH_A_THREAD;
	struct check c[2] = { { u, 0, 2, 0 }, { u, 1, 2, 0 } };
	two = two && pthread_create(&thread, NULL, check_blocks, &c[1]) == 0;
	check_blocks(&c[0]);
	if (two)
		pthread_join(thread, NULL);
	else
		check_blocks(&c[1]);
	uint64_t bad = c[0].bad < c[1].bad ? c[0].bad : c[1].bad;
	if (bad != UINT64_MAX)
		return hc_fail(err, HC_CORRUPT, bad,
			       "the dump is damaged: the sum over the block at "
			       "byte %" PRIu64 " is wrong", bad);
	return HC_OK;
}

// pick takes one of the n snapshots of a file that has been checked.
static enum hc pick(struct bytes file, uint32_t number, uint32_t n,
		    uint32_t flags, struct unpack *ret, struct hc_err *err)
{
	struct unpack u = { .begin = file.len };
	if (number > n)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "has %" PRIu32 " snapshot%s; there is no number "
			       "%" PRIu32, n, n == 1 ? "" : "s", number);
	number = number ? number : n;
	for (uint32_t i = n; i >= number; i--)
		HC_TRY(snapshot_at(file, u.begin, &u, err));
	u.flags = flags;
	u.number = number;
	u.n_snapshots = n;
	*ret = u;
	return HC_OK;
}

enum hc unpack_other(const struct unpack *of, uint32_t number,
		     struct unpack *ret, struct hc_err *err)
{
	return pick(of->file, number, of->n_snapshots, of->flags, ret, err);
}

enum hc unpack_bytes(struct bytes file, uint32_t number, struct unpack *ret,
		     struct hc_err *err)
{
	struct unpack u = { .file = file };
	uint32_t n = 0, flags;
	HC_TRY(check_head(&u, err));
	flags = u.flags;
	// From the last snapshot back: each begins where another one ends.
	for (u.begin = file.len; u.begin > DUMP_HEAD; n++) {
		HC_TRY(snapshot_at(file, u.begin, &u, err));
		HC_TRY(check_sums(&u, err));
	}
	return pick(file, number, n, flags, ret, err);
}

enum hc unpack_open(const char *path, uint32_t number, struct unpack *ret,
		    struct hc_err *err)
{
	struct bytes file;
	HC_TRY(map_file(path, &file, err));
	enum hc got = unpack_bytes(file, number, ret, err);
	if (got == HC_OK)
		ret->borrowed = false;
	else if (file.len)
		munmap((void *)(uintptr_t)file.at, file.len);
	return got;
}

enum hc dump_snapshots(const char *path, uint32_t *ret, struct hc_err *err)
{
	struct unpack u;
	HC_TRY(unpack_open(path, 0, &u, err));
	*ret = u.n_snapshots;
	unpack_close(&u);
	return HC_OK;
}

void unpack_close(struct unpack *u)
{
	if (u->file.len && !u->borrowed)
		munmap((void *)(uintptr_t)u->file.at, u->file.len);
	u->file.len = 0;
}

// struct unpacking is one thread's share of a section's blocks.
struct unpacking {
	const struct unpack *u;
	uint64_t first, n, at;
	uint64_t start, step;
	uint8_t *out;
	enum hc got;
	struct hc_err err;
};

static void *unpack_blocks(void *ctx)
{
	struct unpacking *k = ctx;
	uint64_t at = k->at;
	uint8_t *out = k->out;
	for (uint64_t i = 0; i < k->n && k->got == HC_OK; i++) {
		const uint8_t *e = k->u->toc.at + (k->first + i) * DUMP_ENTRY;
		uint32_t raw = get_u32(e + 4), packed = get_u32(e + 8);
		struct bytes in = { k->u->file.at + at, packed, at };
		if (i % k->step == k->start)
			k->got = unpack_zstd(in, out, raw, &k->err);
		at += packed;
		out += raw;
	}
	return NULL;
}

// unpack_to unpacks a section to out, which has room for it.
static enum hc unpack_to(const struct unpack *u, enum dump_section section,
			 uint8_t *out, struct hc_err *err)
{
	pthread_t thread;
	uint64_t len = u->section[section].len;
	struct unpacking k[2] = {
		{ u, u->section[section].first, u->section[section].n,
		  u->section[section].at, 0, 2, out, HC_OK, { 0 } },
	};
	k[1] = k[0];
	k[1].start = 1;
	bool two = len >= WORTH_A_THREAD &&
		   pthread_create(&thread, NULL, unpack_blocks, &k[1]) == 0;
	unpack_blocks(&k[0]);
	if (two)
		pthread_join(thread, NULL);
	else
		unpack_blocks(&k[1]);
	for (unsigned i = 0; i < 2; i++) {
		if (k[i].got && err)
			*err = k[i].err;
		if (k[i].got)
			return HC_FAIL;
	}
	return HC_OK;
}

enum hc unpack_section(const struct unpack *u, enum dump_section section,
		       struct pool *pool, struct bytes *ret,
		       struct hc_err *err)
{
	uint64_t len = u->section[section].len;
	uint8_t *out = pool_alloc(pool, 1, 8, len + 8);
	if (!out)
		return hc_nomem(err);
	HC_TRY(unpack_to(u, section, out, err));
	*ret = (struct bytes){ out, len, 0 };
	return HC_OK;
}

enum hc unpack_strings(const struct unpack *u, struct pool *pool,
		       struct bytes *ret, struct hc_err *err)
{
	uint64_t len = u->section[DUMP_STRINGS].len;
	struct unpack before = { .begin = u->begin };
	while (before.begin > DUMP_HEAD) {
		HC_TRY(snapshot_at(u->file, before.begin, &before, err));
		len += before.section[DUMP_STRINGS].len;
	}
	uint8_t *out = pool_alloc(pool, 1, 8, len + 8);
	if (!out)
		return hc_nomem(err);
	before = *u;
	for (uint64_t left = len;;) {
		left -= before.section[DUMP_STRINGS].len;
		HC_TRY(unpack_to(&before, DUMP_STRINGS, out + left, err));
		if (before.begin <= DUMP_HEAD)
			break;
		HC_TRY(snapshot_at(u->file, before.begin, &before, err));
	}
	*ret = (struct bytes){ out, len, 0 };
	return HC_OK;
}
