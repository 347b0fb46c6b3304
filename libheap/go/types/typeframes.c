// typeframes.c: see typeframes.h.
#include "libheap/go/types/typeframes.h"

#include "libheap/go/stacks/start.h"

#include "libdwarfread/dwarfread.h"

#include "libcore/base/search.h"

#include <stdlib.h>

#define COMPOSE_MAX 256u // bytes of a variable that lies in pieces
#define FUNCS_LOG 14     // functions remembered: 16,384

// struct stackvar is a run of memory that holds part of a variable.
// Shape: mem is the whole variable's value, off where this part is in it.
struct stackvar {
	taddr lo;
	uint64_t len, off;
	const uint8_t *mem;
	go_typeid type;
};

// struct func_vars is what one function has.
struct func_vars {
	taddr entry;
	struct dwarf_var *at;
	uint64_t n;
};

struct go_stackvars {
	VEC(struct stackvar);
};

struct finder {
	struct go_typing *t;
	struct dwarf *dwarf;
	struct pool *pool;
	struct go_stackvars *out;
	struct func_vars *funcs; // by entry, open addressing
	uint64_t n_funcs;
};

// vars_of returns a function's variables, read once.
static const struct func_vars *vars_of(struct finder *f, taddr entry)
{
	uint64_t mask = (UINT64_C(1) << FUNCS_LOG) - 1;
	uint64_t h = entry * UINT64_C(0x9E3779B97F4A7C15) >> (64 - FUNCS_LOG);
	struct dwarf_func fn;
	while (f->funcs[h].entry && f->funcs[h].entry != entry)
		h = (h + 1) & mask;
	struct func_vars *v = &f->funcs[h];
	if (v->entry == entry)
		return v;
	if (f->n_funcs >= mask / 2)
		return NULL;
	f->n_funcs++;
	v->entry = entry;
	if (dwarf_find_func(f->dwarf, entry - f->t->types_bias, &fn, NULL) ||
	    dwarf_func_vars(f->dwarf, fn.ref, f->pool, &v->at, &v->n, NULL))
		v->n = 0;
	return v;
}

static void add(struct finder *f, struct stackvar var)
{
	struct stackvar *one = vec_push(f->pool, f->out);
	if (one)
		*one = var;
	else
		f->t->short_of_memory = true;
}

// add_pieces adds a variable that lies in several places: its value is put
// together from those in memory.
static void add_pieces(struct finder *f, const struct dwarf_location *l,
		       taddr cfa, go_typeid type, uint64_t size)
{
	uint8_t *mem = size <= COMPOSE_MAX ?
			       pool_alloc(f->pool, 1, 8, size) :
			       NULL;
	uint64_t off = 0;
	for (uint32_t i = 0; mem && i < l->n_pieces && off < size; i++) {
		const struct dwarf_piece *p = &l->pieces[i];
		uint64_t len = p->len && p->len < size - off ? p->len :
							       size - off;
		taddr at = cfa + (uint64_t)p->off;
		if (p->place == DWARF_AT_CFA &&
		    !core_read(f->t->process->core, at, mem + off, len, NULL))
			add(f, (struct stackvar){ at, len, off, mem, type });
		off += len;
	}
}

// usual_place finds where in memory a variable is elsewhere in the function. A
// call's registers are spilled there, so that the slot still holds it where
// debug information says that it is nowhere.
static const struct dwarf_location *usual_place(const struct dwarf_var *v)
{
	for (uint32_t i = 0; i < v->n_locations; i++)
		if (v->locations[i].n_pieces &&
		    v->locations[i].pieces[0].place == DWARF_AT_CFA)
			return &v->locations[i];
	return NULL;
}

// add_var adds one variable, if it is in memory at the frame's pc.
static void add_var(struct finder *f, const struct dwarf_var *v, taddr pc,
		    taddr cfa)
{
	const struct dwarf_location *l =
		dwarf_var_at(v, pc - f->t->types_bias);
	if (!l || !l->n_pieces || l->pieces[0].place != DWARF_AT_CFA)
		l = usual_place(v);
	if (!l)
		return;
	go_typeid type = go_type_by_die(f->t->types, v->type);
	const struct go_type *r = go_type_get(f->t->types, type);
	const uint8_t *mem;
	if (!r->size || !r->ptr_bytes)
		return;
	taddr at = cfa + (uint64_t)l->pieces[0].off;
	if (l->n_pieces > 1)
		add_pieces(f, l, cfa, type, r->size);
	else if (l->pieces[0].place == DWARF_AT_CFA &&
		 !core_view(f->t->process->core, at, r->size, &mem, NULL))
		add(f, (struct stackvar){ at, r->size, 0, mem, type });
}

// add_goroutine adds the variables of one goroutine's frames.
static void add_goroutine(struct finder *f, uint32_t i)
{
	const struct go_process *p = f->t->process;
	struct go_start start;
	struct go_unwind u;
	struct go_g g;
	if (go_g_open(p, i, &g, NULL) || go_start_of(p, &g, &start))
		return;
	go_walk_goroutine(p, &g, &start, &u);
	while (go_unwind_next(&u)) {
		const struct func_vars *v = vars_of(f, u.frame.at->fn.entry);
		taddr look = go_frame_look(&u.frame);
		for (uint64_t k = 0; v && k < v->n; k++)
			add_var(f, &v->at[k], look, u.frame.fp);
	}
}

// var_compare puts parts in address order, the larger variable first.
static int var_compare(const void *x, const void *y)
{
	const struct stackvar *a = x, *b = y;
	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->len != b->len)
		return a->len > b->len ? -1 : 1;
	return (a->type > b->type) - (a->type < b->type);
}

enum hc go_stackvars_find(struct go_typing *t, struct pool *pool,
			  struct go_stackvars **ret, struct hc_err *err)
{
	struct finder f = { .t = t, .pool = pool };
	f.out = pool_new(pool, struct go_stackvars, 1);
	f.funcs = pool_new(pool, struct func_vars, 1u << FUNCS_LOG);
	if (!f.out || !f.funcs)
		return hc_nomem(err);
	*ret = f.out;
	if (go_dwarf(t->process, &f.dwarf))
		return HC_OK;
	for (uint32_t i = 0; i < t->process->threads->n_gs; i++)
		add_goroutine(&f, i);
	if (f.out->n)
		qsort(f.out->at, f.out->n, sizeof(*f.out->at), var_compare);
	return HC_OK;
}

bool go_stackvars_word(struct go_typing *t, const struct go_stackvars *vars,
		       taddr at)
{
	uint64_t low = search_while(i, vars->n, vars->at[i].lo <= at);
	// A short look back: variables of inlined calls may share a slot.
	for (unsigned i = 0; i < 8 && low > 0; i++) {
		const struct stackvar *v = &vars->at[--low];
		if (at - v->lo < v->len &&
		    go_typing_word(t, v->type, v->mem, v->off + (at - v->lo)))
			return true;
	}
	return false;
}
