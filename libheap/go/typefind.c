// typefind.c: a type by its full name: from DWARF, else among all descriptors.
#include "libheap/go/typetable.h"

#include "libdwarfread/dwarfread.h"

// struct find is a name being looked for. Shape: tail is its last part, which
// a descriptor's short name has too.
struct find {
	struct go_types *types;
	const char *name, *tail;
	size_t tail_len;
	go_typeid found;
};

static bool find_one(void *ctx, go_typeid id)
{
	struct find *f = ctx;
	const struct go_type *r = go_type_get(f->types, id);
	struct bytes s, path;
	if (!rtype_string(f->types, r->rtype, &s, &path) ||
	    !memmem(s.at, s.len, f->tail, f->tail_len))
		return true;
	char *mark = pool_mark(f->types->pool);
	const char *name = go_type_name(f->types, id, f->types->pool);
	if (!strcmp(name, f->name))
		f->found = id;
	// Naming may have met new types, whose records then lie behind mark.
	if (pool_mark(f->types->pool) == name + strlen(name) + 1)
		pool_rewind(f->types->pool, mark);
	return !f->found;
}

// name_find looks a name up for the first time.
static go_typeid name_find(struct go_types *t, const char *name)
{
	struct find f = { .types = t, .name = name, .tail = name };
	struct dwarf_type found = { 0 };
	if (t->dwarf && !dwarf_find_types(t->dwarf, &name, 1, &found, NULL) &&
	    found.ref)
		return go_type_by_die(t, found.ref);
	const char *end = strchr(name, '[');
	if (!end)
		end = name + strlen(name);
	for (const char *p = name; p < end; p++)
		if (*p == '.' || *p == '/')
			f.tail = p + 1;
	f.tail_len = (size_t)(end - f.tail);
	go_rtypes_each(t, find_one, &f);
	return f.found;
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
