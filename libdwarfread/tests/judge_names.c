// judge_names.c: all that libdwarf met, looked up again by name and address.
#include "libdwarfread/tests/judge_room.h"

static void check_types(struct judge *j)
{
	struct pool *pool = j->d->pool;
	uint64_t n = 0;
	struct dwarf_type *got = pool_new(pool, struct dwarf_type, j->names.n);
	struct hc_err err;
	for (uint64_t i = 0; i < j->names.n; i++)
		if (j->names.at[i]) // those without a name are not asked for
			j->names.at[n++] = j->names.at[i];
	if (dwarf_find_types(j->d, j->names.at, n, got, &err))
		judge_differ(j, 0, "types: %s", err.msg);
	for (uint64_t i = 0; i < n; i++)
		if (!got[i].name || strcmp(got[i].name, j->names.at[i]) != 0)
			judge_differ(j, got[i].ref, "%s is not found",
				     j->names.at[i]);
}

static void check_constants(struct judge *j)
{
	uint64_t n = j->constants.n;
	const char **names = pool_new(j->d->pool, const char *, n);
	struct dwarf_constant *got = pool_new(j->d->pool, struct dwarf_constant,
					      n);
	struct hc_err err;
	for (uint64_t i = 0; i < n; i++)
		names[i] = j->constants.at[i].name;
	if (dwarf_find_constants(j->d, names, n, got, &err))
		judge_differ(j, 0, "constants: %s", err.msg);
	for (uint64_t i = 0; i < n; i++)
		if (!got[i].name || strcmp(got[i].name, names[i]) != 0 ||
		    got[i].value != j->constants.at[i].value)
			judge_differ(j, 0, "%s is %" PRId64 ", not %" PRId64,
				     names[i], got[i].value,
				     j->constants.at[i].value);
}

static void check_globals(struct judge *j)
{
	uint64_t n = 0;
	const char **names = pool_new(j->d->pool, const char *, j->globals.n);
	struct dwarf_global *got = pool_new(j->d->pool, struct dwarf_global,
					    j->globals.n);
	struct hc_err err;
	for (uint64_t i = 0; i < j->globals.n; i++)
		if (j->globals.at[i].name)
			names[n++] = j->globals.at[i].name;
	if (dwarf_find_globals(j->d, names, n, got, &err))
		judge_differ(j, 0, "globals: %s", err.msg);
	for (uint64_t i = 0; i < n; i++)
		if (!got[i].name || strcmp(got[i].name, names[i]) != 0)
			judge_differ(j, 0, "%s is not found", names[i]);
}

// check_vars reads all variables of a function, and leaves the pool as it was.
static void check_vars(struct judge *j, const struct dwarf_func *f,
		       struct pool *pool)
{
	struct dwarf_var *v;
	struct hc_err err;
	uint64_t n;
	char *mark = pool_mark(pool);
	if (dwarf_func_vars(j->d, f->ref, pool, &v, &n, &err))
		judge_differ(j, f->ref, "variables: %s", err.msg);
	else
		j->verdict->variables += n;
	pool_rewind(pool, mark);
}

static void check_funcs(struct judge *j)
{
	struct dwarf_func got;
	struct pool pool;
	if (pool_open(UINT64_C(1) << 32, &pool, NULL))
		return;
	for (uint64_t i = 0; i < j->funcs.n; i++) {
		const struct dwarf_func *f = &j->funcs.at[i];
		if (dwarf_find_func(j->d, f->low, &got, NULL) ||
		    got.low != f->low || got.high != f->high ||
		    (f->name && strcmp(got.name, f->name) != 0))
			judge_differ(j, f->ref, "function %s at %" PRIx64
				     " is not found", f->name ? f->name : "?",
				     f->low);
		check_vars(j, f, &pool);
	}
	pool_close(&pool);
	if (dwarf_trouble(j->d)->first.src)
		judge_differ(j, 0, "trouble: %s",
			     dwarf_trouble(j->d)->first.msg);
}

void judge_names(struct judge *j)
{
	check_types(j);
	check_constants(j);
	check_globals(j);
	check_funcs(j);
}
