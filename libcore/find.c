// find.c: which file of a directory is the core that was meant.
#include "libcore/base/codec.h"
#include "libcore/core.h"
#include "libcore/elf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BYTES = 1 << 17, HEADER_BYTES = 64 };

// struct found is the newest file of a kind so far.
struct found {
	char name[256]; // empty: none yet
	struct timespec when;
};

static bool ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);
	return len > n && !memcmp(name + len - n, end, n);
}

// name_is_core says whether a core may be called that.
static bool name_is_core(const char *name)
{
	static const char *const packed[] = { ".zst", ".gz", ".xz", ".lz4" };
	size_t len = strlen(name);
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
		if (ends_with(name, len, packed[i])) {
			len -= strlen(packed[i]);
			break;
		}
	}
	return (len == 4 && !memcmp(name, "core", 4)) ||
	       (len > 5 && !memcmp(name, "core.", 5)) ||
	       ends_with(name, len, ".core");
}

// first_unpack replaces the first bytes of a compressed file by the first
// bytes of what is in it, in out.
static struct bytes first_unpack(const struct codec_format *format,
				 struct bytes first, uint8_t *out,
				 struct pool *pool)
{
	struct codec codec = { 0 };
	struct codec_io io = { first.at, first.len, out, HEADER_BYTES };
	if (codec_open(format, pool, &codec, NULL) == HC_OK) {
		for (uint64_t was = 0; io.in_len && io.out_len && io.in_len != was;) {
			was = io.in_len;
			if (codec_step(&codec, &io, NULL) == HC_FAIL)
				break;
		}
	}
	codec_close(&codec);
	return (struct bytes){ out, HEADER_BYTES - io.out_len, 0 };
}

// file_is_core looks at the first bytes. Source: ELF gABI: e_type at byte 16.
static bool file_is_core(int fd, struct pool *pool)
{
	char *mark = pool_mark(pool);
	uint8_t *buf = pool_new(pool, uint8_t, FIRST_BYTES);
	uint8_t header[HEADER_BYTES];
	ssize_t n = buf ? read(fd, buf, FIRST_BYTES) : 0;
	struct bytes first = { buf, n > 0 ? (uint64_t)n : 0, 0 };
	const struct codec_format *format = codec_find(first);
	if (format)
		first = first_unpack(format, first, header, pool);
	bool is = elf_is(first) && first.len >= 18 &&
		  get_u16(first.at + 16) == ELF_CORE;
	pool_rewind(pool, mark);
	return is;
}

// is_newer says whether a file of this time and name comes before best.
static bool is_newer(const struct found *best, const struct stat *st,
		     const char *name)
{
	const struct timespec *a = &st->st_mtim, *b = &best->when;
	if (!best->name[0])
		return true;
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec > b->tv_sec;
	if (a->tv_nsec != b->tv_nsec)
		return a->tv_nsec > b->tv_nsec;
	return strcmp(name, best->name) < 0;
}

// found_consider makes name the best one when it is newer and what it says.
static void found_consider(struct found *best, int dir, const char *name,
			   bool must_be_core, struct pool *pool)
{
	struct stat st;
	if (strlen(name) >= sizeof(best->name) ||
	    fstatat(dir, name, &st, 0) || !S_ISREG(st.st_mode) ||
	    !is_newer(best, &st, name))
		return;
	if (must_be_core) {
		int fd = openat(dir, name,
				O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		bool is = fd >= 0 && file_is_core(fd, pool);
		if (fd >= 0)
			close(fd);
		if (!is)
			return;
	}
	memcpy(best->name, name, strlen(name) + 1);
	best->when = st.st_mtim;
}

enum hc core_find_newest(const char *dir, struct pool *pool, const char **ret,
			 struct hc_err *err)
{
	struct found core = { 0 }, dump = { 0 };
	DIR *d = opendir(dir);
	if (!d)
		return hc_fail(err, HC_IO, 0, "%s: %s", dir, strerror(errno));
	struct dirent *e;
	while ((e = readdir(d))) {
		if (name_is_core(e->d_name))
			found_consider(&core, dirfd(d), e->d_name, true, pool);
		else if (ends_with(e->d_name, strlen(e->d_name), ".heapcore"))
			found_consider(&dump, dirfd(d), e->d_name, false,
				       pool);
	}
	closedir(d);
	const char *name = core.name[0] ? core.name : dump.name;
	if (!name[0])
		return HC_NONE;
	const char *path = strcmp(dir, ".") ?
				   pool_printf(pool, "%s/%s", dir, name) :
				   pool_copy(pool, name, strlen(name));
	if (!path)
		return hc_nomem(err);
	*ret = path;
	return HC_OK;
}
