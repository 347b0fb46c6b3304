// layout_tables.c: layouts from the built-in tables.
//
// tables/layouts.inc has one row a name, in which runs of tables agree.
#include "libheap/go/program/layout_tables.h"

static const struct table {
	unsigned minor, patch;
	enum core_arch arch;
	uint32_t experiments;
	const char *name;
} tables[] = {
#define LAYOUT(minor, patch, arch, mask, name) { minor, patch, arch, mask, name },
#include "libheap/go/tables/layouts.inc"
};

enum { N_TABLES = sizeof(tables) / sizeof(tables[0]) };

#define RUN(first, last, ...) [first... last] = { __VA_ARGS__ },

// Shape: size 0 is a field that the version does not have.
static const struct place {
	uint32_t off, size;
} fields[GO_N_FIELDS][N_TABLES] = {
#define FIELD_ROW(id, ...) [F_##id] = { __VA_ARGS__ },
#include "libheap/go/tables/layouts.inc"
};

static const struct {
	uint32_t size;
} sizes[GO_N_SIZES][N_TABLES] = {
#define SIZE_ROW(id, ...) [S_##id] = { __VA_ARGS__ },
#include "libheap/go/tables/layouts.inc"
};

#undef RUN
#define RUN(first, last, value) [first... last] = { true, value },
static const struct {
	bool there;
	int64_t value;
} constants[GO_N_CONSTS][N_TABLES] = {
#define CONSTANT_ROW(id, ...) [C_##id] = { __VA_ARGS__ },
#include "libheap/go/tables/layouts.inc"
};

// The experiments that the tables tell apart.
#define TABLE_EXPERIMENTS (GO_X_GREENTEA | GO_X_SWISSMAP)

// cost orders the tables that may be right: 0 is none of these. Another map
// than asked for changes nothing that the tables hold but map types; another
// patch release rarely does, and an older one than asked for is likelier.
static uint32_t cost(const struct table *t, const struct go_version *v,
		     enum core_arch arch)
{
	uint32_t differ = (t->experiments ^ v->experiments) & TABLE_EXPERIMENTS;
	if (t->minor != v->minor || t->arch != arch ||
	    (differ & GO_X_GREENTEA) != 0)
		return 0;
	uint32_t patch = t->patch <= v->patch ? v->patch - t->patch :
						100000 + t->patch - v->patch;
	return 1 + patch + (differ ? 1000000 : 0);
}

// find returns the n-th best table, or N_TABLES.
static size_t find(const struct go_version *v, enum core_arch arch, size_t n)
{
	uint64_t floor = 0; // (cost, index) of the one before
	for (size_t i = 0;; i++) {
		uint64_t best = UINT64_MAX;
		for (size_t k = 0; k < N_TABLES; k++) {
			uint64_t c = cost(&tables[k], v, arch);
			uint64_t rank = c << 16 | k;
			if (c > 0 && rank < best && (i == 0 || rank > floor))
				best = rank;
		}
		if (best == UINT64_MAX)
			return N_TABLES;
		if (i == n)
			return best & 0xffff;
		floor = best;
	}
}

enum hc go_layout_from_nth_table(const struct go_version *version,
				 enum core_arch arch, size_t n,
				 struct go_layout *ret)
{
	size_t t = find(version, arch, n);
	if (t == N_TABLES)
		return HC_NONE;
	*ret = (struct go_layout){ .version = *version, .arch = arch,
				   .source = tables[t].name };
	for (size_t i = 0; i < GO_N_FIELDS; i++) {
		struct place p = fields[i][t];
		ret->field[i].off = p.size ? (int32_t)p.off : -1;
		ret->field[i].size = p.size;
	}
	for (size_t i = 0; i < GO_N_SIZES; i++)
		ret->size[i] = sizes[i][t].size;
	for (size_t i = 0; i < GO_N_CONSTS; i++) {
		ret->constant[i] = constants[i][t].value;
		ret->has_constant[i] = constants[i][t].there;
	}
	return HC_OK;
}

enum hc go_layout_from_tables(const struct go_version *version,
			      enum core_arch arch, struct go_layout *ret,
			      struct hc_err *err)
{
	(void)err;
	return go_layout_from_nth_table(version, arch, 0, ret);
}

void go_layout_table_range(enum core_arch arch, unsigned *ret_oldest,
			   unsigned *ret_newest)
{
	unsigned oldest = UINT32_MAX, newest = 0;
	for (size_t i = 0; i < N_TABLES; i++) {
		if (tables[i].arch != arch)
			continue;
		if (tables[i].minor < oldest)
			oldest = tables[i].minor;
		if (tables[i].minor > newest)
			newest = tables[i].minor;
	}
	*ret_oldest = oldest;
	*ret_newest = newest;
}
