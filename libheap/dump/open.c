// open.c: a file in our own format, or a snapshot of it, as a core.
#include "libheap/dump/read.h"

// start reads what every question needs of a file that is open, and closes it
// when that fails.
static enum hc start(struct unpack file, const char *path, struct pool *pool,
		     struct core **ret, struct hc_err *err)
{
	struct dump *d = pool_new(pool, struct dump, 1);
	enum hc got = d ? HC_OK : hc_nomem(err);
	if (d) {
		d->pool = pool;
		d->file = file;
		got = unpack_strings(&d->file, pool, &d->strings, err);
	}
	if (got == HC_OK)
		got = read_core(d, path, pool, err);
	if (got)
		unpack_close(&file);
	else
		*ret = d->core;
	return got;
}

enum hc dump_open(const char *path, uint32_t number, struct pool *pool,
		  struct core **ret, struct hc_err *err)
{
	struct unpack u;
	HC_TRY(unpack_open(path, number, &u, err));
	return start(u, path, pool, ret, err);
}

enum hc dump_open_bytes(struct bytes file, const char *path, uint32_t number,
			struct pool *pool, struct core **ret,
			struct hc_err *err)
{
	struct unpack u;
	HC_TRY(unpack_bytes(file, number, &u, err));
	return start(u, path, pool, ret, err);
}

enum hc dump_open_other(const struct core *core, uint32_t number,
			struct pool *pool, struct core **ret,
			struct hc_err *err)
{
	const struct dump *from = core_origin(core);
	struct unpack u;
	if (!from)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "is no heap-dump file: it has no snapshots");
	HC_TRY(unpack_other(&from->file, number, &u, err));
	return start(u, core_info(core)->core_path, pool, ret, err);
}
