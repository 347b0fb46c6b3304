// layout_dwarf.c: layouts from the executable's debug information.
#include "libdwarfread/dwarfread.h"
#include "libheap/go/process.h"

static const struct {
	const char *types, *paths;
} field_names[GO_N_FIELDS] = {
#define FIELD(id, type, path) [F_##id] = { type, path },
#include "libheap/go/fields.def"
#undef FIELD
};

static const char *const size_names[GO_N_SIZES] = {
#define SIZE(id, type) [S_##id] = type,
#include "libheap/go/sizes.def"
#undef SIZE
};

static const struct {
	const char *name, *older;
} const_names[GO_N_CONSTS] = {
#define CONSTANT(id, name, older) [C_##id] = { name, older },
#include "libheap/go/constants.def"
#undef CONSTANT
};

static const char *const field_ids[GO_N_FIELDS] = {
#define FIELD(id, type, path) [F_##id] = #id,
#include "libheap/go/fields.def"
#undef FIELD
};

static const char *const size_ids[GO_N_SIZES] = {
#define SIZE(id, type) [S_##id] = #id,
#include "libheap/go/sizes.def"
#undef SIZE
};

// struct names is a list of distinct names with what DWARF says of each.
struct names {
	VEC(const char *);
	struct dwarf_type *types;
	struct dwarf_constant *constants;
};

// next_name copies the first of "a|b|c" into the pool and moves *list behind
// it. Returns NULL at the end, or when memory is short.
static const char *next_name(struct pool *pool, const char **list)
{
	size_t len = strcspn(*list, "|");
	const char *name = len ? pool_copy(pool, *list, len) : NULL;

	*list += len + ((*list)[len] == '|');
	return name;
}

static uint64_t name_index(const struct names *names, const char *name)
{
	for (uint64_t i = 0; i < names->n; i++)
		if (strcmp(names->at[i], name) == 0)
			return i;
	return names->n;
}

static enum hc add_names(struct names *names, struct pool *pool,
			 const char *list, struct hc_err *err)
{
	const char *name;

	while (*list) {
		if (!(name = next_name(pool, &list)))
			return hc_nomem(err);
		if (name_index(names, name) < names->n)
			continue;
		const char **add = vec_push(pool, names);
		if (!add)
			return hc_nomem(err);
		*add = name;
	}
	return HC_OK;
}

// find_types looks up every struct of the lists. A struct without a name of
// its own goes by that of its only variable.
static enum hc find_types(struct dwarf *dwarf, struct pool *pool,
			  struct names *names, struct hc_err *err)
{
	for (size_t i = 0; i < GO_N_FIELDS; i++)
		HC_TRY(add_names(names, pool, field_names[i].types, err));
	for (size_t i = 0; i < GO_N_SIZES; i++)
		HC_TRY(add_names(names, pool, size_names[i], err));
	names->types = pool_new(pool, struct dwarf_type, names->n);
	struct dwarf_global *vars = pool_new(pool, struct dwarf_global,
					     names->n);
	if (!names->types || !vars)
		return hc_nomem(err);
	HC_TRY(dwarf_find_structs(dwarf, names->at, names->n, names->types,
				  err));
	HC_TRY(dwarf_find_globals(dwarf, names->at, names->n, vars, err));
	for (uint64_t i = 0; i < names->n; i++)
		if (names->types[i].ref == 0 && vars[i].name &&
		    dwarf_strip(dwarf, vars[i].type, &names->types[i], NULL))
			names->types[i] = (struct dwarf_type){ 0 };
	return HC_OK;
}

// find_field tries each struct, and in each every path.
static struct go_field_at find_field(struct dwarf *dwarf, struct pool *pool,
				     const struct names *names, size_t f)
{
	const char *types = field_names[f].types, *type, *path;
	struct dwarf_field at;

	while (*types && (type = next_name(pool, &types))) {
		uint64_t i = name_index(names, type);
		const char *paths = field_names[f].paths;
		if (i == names->n || names->types[i].ref == 0)
			continue;
		while (*paths && (path = next_name(pool, &paths)))
			if (!dwarf_field_at(dwarf, names->types[i].ref, path,
					    &at, NULL) &&
			    at.len > 0 && at.len <= UINT32_MAX &&
			    at.off <= INT32_MAX)
				return (struct go_field_at){
					(int32_t)at.off, (uint32_t)at.len
				};
	}
	return (struct go_field_at){ -1, 0 };
}

