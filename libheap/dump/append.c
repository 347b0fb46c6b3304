// append.c: see append.h.
#include "libheap/dump/append.h"

// check says whether a file is of the kind asked for and takes its strings.
static enum hc check(struct dump_base *base, bool values, struct pool *pool,
		     struct hc_err *err)
{
	const struct bytes *s = &base->strings;
	if (values != !!(base->file.flags & DUMP_WITH_VALUES))
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       values ? "was written without --values, and so "
					"must be what is added" :
					"was written with --values, and so "
					"must be what is added");
	HC_TRY(unpack_strings(&base->file, pool, &base->strings, err));
	if (s->len == 0 || s->at[0] || s->at[s->len - 1])
		return hc_fail(err, HC_CORRUPT, base->file.begin,
			       "section STRINGS of the dump: a string is cut");
	return HC_OK;
}

// begin makes the base of a file that is open, and closes it when it is none.
static enum hc begin(struct unpack file, bool values, struct pool *pool,
		     struct dump_base **ret, struct hc_err *err)
{
	struct dump_base *base = pool_new(pool, struct dump_base, 1);
	enum hc got = base ? HC_OK : hc_nomem(err);
	if (base) {
		base->file = file;
		got = check(base, values, pool, err);
	}
	if (got)
		unpack_close(&file);
	else
		*ret = base;
	return got;
}

enum hc dump_base_of(struct bytes file, bool values, struct pool *pool,
		     struct dump_base **ret, struct hc_err *err)
{
	struct unpack u;
	HC_TRY(unpack_bytes(file, 0, &u, err));
	return begin(u, values, pool, ret, err);
}

enum hc dump_base_open(const char *path, bool values, struct pool *pool,
		       struct dump_base **ret, struct hc_err *err)
{
	struct unpack u;
	HC_TRY(unpack_open(path, 0, &u, err));
	return begin(u, values, pool, ret, err);
}

void dump_base_close(struct dump_base *base)
{
	if (base)
		unpack_close(&base->file);
}
