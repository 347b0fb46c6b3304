// zoo.c: see zoo.h.
#include "libheap/go/tests/zoo.h"

#include "libheap/go/go.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_CORES 1024
#define POOL_CAP (UINT64_C(1) << 34)

// Two names for each core, the second for the stripped twin.
static char names[MAX_CORES][96];
static unsigned n_names;

static const char *fixtures(void)
{
	const char *dir = getenv("FIXTURES");

	return dir ? dir : "build/fixtures";
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void list_folder(const char *folder)
{
	static const char tail[] = ".core";
	char path[600];
	struct dirent *e;
	bool twin;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s/exe.stripped", fixtures(), folder);
	twin = access(path, R_OK) == 0;
	snprintf(path, sizeof(path), "%s/%s", fixtures(), folder);
	dir = opendir(path);
	while (dir && (e = readdir(dir)) && n_names + 2 <= MAX_CORES) {
		size_t len = strlen(e->d_name);
		int n = (int)(len - sizeof(tail) + 1);

		if (len < sizeof(tail) || strcmp(e->d_name + n, tail) != 0)
			continue;
		snprintf(names[n_names++], sizeof(names[0]), "%.40s/%.*s",
			 folder, n, e->d_name);
		if (twin)
			snprintf(names[n_names++], sizeof(names[0]),
				 "%.40s/%.*s stripped", folder, n, e->d_name);
	}
	if (dir)
		closedir(dir);
}

unsigned zoo_count(void)
{
	static bool said;
	struct dirent *e;
	DIR *dir;

	if (n_names)
		return n_names;
	dir = opendir(fixtures());
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			list_folder(e->d_name);
	if (dir)
		closedir(dir);
	if (!n_names && !said)
		printf("ok - the zoo # SKIP no unpacked cores in %s: run "
		       "`make fixtures`\n", fixtures());
	said = true;
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

	return strncmp(m, mode, len) == 0 && strchr("- ", m[len]);
}

unsigned zoo_minor(unsigned i)
{
	return (unsigned)strtoul(strchr(names[i], '.') + 1, NULL, 10);
}

// text reads a file into memory, NUL-terminated; NULL when it is not there.
static char *text(struct pool *pool, const char *base, const char *tail)
{
	char path[600];
	FILE *f;
	long len;
	char *p;

	snprintf(path, sizeof(path), "%s.%s", base, tail);
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	len = ftell(f);
	rewind(f);
	p = pool_new(pool, char, (uint64_t)len + 1);
	ck_assert_ptr_nonnull(p);
	ck_assert_uint_eq(fread(p, 1, (size_t)len, f), (size_t)len);
	fclose(f);
	return p;
}

struct core_input zoo_input(unsigned i)
{
	static char core[512], exe[512];
	const char *slash = strchr(names[i], '/');
	size_t mode = strcspn(slash, " ");

	snprintf(core, sizeof(core), "%.300s/%.*s.core", fixtures(),
		 (int)(slash - names[i]) + (int)mode, names[i]);
	snprintf(exe, sizeof(exe), "%.300s/%.*s/exe%s", fixtures(),
		 (int)(slash - names[i]), names[i],
		 slash[mode] ? ".stripped" : "");
	return (struct core_input){ .core = core, .exe = exe };
}

void zoo_open(unsigned i, struct zoo *ret)
{
	zoo_open_threads(i, 0, ret);
}

void zoo_open_threads(unsigned i, unsigned threads, struct zoo *ret)
{
	static const struct heap_reader *const readers[] = { &go_reader };
	const struct heap_options options = { .quiet = true,
					      .threads = threads };
	struct core_input in = zoo_input(i);
	struct hc_err err = { 0 };
	char base[512];

	*ret = (struct zoo){ .i = i, .name = names[i] };
	snprintf(ret->path, sizeof(ret->path), "%s", in.core);
	snprintf(base, sizeof(base), "%.*s", (int)strlen(in.core) - 5, in.core);
	ck_assert_int_eq(pool_open(POOL_CAP, &ret->pool, &err), HC_OK);
	ret->trace = text(&ret->pool, base, "trace");
	ret->truth = text(&ret->pool, base, "truth");
	ret->objects = text(&ret->pool, base, "objects");
	ck_assert_msg(core_open(&in, &ret->pool, &ret->core, &err) == HC_OK,
		      "%s: %s", names[i], err.msg);
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

void zoo_fail(const struct zoo *z, const char *file, int line, const char *fmt,
	      ...)
{
	char why[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	ck_abort_msg("%s: %s: %s (%s:%d)", z->name,
		     z->claim ? z->claim : "a core", why, file, line);
}

bool zoo_statistic(const struct zoo *z, const char *name, uint64_t *ret)
{
	char quoted[64];
	const char *at = z->truth ? strstr(z->truth, "{\"memstats\":") : NULL;

	snprintf(quoted, sizeof(quoted), "\"%s\":", name);
	at = at ? strstr(at, quoted) : NULL;
	if (!at)
		return false;
	*ret = strtoull(at + strlen(quoted), NULL, 10);
	return true;
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
		p = value_of(at, end, "type");
		if (p)
			sscanf(p, "\"%127[^\"]", ret->type);
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