static uint32_t find_size(struct pool *pool, const struct names *names,
			  const char *types)
{
	const char *type;

	while (*types && (type = next_name(pool, &types))) {
		uint64_t i = name_index(names, type);
		if (i < names->n && names->types[i].ref &&
		    names->types[i].len <= UINT32_MAX)
			return (uint32_t)names->types[i].len;
	}
	return 0;
}

static enum hc find_constants(struct dwarf *dwarf, struct pool *pool,
			      struct go_layout *l, struct hc_err *err)
{
	struct names names = { 0 };

	for (size_t i = 0; i < GO_N_CONSTS; i++) {
		HC_TRY(add_names(&names, pool, const_names[i].name, err));
		HC_TRY(add_names(&names, pool, const_names[i].older, err));
	}
	names.constants = pool_new(pool, struct dwarf_constant, names.n);
	if (!names.constants)
		return hc_nomem(err);
	HC_TRY(dwarf_find_constants(dwarf, names.at, names.n, names.constants,
				    err));
	for (size_t i = 0; i < GO_N_CONSTS; i++) {
		const char *lists[] = { const_names[i].name,
					const_names[i].older }, *name;
		for (size_t k = 0; k < 2; k++) {
			while (*lists[k] && !l->has_constant[i] &&
			       (name = next_name(pool, &lists[k]))) {
				uint64_t at = name_index(&names, name);
				if (!names.constants[at].name)
					continue;
				l->has_constant[i] = true;
				l->constant[i] = names.constants[at].value;
			}
		}
	}
	return HC_OK;
}

// compare notes what differs from the table, and takes from the table what
// the linker left out of the debug information.
static void compare(struct go_layout *l, const struct go_layout *table,
		    struct findings *findings)
{
	for (size_t i = 0; i < GO_N_FIELDS; i++) {
		struct go_field_at *d = &l->field[i];
		const struct go_field_at *t = &table->field[i];
		if (d->off < 0)
			*d = *t;
		else if (d->off != t->off || d->size != t->size)
			findings_add(findings, "layout mismatch", 0,
				     "%s is at %" PRId32 " (%" PRIu32
				     " bytes) in the debug information and at "
				     "%" PRId32 " (%" PRIu32 ") in the %s",
				     field_ids[i], d->off, d->size, t->off,
				     t->size, table->source);
	}
	for (size_t i = 0; i < GO_N_SIZES; i++) {
		if (l->size[i] == 0)
			l->size[i] = table->size[i];
		else if (l->size[i] != table->size[i])
			findings_add(findings, "layout mismatch", 0,
				     "%s has %" PRIu32 " bytes in the debug "
				     "information and %" PRIu32 " in the %s",
				     size_ids[i], l->size[i], table->size[i],
				     table->source);
	}
	for (size_t i = 0; i < GO_N_CONSTS; i++) {
		if (!l->has_constant[i]) {
			l->has_constant[i] = table->has_constant[i];
			l->constant[i] = table->constant[i];
		} else if (l->constant[i] != table->constant[i]) {
			findings_add(findings, "layout mismatch", 0,
				     "%s is %" PRId64 " in the debug "
				     "information and %" PRId64 " in the %s",
				     const_names[i].name, l->constant[i],
				     table->constant[i], table->source);
		}
	}
}

enum hc go_layout_from_dwarf(struct dwarf *dwarf,
			     const struct go_version *version,
			     enum core_arch arch,
			     const struct go_layout *check,
			     struct findings *findings, struct go_layout *ret,
			     struct hc_err *err)
{
	static const enum go_field must[] = {
		F_mspan_startAddr, F_mheap_allspans, F_g_goid, F_m_g0,
		F_moduledata_text,
	};
	struct pool *pool = findings->pool;
	struct names names = { 0 };
	struct go_layout l = { .version = *version, .arch = arch,
			       .source = "DWARF" };

	HC_TRY(find_types(dwarf, pool, &names, err));
	for (size_t i = 0; i < GO_N_FIELDS; i++)
		l.field[i] = find_field(dwarf, pool, &names, i);
	for (size_t i = 0; i < GO_N_SIZES; i++)
		l.size[i] = find_size(pool, &names, size_names[i]);
	HC_TRY(find_constants(dwarf, pool, &l, err));
	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++)
		if (!go_has(&l, must[i]))
			return HC_NONE;
	if (check)
		compare(&l, check, findings);
	*ret = l;
	return HC_OK;
}
