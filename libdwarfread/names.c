// names.c: types by name.
#include "libdwarfread/entry.h"

#include "libcore/base/search.h"

#include <stdlib.h>

// struct takers is what a search for types fills in.
struct takers {
	struct dwarf *d;
	struct dwarf_type *types;
};

// rank_of says which of several types of one name is meant.
static int rank_of(const struct dwarf_type *t)
{
	if (t->ref == 0)
		return 0;
	if (t->is_declaration)
		return 1;
	return t->kind == DWARF_TYPEDEF ? 2 : 3;
}

static void take(void *ctx, size_t i, const struct entry *e)
{
	struct takers *to = ctx;
	struct dwarf_type t;
	type_from(to->d, e, &t);
	if (rank_of(&t) > rank_of(&to->types[i]))
		to->types[i] = t;
}

static bool has(const void *ctx, size_t i)
{
	const struct takers *to = ctx;
	return to->types[i].ref != 0 && !to->types[i].is_declaration;
}

enum hc dwarf_find_types(struct dwarf *d, const char *const names[], size_t n,
			 struct dwarf_type ret[], struct hc_err *err)
{
	struct takers to = { d, ret };
	struct wanted w = { names, n, take, has, &to };
	memset(ret, 0, n * sizeof(*ret));
	return find_in_runtime(d, &d->types, &w, err);
}

enum hc dwarf_find_structs(struct dwarf *d, const char *const names[],
			   size_t n, struct dwarf_type ret[],
			   struct hc_err *err)
{
	HC_TRY(dwarf_find_types(d, names, n, ret, err));
	for (size_t i = 0; i < n; i++)
		if (ret[i].kind == DWARF_TYPEDEF &&
		    dwarf_strip(d, ret[i].ref, &ret[i], NULL))
			ret[i] = (struct dwarf_type){ 0 };
	return HC_OK;
}

enum hc dwarf_type_count(struct dwarf *d, uint64_t *ret, struct hc_err *err)
{
	HC_TRY(index_all(d, err));
	*ret = d->types.n;
	return HC_OK;
}

uint32_t dwarf_type_ref(const struct dwarf *d, uint64_t i)
{
	return i < d->types.n ? d->types.at[i].ref : 0;
}

// struct go_type_map is the types that have a go_type, sorted by it; typedefs
// behind what is none.
struct go_type_map {
	struct go_type { uint64_t go_type; uint32_t ref; bool typedefed; } *at;
	uint64_t n;
};

static int by_go_type(const void *x, const void *y)
{
	const struct go_type *a = x, *b = y;
	if (a->go_type != b->go_type)
		return a->go_type < b->go_type ? -1 : 1;
	if (a->typedefed != b->typedefed)
		return a->typedefed ? 1 : -1;
	return (a->ref > b->ref) - (a->ref < b->ref);
}

static enum hc map_go_types(struct dwarf *d, struct hc_err *err)
{
	struct entry e;
	HC_TRY(index_all(d, err));
	struct go_type_map *m = pool_new(d->pool, struct go_type_map, 1);
	struct go_type *at = pool_new(d->pool, struct go_type, d->types.n);
	if (!m || !at)
		return hc_nomem(err);
	m->at = at;
	for (uint64_t i = 0; i < d->types.n; i++)
		if (entry_of(d, d->types.at[i].ref, &e, NULL) == HC_OK &&
		    entry_number(&e, SLOT_GO_TYPE))
			at[m->n++] = (struct go_type){
				entry_number(&e, SLOT_GO_TYPE), e.ref,
				e.tag == TAG_TYPEDEF,
			};
	if (m->n)
		qsort(at, m->n, sizeof(*at), by_go_type);
	d->go_types = m;
	return HC_OK;
}

enum hc dwarf_find_go_type(struct dwarf *d, uint64_t go_type,
			   struct dwarf_type *ret, struct hc_err *err)
{
	if (!d->go_types)
		HC_TRY(map_go_types(d, err));
	const struct go_type_map *m = d->go_types;
	uint64_t low = search_while(i, m->n, m->at[i].go_type < go_type);
	if (low == m->n || m->at[low].go_type != go_type)
		return HC_NONE;
	return dwarf_type_at(d, m->at[low].ref, ret, err);
}
