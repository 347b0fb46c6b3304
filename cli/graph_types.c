// graph_types.c: see graph_types.h: finding nodes and edges.
#include "cli/graph_types.h"

#include "cli/intern.h"
#include "cli/types.h"

#include <stdlib.h>
#include <string.h>

// struct finder makes a type_graph.
// Shape: node_of has the node of each type number; table is a hash table of
//        cap edges, a power of two, those with a count in use.
struct finder {
	struct session *s;
	struct type_graph *g;
	uint32_t *node_of;
	struct type_edge *table;
	uint64_t cap;
	bool full;
};

// struct numbered is a type number on its way to a node.
struct numbered {
	struct type_node node;
	uint32_t number, rank;
};

static int by_name(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int order = strcmp(x->node.name, y->node.name);
	return order ? order : x->number < y->number ? -1 : 1;
}

static int by_bytes(const void *a, const void *b)
{
	const struct type_node *x = a, *y = b;
	if (x->count.bytes != y->count.bytes)
		return x->count.bytes > y->count.bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

// number_types lists the types that live objects have.
static enum hc number_types(struct finder *f, struct numbered **ret,
			    uint32_t *ret_n)
{
	struct session *s = f->s;
	uint32_t n = types_count(s->types), used = 0;
	struct heap_count *count = pool_new(&s->pool, struct heap_count,
					    (uint64_t)n + 1);
	struct numbered *at = pool_new(&s->pool, struct numbered,
				       (uint64_t)n + 1);
	f->node_of = pool_new(&s->pool, uint32_t, (uint64_t)n + 1);
	if (!count || !at || !f->node_of)
		return hc_nomem(&s->err);
	heap_type_counts(s->heap, heap_live(s->heap), NULL, 0, count, n);
	for (uint32_t i = 0; i < n; i++) {
		if (!count[i].objects)
			continue;
		const char *name = f->g->by_package ? types_package(s, i) :
						      types_name(s, i);
		at[used++] = (struct numbered){ { name, count[i] }, i, 0 };
	}
	*ret = at;
	*ret_n = used;
	return HC_OK;
}

// rank_of finds a name among nodes; the last one takes what is not there.
static uint32_t rank_of(const struct type_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_nodes; i++)
		if (strcmp(g->nodes[i].name, name) == 0)
			return i;
	return g->n_nodes - 1;
}

// find_nodes merges types of one name, and those beyond max.
static enum hc find_nodes(struct finder *f, uint64_t max)
{
	struct type_graph *g = f->g;
	struct numbered *at;
	uint32_t n;
	HC_TRY(number_types(f, &at, &n));
	g->nodes = pool_new(&f->s->pool, struct type_node, (uint64_t)n + 1);
	if (!g->nodes)
		return hc_nomem(&f->s->err);
	qsort(at, n, sizeof(*at), by_name);
	for (uint32_t i = 0; i < n; i++) {
		struct type_node *to = &g->nodes[g->n_nodes];
		if (i && strcmp(at[i].node.name, at[i - 1].node.name) == 0) {
			to[-1].count.objects += at[i].node.count.objects;
			to[-1].count.bytes += at[i].node.count.bytes;
		} else {
			*to = at[i].node;
			g->n_nodes++;
		}
	}
	qsort(g->nodes, g->n_nodes, sizeof(*g->nodes), by_bytes);
	if (g->n_nodes > max) {
		struct type_node *rest = &g->nodes[max - 1];
		for (uint32_t i = (uint32_t)max; i < g->n_nodes; i++) {
			rest->count.objects += g->nodes[i].count.objects;
			rest->count.bytes += g->nodes[i].count.bytes;
		}
		rest->name = "all others";
		g->n_nodes = (uint32_t)max;
	}
	for (uint32_t i = 0; i < n; i++) {
		bool same = i && strcmp(at[i].node.name,
					at[i - 1].node.name) == 0;
		at[i].rank = same ? at[i - 1].rank :
				    rank_of(g, at[i].node.name);
		f->node_of[at[i].number] = at[i].rank;
	}
	return HC_OK;
}

static uint32_t node_at(const struct finder *f, struct heap_ref ref)
{
	return f->node_of[heap_type_of(f->s->heap, ref)];
}

// place finds where an edge is in a table or belongs.
static struct type_edge *place(struct type_edge *table, uint64_t cap,
			       uint32_t from, uint32_t to)
{
	uint64_t i = hash_mix(from, to) & (cap - 1);
	while (table[i].count && (table[i].from != from || table[i].to != to))
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static bool grow(struct finder *f)
{
	uint64_t cap = f->cap ? 2 * f->cap : 1024;
	struct type_edge *table = pool_new(&f->s->pool, struct type_edge, cap);
	for (uint64_t i = 0; table && i < f->cap; i++)
		if (f->table[i].count)
			*place(table, cap, f->table[i].from,
			       f->table[i].to) = f->table[i];
	if (table) {
		f->table = table;
		f->cap = cap;
	}
	return table != NULL;
}

static void on_edge(void *ctx, struct heap_ref from, uint64_t offset,
		    struct heap_ref to)
{
	struct finder *f = ctx;
	(void)offset;
	if (f->full)
		return;
	if (2 * f->g->n_edges >= f->cap && !grow(f)) {
		f->full = true;
		return;
	}
	uint32_t a = node_at(f, from), b = node_at(f, to);
	struct type_edge *e = place(f->table, f->cap, a, b);
	if (!e->count++) {
		e->from = a;
		e->to = b;
		f->g->n_edges++;
	}
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct finder *f = ctx;
	struct heap_ref to;
	if (root->kind < HEAP_N_ROOT_KINDS &&
	    heap_find(f->s->heap, root->target, &to) == HC_OK)
		f->g->roots[node_at(f, to) * HEAP_N_ROOT_KINDS +
			    root->kind]++;
}

static int by_ends(const void *a, const void *b)
{
	const struct type_edge *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

// find_edges counts the words of all live objects.
static enum hc find_edges(struct finder *f)
{
	size_t n;
	struct session *s = f->s;
	struct type_graph *g = f->g;
	const struct heap_region *r = heap_regions(s->heap, &n);
	const uint64_t *live = heap_live(s->heap);
	struct graph_scan scan = { .heap = s->heap, .edge = on_edge,
				   .ctx = f };
	for (size_t i = 0; i < n; i++)
		if (!(r[i].flags & HEAP_NOSCAN))
			graph_scan_region(&scan, (uint32_t)i,
					  live + r[i].first_word);
	if (f->full)
		return hc_nomem(&s->err);
	uint64_t used = 0;
	for (uint64_t i = 0; i < f->cap; i++)
		if (f->table[i].count)
			f->table[used++] = f->table[i];
	g->edges = f->table;
	if (used)
		qsort(g->edges, used, sizeof(*g->edges), by_ends);
	return HC_OK;
}

enum hc graph_types_find(struct session *s, bool by_package, uint64_t max,
			 struct type_graph *ret)
{
	HC_TRY(types_open(s));
	*ret = (struct type_graph){ .s = s, .by_package = by_package };
	struct finder f = { .s = s, .g = ret };
	HC_TRY(find_nodes(&f, max ? max : 1));
	ret->roots = pool_new(&s->pool, uint64_t,
			      (uint64_t)HEAP_N_ROOT_KINDS * ret->n_nodes + 1);
	if (!ret->roots)
		return hc_nomem(&s->err);
	if (ret->n_nodes)
		s->reader->roots(s->self, on_root, &f);
	HC_TRY(find_edges(&f));
	session_phase(s, "count edges by type", ret->n_edges, "edges");
	return HC_OK;
}
