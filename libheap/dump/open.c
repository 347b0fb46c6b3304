// open.c: a file in our own format, or a snapshot of it, as a core.
#include "libheap/dump/read.h"

// start reads what every question needs, of a file that is open.
static enum hc start(struct dump *d, const char *path, struct pool *pool,
		     struct core **ret, struct hc_err *err)
{
	d->pool = pool;
	enum hc got = unpack_strings(&d->file, pool, &d->strings, err);
	if (got == HC_OK)
		got = read_core(d, path, pool, err);
	if (got) {
		unpack_close(&d->file);
		return got;
	}
	*ret = d->core;
	return HC_OK;
}

enum hc dump_open(const char *path, uint32_t number, struct pool *pool,
		  struct core **ret, struct hc_err *err)
{
	struct dump *d = pool_new(pool, struct dump, 1);
	if (!d)
		return hc_nomem(err);
	HC_TRY(unpack_open(path, number, &d->file, err));
	return start(d, path, pool, ret, err);
}

enum hc dump_open_bytes(struct bytes file, const char *path, uint32_t number,
			struct pool *pool, struct core **ret,
			struct hc_err *err)
{
	struct dump *d = pool_new(pool, struct dump, 1);
	if (!d)
		return hc_nomem(err);
	HC_TRY(unpack_bytes(file, number, &d->file, err));
	return start(d, path, pool, ret, err);
}

enum hc dump_open_other(const struct core *core, uint32_t number,
			struct pool *pool, struct core **ret,
			struct hc_err *err)
{
	const struct dump *from = core_origin(core);
	struct dump *d = pool_new(pool, struct dump, 1);
	if (!from)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is no heap-dump file: it has no snapshots");
	if (!d)
		return hc_nomem(err);
	HC_TRY(unpack_other(&from->file, number, &d->file, err));
	return start(d, core_info(core)->core_path, pool, ret, err);
}
