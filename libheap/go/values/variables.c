// variables.c: see variables.h. Symbols of data and bss, sorted once.
#include "libheap/go/values/variables.h"

#include "libcore/base/search.h"

#include <elf.h>
#include <stdlib.h>

// struct go_variables is made at the first question.
// Shape: ascending and disjoint: of symbols that overlap the first is kept.
struct go_variables {
	struct { VEC(struct go_variable); } list;
};

// struct gather takes in the symbols of one module's file.
struct gather {
	struct go_process *process;
	struct go_variables *to;
	taddr bias;
	bool full;
};

static bool in_data(const struct go_process *p, taddr at)
{
	for (size_t i = 0; i < p->n_modules; i++) {
		const struct go_module *m = &p->modules[i];
		if ((at >= m->data && at < m->edata) ||
		    (at >= m->bss && at < m->ebss))
			return true;
	}
	return false;
}

static bool take_symbol(void *ctx, const struct objfile_symbol *symbol)
{
	struct gather *g = ctx;
	taddr at = symbol->addr + g->bias;
	if (symbol->type == STT_SECTION || symbol->len == 0 ||
	    symbol->len > UINT64_MAX - at || !in_data(g->process, at))
		return true;
	struct go_variable *v = vec_push(g->process->pool, &g->to->list);
	if (v)
		*v = (struct go_variable){ at, symbol->len, symbol->name };
	g->full = !v;
	return !g->full;
}

static int by_address(const void *a, const void *b)
{
	const struct go_variable *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return strcmp(x->name, y->name);
}

// sort brings the list in order. Of those that overlap the first goes on to
// where the next begins.
static void sort(struct go_variables *v)
{
	struct go_variable *at = v->list.at;
	size_t kept = 0;
	qsort(at, v->list.n, sizeof(*at), by_address);
	for (size_t i = 1; i < v->list.n; i++) {
		if (at[i].at == at[kept].at)
			continue;
		if (at[i].at - at[kept].at < at[kept].len)
			at[kept].len = at[i].at - at[kept].at;
		at[++kept] = at[i];
	}
	v->list.n = kept + 1;
}

// before returns how many of n variables begin at or below an address.
static size_t before(const struct go_variable *v, size_t n, taddr at)
{
	return search_while(i, n, v[i].at <= at);
}

// add_pointed adds the unnamed data that variables of one word point to, up
// to the next variable.
static void add_pointed(struct go_process *p, struct go_variables *v)
{
	size_t named = v->list.n;
	unsigned word = core_info(p->core)->word;
	for (size_t i = 0; i < named; i++) {
		taddr to = 0;
		struct go_variable from = v->list.at[i], *more;
		if (from.len != word || core_ptr(p->core, from.at, &to, NULL) ||
		    !in_data(p, to))
			continue;
		size_t k = before(v->list.at, named, to);
		const struct go_variable *below = k ? &v->list.at[k - 1] : NULL;
		taddr end = k < named ? v->list.at[k].at : to + word;
		if (below && to - below->at < below->len)
			continue; // a variable itself
		const char *name = pool_printf(p->pool, "*%s", from.name);
		more = name ? vec_push(p->pool, &v->list) : NULL;
		if (more)
			*more = (struct go_variable){ to, end - to, name };
	}
}

static struct go_variables *read_all(struct go_process *p)
{
	size_t n;
	const struct core_module *modules = core_modules(p->core, &n);
	struct go_variables *v = pool_new(p->pool, struct go_variables, 1);
	struct gather g = { .process = p, .to = v };
	for (size_t i = 0; v && i < n && !g.full; i++) {
		g.bias = modules[i].bias;
		if (modules[i].file)
			objfile_each_symbol(modules[i].symbols, take_symbol, &g);
	}
	if (!v || g.full || v->list.n == 0)
		return v;
	sort(v);
	add_pointed(p, v);
	sort(v);
	return v;
}

enum hc go_variable_at(struct go_process *process, taddr at,
		       struct go_variable *ret)
{
	if (!process->variables)
		process->variables = read_all(process);
	const struct go_variables *v = process->variables;
	size_t low = v ? before(v->list.at, v->list.n, at) : 0;
	if (low == 0 || at - v->list.at[low - 1].at >= v->list.at[low - 1].len)
		return HC_NONE;
	*ret = v->list.at[low - 1];
	return HC_OK;
}
