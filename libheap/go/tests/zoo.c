// zoo.c: see zoo.h.
#include "libheap/go/tests/zoo.h"

#include "libcore/base/codec.h"
#include "libheap/go/go.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_CORES 1024
#define POOL_CAP (UINT64_C(1) << 34)

static char names[MAX_CORES][96];
static unsigned n_names;

static const char *testdata(void)
{
	const char *dir = getenv("TESTDATA");

	return dir ? dir : "testdata";
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void list_folder(const char *folder)
{
	static const char tail[] = ".core.zst";
	char path[600];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/cores/%s", testdata(), folder);
	dir = opendir(path);
	while (dir && (e = readdir(dir)) && n_names < MAX_CORES) {
		size_t len = strlen(e->d_name);

		if (len < sizeof(tail) ||
		    strcmp(e->d_name + len - sizeof(tail) + 1, tail) != 0)
			continue;
		snprintf(names[n_names++], sizeof(names[0]), "%.40s/%.*s",
			 folder, (int)(len - sizeof(tail) + 1), e->d_name);
	}
	if (dir)
		closedir(dir);
}

unsigned zoo_count(void)
{
	char path[600];
	struct dirent *e;
	DIR *dir;

	if (n_names)
		return n_names;
	snprintf(path, sizeof(path), "%s/cores", testdata());
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			list_folder(e->d_name);
	if (dir)
		closedir(dir);
	qsort(names, n_names, sizeof(names[0]), by_name);
	return n_names;
}

const char *zoo_name(unsigned i)
{
	return names[i];
}

bool zoo_is(unsigned i, const char *mode)
{
	const char *m = strchr(names[i], '/') + 1;
	size_t len = strlen(mode);

	return strncmp(m, mode, len) == 0 && (m[len] == 0 || m[len] == '-');
}

static void read_file(struct pool *pool, const char *path, struct bytes *ret)
{
	FILE *f = fopen(path, "rb");
	long len;
	char *p;

	*ret = (struct bytes){ 0 };
	if (!f)
		return;
	fseek(f, 0, SEEK_END);
	len = ftell(f);
	rewind(f);
	p = pool_new(pool, char, (uint64_t)len + 1);
	ck_assert_ptr_nonnull(p);
	ck_assert_uint_eq(fread(p, 1, (size_t)len, f), (size_t)len);
	fclose(f);
	*ret = (struct bytes){ (uint8_t *)p, (uint64_t)len, 0 };
}

// unpack reads a file of the folder, which may be packed, NUL-terminated.
static void unpack(struct pool *pool, const char *path, struct bytes *ret)
{
	uint64_t cap = UINT64_C(1) << 26, n = 0;
	struct codec codec;
	struct codec_io io;
	struct bytes in;
	struct hc_err err;
	char packed[600];
	uint8_t *out;

	read_file(pool, path, ret);
	if (ret->at)
		return;
	snprintf(packed, sizeof(packed), "%s.zst", path);
	read_file(pool, packed, &in);
	if (!in.at)
		return;
	out = pool_new(pool, uint8_t, cap);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(codec_open(&codec_zstd, pool, &codec, &err), HC_OK);
	io = (struct codec_io){ in.at, in.len, out, cap - 1 };
	while (io.in_len && io.out_len)
		ck_assert_int_ne(codec_step(&codec, &io, &err), HC_FAIL);
	codec_close(&codec);
	n = cap - 1 - io.out_len;
	ck_assert_uint_gt(io.out_len, 0);
	*ret = (struct bytes){ out, n, 0 };
}

static char *text(struct pool *pool, const char *base, const char *tail)
{
	char path[600];
	struct bytes b;

	snprintf(path, sizeof(path), "%s.%s", base, tail);
	unpack(pool, path, &b);
	return b.at ? (char *)(uintptr_t)b.at : NULL;
}

// exe_file unpacks the executable into a file of its own that dies with us.
static void exe_file(struct pool *pool, const char *folder, char *ret)
{
	char path[600];
	struct bytes b;
	int fd;

	snprintf(path, sizeof(path), "%s/exe", folder);
	unpack(pool, path, &b);
	ck_assert_ptr_nonnull(b.at);
	strcpy(ret, "/tmp/zoo-exe-XXXXXX");
	fd = mkstemp(ret);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, b.at, b.len), (ssize_t)b.len);
	close(fd);
}

void zoo_open(unsigned i, struct zoo *ret)
{
	static const struct heap_reader *const readers[] = { &go_reader };
	static const struct heap_options options = { .quiet = true };
	static char core[512], exe[64];
	struct core_input in = { .core = core, .exe = exe };
	char folder[512], base[512];
	struct hc_err err = { 0 };

	*ret = (struct zoo){ 0 };
	snprintf(base, sizeof(base), "%s/cores/%s", testdata(), names[i]);
	snprintf(folder, sizeof(folder), "%.*s",
		 (int)(strrchr(base, '/') - base), base);
	snprintf(core, sizeof(core), "%.490s.core.zst", base);
	ck_assert_int_eq(pool_open(POOL_CAP, &ret->pool, &err), HC_OK);
	exe_file(&ret->pool, folder, exe);
	ret->trace = text(&ret->pool, base, "trace");
	ret->truth = text(&ret->pool, base, "truth");
	ck_assert_msg(core_open(&in, &ret->pool, &ret->core, &err) == HC_OK,
		      "%s: %s", names[i], err.msg);
	unlink(exe);
	ck_assert_msg(heap_open(ret->core, readers, 1, &options, &ret->pool,
				&ret->heap, &err) == HC_OK,
		      "%s: %s", names[i], err.msg);
	ret->process = heap_self(ret->heap);
}

void zoo_close(struct zoo *z)
{
	heap_close(z->heap);
	core_close(z->core);
	pool_close(&z->pool);
}

// value_of points behind "key": in a line of JSON that the zoo wrote.
static const char *value_of(const char *line, const char *end,
			    const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(line, quoted);
	return at && at < end ? at + strlen(quoted) : NULL;
}

bool zoo_next_set(const char **line, struct zoo_set *ret)
{
	while (*line && **line) {
		const char *at = *line, *end = strchr(at, '\n'), *p;

		end = end ? end : at + strlen(at);
		*line = *end ? end + 1 : end;
		p = value_of(at, end, "set");
		if (!p)
			continue;
		*ret = (struct zoo_set){ 0 };
		sscanf(p, "\"%127[^\"]", ret->name);
		p = value_of(at, end, "live");
		ret->live = p && *p == 't';
		p = value_of(at, end, "size");
		ret->len = p ? strtoull(p, NULL, 10) : 0;
		p = value_of(at, end, "addresses");
		while (p && (p = strchr(p, 'x')) && p < end && ret->n < 128)
			ret->at[ret->n++] = strtoull(++p, NULL, 16);
		return true;
	}
	return false;
}
