// typefind.c: a type by its full name: from DWARF, else among all descriptors.
#include "libheap/go/types/typetable.h"

#include "libdwarfread/dwarfread.h"

#include "libcore/base/hash.h"
#include "libcore/base/search.h"

#include <stdlib.h>

// struct type_tail is a descriptor by the last part of its name.
struct type_tail {
	uint64_t hash;
	go_typeid id;
};

// tail_hash hashes the part of a name that a descriptor's short name has too:
// what stands before any '[' and behind the last '.' or '/' there.
static uint64_t tail_hash(const char *name, uint64_t len)
{
	const char *end = memchr(name, '[', len), *from = name;
	if (!end)
		end = name + len;
	for (const char *p = name; p < end; p++)
		if (*p == '.' || *p == '/')
			from = p + 1;
	return hash_more(HASH_START, from, (uint64_t)(end - from));
}

static bool tail_add(void *ctx, go_typeid id)
{
	struct go_types *t = ctx;
	struct bytes s, path;
	if (!rtype_string(t, go_type_get(t, id)->rtype, &s, &path))
		return true;
	struct type_tail *one = vec_push(t->pool, &t->tails);
	if (one)
		*one = (struct type_tail){
			tail_hash((const char *)s.at, s.len), id };
	return one != NULL;
}

static int by_hash(const void *a, const void *b)
{
	const struct type_tail *x = a, *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

// has_name says whether a type's full name is this one.
static bool has_name(struct go_types *t, go_typeid id, const char *name)
{
	char *mark = pool_mark(t->pool);
	const char *full = go_type_name(t, id, t->pool);
	bool same = !strcmp(full, name);
	// Naming may have met new types, whose records then lie behind mark.
	if (pool_mark(t->pool) == full + strlen(full) + 1)
		pool_rewind(t->pool, mark);
	return same;
}

// name_find looks a name up for the first time.
static go_typeid name_find(struct go_types *t, const char *name)
{
	struct dwarf_type found = { 0 };
	if (t->dwarf && !dwarf_find_types(t->dwarf, &name, 1, &found, NULL) &&
	    found.ref)
		return go_type_by_die(t, found.ref);
	if (!t->tails.n) {
		go_rtypes_each(t, tail_add, t);
		if (t->tails.n)
			qsort(t->tails.at, t->tails.n, sizeof(*t->tails.at),
			      by_hash);
	}
	uint64_t hash = tail_hash(name, strlen(name));
	uint64_t low = search_while(i, t->tails.n, t->tails.at[i].hash < hash);
	for (; low < t->tails.n && t->tails.at[low].hash == hash; low++)
		if (has_name(t, t->tails.at[low].id, name))
			return t->tails.at[low].id;
	return 0;
}

go_typeid go_type_named(struct go_types *t, const char *name)
{
	for (uint64_t i = 0; i < t->names.n; i++)
		if (!strcmp(t->names.at[i].name, name))
			return t->names.at[i].id;
	go_typeid id = name_find(t, name);
	const char *copy = pool_copy(t->pool, name, strlen(name));
	struct type_name *one = copy ? vec_push(t->pool, &t->names) : NULL;
	if (one)
		*one = (struct type_name){ copy, id };
	return id;
}
