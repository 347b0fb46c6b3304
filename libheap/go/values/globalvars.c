// globalvars.c: package variables; see fields.h.
#include "libheap/go/values/fields.h"

#include "libheap/go/roots/roots.h"
#include "libheap/go/values/typetext.h"

#include "libdwarfread/dwarfread.h"

#include <stdlib.h>

#define SCRATCH (UINT64_C(256) << 20)

struct lister {
	struct go_process *process;
	struct pool pool; // asking debug information fills the process's
	heap_global_fn *fn;
	void *ctx;
	struct { VEC(struct dwarf_global); } found;
	taddr last;
	bool stop;
};

static int by_address(const void *x, const void *y)
{
	const struct dwarf_global *a = x, *b = y;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return strcmp(a->name, b->name);
}

// from_dwarf lists all variables that debug information has.
static bool from_dwarf(struct lister *l)
{
	struct go_process *p = l->process;
	struct dwarf *dwarf;
	uint64_t n;
	if (go_dwarf(p, &dwarf) || dwarf_global_count(dwarf, &n, NULL) || !n)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		struct dwarf_global g, *to;
		if (dwarf_global_at(dwarf, i, &g, NULL) || !g.name)
			continue;
		to = vec_push(&l->pool, &l->found);
		if (to)
			*to = g;
	}
	if (l->found.n)
		qsort(l->found.at, l->found.n, sizeof(*l->found.at),
		      by_address);
	const struct core_module *exe = core_exe(p->core);
	for (uint64_t i = 0; i < l->found.n && !l->stop; i++) {
		const struct dwarf_global *g = &l->found.at[i];
		go_typeid type = go_type_by_die(p->types, g->type);
		char *mark = pool_mark(&l->pool);
		struct heap_global out = {
			g->name, go_type_name(p->types, type, &l->pool),
			g->addr + (exe ? exe->bias : 0), g->len
		};
		l->stop = !l->fn(l->ctx, &out);
		pool_rewind(&l->pool, mark);
	}
	return true;
}

// from_root lists a word of data or bss.
static void from_root(void *ctx, const struct heap_root *root)
{
	struct lister *l = ctx;
	struct heap_root_text text;
	struct heap_ref ref;
	char *mark = pool_mark(&l->pool);
	if (l->stop || root->kind != HEAP_ROOT_GLOBAL || root->at == l->last ||
	    heap_find(l->process->heap, root->target, &ref) ||
	    go_root_text(l->process, root, &l->pool, &text, NULL))
		return;
	l->last = root->at;
	// What its target is known to be, when that has a type.
	const char *type = pool_printf(
		&l->pool, "*%s", go_object_type(l->process, ref, &l->pool));
	struct heap_global out = { text.name, type ? type : "unknown",
				   root->at, 8 };
	l->stop = !l->fn(l->ctx, &out);
	pool_rewind(&l->pool, mark);
}

void go_global_variables(struct go_process *process, heap_global_fn *fn,
			 void *ctx)
{
	struct lister l = { .process = process, .fn = fn, .ctx = ctx };
	if (!process->types || pool_open(SCRATCH, &l.pool, NULL))
		return;
	if (!from_dwarf(&l))
		go_roots(process, from_root, &l);
	pool_close(&l.pool);
}
