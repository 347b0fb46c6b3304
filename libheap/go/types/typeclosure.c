// typeclosure.c: see typeclosure.h.
#include "libheap/go/types/typeclosure.h"

#include "libheap/go/types/typeshape.h"

#include "libdwarfread/dwarfread.h"

#define CAPTURED_MAX 256u // variables of one closure

// struct captor is a closure's function as debug information has it, and the
// fields that it was found to have captured.
struct captor {
	struct go_typing *t;
	struct dwarf_var *at;
	uint64_t n; // 0 when there is no debug information
	struct go_type_field field[CAPTURED_MAX];
	uint32_t n_fields;
};

static void captor_read(struct captor *c, taddr code)
{
	struct go_typing *t = c->t;
	struct dwarf *dwarf;
	struct dwarf_func fn;
	if (!code || go_dwarf(t->process, &dwarf) ||
	    dwarf_find_func(dwarf, code - t->types_bias, &fn, NULL) ||
	    dwarf_func_vars(dwarf, fn.ref, &t->scratch, &c->at, &c->n, NULL))
		c->n = 0;
}

static void captor_add(struct captor *c, const char *name, uint64_t off,
		       go_typeid type)
{
	if (type && c->n_fields < CAPTURED_MAX)
		c->field[c->n_fields++] =
			(struct go_type_field){ name, off, type, false };
}

// by_dwarf takes the captured variables that debug information places.
static void by_dwarf(struct captor *c)
{
	for (uint64_t i = 0; i < c->n; i++)
		if (c->at[i].closure_off && !c->at[i].inlined)
			captor_add(c, c->at[i].name ? c->at[i].name : "",
				   c->at[i].closure_off - 1,
				   go_type_by_die(c->t->types, c->at[i].type));
}

// by_method takes the receiver of a method value, "main.(*T).Get-fm" or
// "main.T.Get-fm": the word behind the code, or T itself there.
static void by_method(struct captor *c, taddr code)
{
	struct go_typing *t = c->t;
	struct go_func fn;
	if (go_func_at(t->process, code, &fn))
		return;
	size_t n = strlen(fn.name);
	const char *dot = strrchr(fn.name, '.');
	if (n < 4 || strcmp(fn.name + n - 3, "-fm") || !dot || dot == fn.name)
		return;
	const char *open = strstr(fn.name, ".(*");
	bool pointer = open && open + 3 < dot && dot[-1] == ')';
	int head = (int)((pointer ? open : dot) - fn.name);
	int tail = pointer ? (int)(dot - 1 - (open + 3)) : 0;
	const char *name = pool_printf(&t->scratch, "%.*s%s%.*s", head, fn.name,
				       pointer ? "." : "", tail,
				       pointer ? open + 3 : "");
	go_typeid receiver = name ? go_type_named(t->types, name) : 0;
	if (receiver && pointer)
		receiver = go_type_pointer_to(t->types, receiver);
	captor_add(c, "receiver", 8, receiver);
}

// captures says whether a function has a variable of a type: what a closure
// keeps was a variable of the function around it, and is one of its own.
static bool captures(const struct captor *c, go_typeid type)
{
	for (uint64_t i = 0; i < c->n; i++)
		if (go_type_by_die(c->t->types, c->at[i].type) == type)
			return true;
	return false;
}

// fits says whether all that a closure type holds can be the function's.
static bool fits(void *ctx, const struct go_type *type)
{
	const struct captor *c = ctx;
	for (uint32_t i = 1; c->n && i < type->n_fields; i++)
		if (!captures(c, go_type_field_at(c->t->types, type, i)->type))
			return false;
	return true;
}

// outer_code returns the entry of the function that a wrapper made for a `go`
// or `defer` statement stands in ("main.f.deferwrap1" in main.f), 0 if none.
static taddr outer_code(struct go_typing *t, taddr code)
{
	struct go_func fn, outer;
	if (go_func_at(t->process, code, &fn))
		return 0;
	const char *dot = strrchr(fn.name, '.');
	const char *name = dot ? pool_copy(&t->scratch, fn.name,
					   (uint64_t)(dot - fn.name)) :
				 NULL;
	return name && !go_func_named(t->process, name, &outer) ? outer.entry :
								   0;
}

