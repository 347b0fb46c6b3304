// dietype.c: types that only debug information knows.
//
// A DWARF type that has a descriptor in memory (DW_AT_go_runtime_type, its
// offset from runtime.types) is that descriptor's type; the others, which no
// interface or allocation of the program ever needed, are read from DWARF.
#include "libheap/go/types/typetable.h"

#include "libdwarfread/dwarfread.h"

// rtype_of returns the address of a DWARF type's descriptor, 0 without one.
static taddr rtype_of(const struct go_types *t, const struct dwarf_type *d)
{
	if (!d->go_type || !t->process->n_modules)
		return 0;
	return t->process->modules[0].types + d->go_type;
}

// TYPEDEFS is how many typedefs and qualifiers are followed one after another.
#define TYPEDEFS 64

go_typeid go_type_by_die(struct go_types *t, uint32_t ref)
{
	struct dwarf_type d;
	bool fresh;
	if (!ref || !t->dwarf || dwarf_type_at(t->dwarf, ref, &d, NULL))
		return 0;
	// Go's linker puts plain typedefs before those that say what it is.
	for (unsigned i = 0; i < TYPEDEFS && !d.go_type && !d.go_kind; i++) {
		if (d.dict_index)
			break;
		if (d.kind != DWARF_TYPEDEF && d.kind != DWARF_QUALIFIER)
			break;
		if (!d.elem || dwarf_type_at(t->dwarf, d.elem, &d, NULL))
			return 0;
		ref = d.ref;
	}
	// A shape stands for many types: that it says *uint8 means "a pointer".
	// Source: cmd/compile/internal/noder/reader.go, shapify (1.18–1.27).
	if (d.dict_index || (d.name && !strncmp(d.name, "go.shape.", 9)))
		return 0;
	go_typeid id = go_type_by_rtype(t, rtype_of(t, &d));
	if (id) {
		if (!t->type[id].die)
			t->type[id].die = ref;
		return id;
	}
	id = typetable_find(t, ref, TYPE_BY_DIE, &fresh);
	if (id && fresh)
		t->type[id].die = ref;
	return id;
}

// kind_of returns reflect.Kind's number for a DWARF type.
static uint8_t kind_of(const struct dwarf_type *d)
{
	if (d->go_kind)
		return d->go_kind & 31;
	switch (d->kind) {
	case DWARF_STRUCT:
	case DWARF_UNION:
		return GO_KIND_STRUCT;
	case DWARF_ARRAY:
		return GO_KIND_ARRAY;
	case DWARF_POINTER:
		return d->elem ? GO_KIND_POINTER : GO_KIND_UNSAFE_POINTER;
	case DWARF_BASE:
	case DWARF_ENUM:
		return d->len == 1 ? GO_KIND_UINT8 :
		       d->len == 2 ? GO_KIND_UINT16 :
		       d->len == 4 ? GO_KIND_UINT32 :
				     GO_KIND_UINT64;
	default:
		return GO_KIND_OPAQUE;
	}
}

// members_fill reads the members of a struct or union.
static bool members_fill(struct go_types *t, struct go_type *r, uint32_t ref)
{
	struct dwarf_members it;
	struct dwarf_member m;
	uint32_t n = 0;
	if (dwarf_members_of(t->dwarf, ref, &it, NULL))
		return false;
	while (n < TYPE_FIELDS_MAX &&
	       dwarf_members_next(&it, &m, NULL) == HC_OK)
		n++;
	uint32_t first = typetable_fields(t, n);
	if (first == UINT32_MAX ||
	    dwarf_members_of(t->dwarf, ref, &it, NULL))
		return false;
	r->first_field = first;
	for (uint32_t i = 0; i < n; i++) {
		if (dwarf_members_next(&it, &m, NULL))
			return false;
		go_typeid type = go_type_by_die(t, m.type);
		t->field[first + i] = (struct go_type_field){
			m.name ? m.name : "", m.off, type, m.embedded
		};
		if (m.off > r->size)
			return false;
	}
	r->n_fields = n;
	return true;
}

bool dietype_fill(struct go_types *t, struct go_type *r)
{
	struct dwarf_type d, stripped;
	if (!t->dwarf || dwarf_type_at(t->dwarf, r->die, &d, NULL))
		return false;
	stripped = d;
	if ((d.kind == DWARF_TYPEDEF || d.kind == DWARF_QUALIFIER) &&
	    dwarf_strip(t->dwarf, r->die, &stripped, NULL))
		return false;
	// An interface's typedef says so; what it is made of is a struct.
	if (d.go_kind)
		stripped.go_kind = d.go_kind;
	r->kind = kind_of(&stripped);
	r->size = stripped.len;
	r->ptr_bytes = r->size & ~UINT64_C(7);
	r->name = d.name;
	r->named = d.name != NULL;
	r->len = stripped.count;
	r->align = 8;
	uint32_t elem = d.value ? d.value : stripped.value;
	if (!elem)
		elem = stripped.elem;
	r->direct = r->kind == GO_KIND_POINTER || r->kind == GO_KIND_MAP ||
		    r->kind == GO_KIND_CHAN || r->kind == GO_KIND_FUNC ||
		    r->kind == GO_KIND_UNSAFE_POINTER;
	if (r->kind == GO_KIND_MAP || r->kind == GO_KIND_CHAN)
		r->size = 8;
	r->elem = go_type_by_die(t, elem);
	r->key = go_type_by_die(t, d.key ? d.key : stripped.key);
	if (r->kind == GO_KIND_INTERFACE && stripped.name)
		r->empty_interface = !strcmp(stripped.name, "runtime.eface");
	if (r->kind != GO_KIND_STRUCT)
		return true;
	return members_fill(t, r, stripped.ref);
}
