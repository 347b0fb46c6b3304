// typefind.c: a type by its full name: from DWARF, else among the types that
// the module lists.
//
// Source: moduledata.typelinks (to 1.26): offsets from types of all pointer,
// slice, … types; runtime/type.go moduleTypelinks (1.27), where descriptors
// lie one behind the other from types + 8 to types + typedesclen.
#include "libheap/go/typetable.h"

#include "libdwarfread/dwarfread.h"

// listed_is says whether a listed type, or what it points to, has the name.
static go_typeid listed_is(struct go_types *t, taddr at, const char *name)
{
	go_typeid id = go_type_by_rtype(t, at);
	const struct go_type *r = go_type_get(t, id);
	go_typeid found = 0;
	struct bytes s, path;
	// Cheap first: the last part of the name must be in the short one.
	const char *dot = strrchr(name, '.');
	const char *bracket = strchr(name, '[');
	if (bracket)
		for (dot = bracket; dot > name && *dot != '.'; dot--)
			;
	size_t n = bracket ? (size_t)(bracket - dot) : strlen(dot);
	if (!id || !rtype_string(t, at, &s, &path) ||
	    !memmem(s.at, s.len, dot, n))
		return 0;
	if (r->kind == GO_KIND_POINTER)
		id = r->elem;
	if (!strcmp(go_type_name(t, id, t->pool), name))
		found = id;
	return found;
}

go_typeid go_type_named(struct go_types *t, const char *name)
{
	struct dwarf_type found = { 0 };
	if (t->dwarf) {
		if (dwarf_find_types(t->dwarf, &name, 1, &found, NULL))
			return 0;
		return go_type_by_die(t, found.ref);
	}
	for (size_t i = 0; i < t->process->n_modules; i++) {
		const struct go_module *m = &t->process->modules[i];
		const uint8_t *links;
		if (!m->n_typelinks ||
		    core_view(t->process->core, m->typelinks,
			      4 * m->n_typelinks, &links, NULL))
			continue;
		for (uint64_t k = 0; k < m->n_typelinks; k++) {
			go_typeid id = listed_is(
				t, m->types + get_u32(links + 4 * k), name);
			if (id)
				return id;
		}
	}
	return 0;
}