// by_shape takes the fields of the only closure type of this mask that fits
// the function, or for wrappers without variables the function around them.
static void by_shape(struct captor *c, taddr code, taddr at, uint64_t len)
{
	struct go_typing *t = c->t;
	struct heap_ref ref;
	if (heap_find(t->process->heap, at, &ref))
		return;
	if (!c->n)
		captor_read(c, outer_code(t, code));
	const struct go_type *r = go_type_get(
		t->types,
		go_shape_closure(t->shapes, len,
				 go_object_mask(t->process, ref.region,
						ref.slot),
				 fits, c));
	for (uint32_t i = 1; i < r->n_fields; i++) {
		const struct go_type_field *f =
			go_type_field_at(t->types, r, i);
		captor_add(c, f->name, f->off, f->type);
	}
}

// outer_has says whether the function around a closure's has a variable of this
// name and type.
static bool outer_has(const struct captor *outer, const struct dwarf_var *v)
{
	for (uint64_t i = 0; i < outer->n; i++)
		if (outer->at[i].type == v->type && outer->at[i].name &&
		    !strcmp(outer->at[i].name, v->name))
			return true;
	return false;
}

// by_name takes the only variable that a function shares with the one around
// it: up to Go 1.22 debug information places none, and the types of closures
// that live on stacks are in no descriptor. One that was captured by reference
// has a name that begins with '&'.
static void by_name(struct captor *c, taddr code)
{
	struct go_typing *t = c->t;
	struct captor *outer = pool_new(&t->scratch, struct captor, 1);
	const struct dwarf_var *found = NULL;
	unsigned n = 0;
	if (!outer)
		return;
	outer->t = t;
	captor_read(outer, outer_code(t, code));
	for (uint64_t i = 0; i < c->n; i++) {
		const struct dwarf_var *v = &c->at[i];
		if (v->inlined || !v->name ||
		    (v->name[0] != '&' && !outer_has(outer, v)))
			continue;
		found = v;
		n++;
	}
	go_typeid type = n == 1 ? go_type_by_die(t->types, found->type) : 0;
	if (go_type_get(t->types, type)->size == 8)
		captor_add(c, found->name, 8, type);
}

// learn finds out what closures of one function have captured. len is 0 for one
// that is not in the heap.
static void learn(struct go_typing *t, go_typeid id, taddr code, taddr at,
		  uint64_t len)
{
	char *mark = pool_mark(&t->scratch);
	struct captor *c = pool_new(&t->scratch, struct captor, 1);
	if (c) {
		c->t = t;
		captor_read(c, code);
		by_dwarf(c);
		if (!c->n_fields)
			by_method(c, code);
		if (!c->n_fields && len)
			by_shape(c, code, at, len);
		if (!c->n_fields && (!len || len == 16))
			by_name(c, code);
	}
	// One on a stack may have nothing to show while others in the heap do.
	if (len || (c && c->n_fields))
		go_type_learn(t->types, id, c ? c->field : NULL,
			      c ? c->n_fields : 0);
	pool_rewind(&t->scratch, mark);
}

void go_typing_captured(struct go_typing *t, go_typeid id, const uint8_t *mem,
			taddr at, uint64_t len)
{
	const struct go_type *type = go_type_get(t->types, id);
	if (!type->learned)
		learn(t, id, type->rtype, at, len);
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct go_type_field *f =
			go_type_field_at(t->types, type, i);
		uint64_t size = go_type_get(t->types, f->type)->size;
		if (size && f->off <= len && size <= len - f->off)
			go_typing_scan(t, mem + f->off, at + f->off, f->type,
				       1);
	}
}

bool go_typing_stack_closure(struct go_typing *t, taddr at)
{
	for (uint64_t back = 8; back <= 64; back += 8) {
		struct go_func fn;
		const uint8_t *mem;
		taddr code;
		if (core_u64(t->process->core, at - back, &code, NULL) ||
		    go_func_at(t->process, code, &fn) || fn.entry != code ||
		    core_view(t->process->core, at - back, back + 8, &mem,
			      NULL))
			continue;
		go_typeid id = go_type_special(t->types, GO_KIND_CLOSURE, 0,
					       code);
		const struct go_type *type = go_type_get(t->types, id);
		if (!type->learned)
			learn(t, id, code, at - back, 0);
		for (uint32_t i = 0; i < type->n_fields; i++) {
			const struct go_type_field *f =
				go_type_field_at(t->types, type, i);
			uint64_t size = go_type_get(t->types, f->type)->size;
			if (f->off <= back && back - f->off < size &&
			    f->off + size <= back + 8)
				return go_typing_word(t, f->type, mem + f->off,
						      back - f->off);
		}
		return false;
	}
	return false;
}
