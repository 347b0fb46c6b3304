// lengauer.c: see dominators.h. Nearly linear whatever the graph.
// Source: Lengauer, Tarjan, "A Fast Algorithm for Finding Dominators in a
// Flowgraph", 1979: the simple version, with path compression.
#include "libheap/dominators.h"

#include <string.h>

// struct depth is a search in depth over the places of the one in breadth.
// Shape: num[place] counts from 0 at the root; at[num] is its reverse, parent
//        is by num. done[num] is how many edges of a row were looked at; the
//        memory serves as labels afterwards.
struct depth {
	uint32_t *num, *at, *parent, *done;
};

// depth_search numbers all nodes; the way back up is parent.
static void depth_search(struct csr *csr, const struct breadth *b,
			 struct depth *d)
{
	uint32_t top = 0, n = 1;
	while (true) {
		uint32_t v = b->node[d->at[top]];
		uint64_t from = csr_from(csr, v), end = csr_end(csr, v);
		uint64_t e = from + d->done[top];
		uint32_t to = 0;
		for (; e < end; e++) {
			to = csr->to[e] & ~EDGE_TREE;
			if (d->num[to] == 0 && to != 0)
				break;
		}
		if (e < end) {
			d->done[top] = (uint32_t)(e + 1 - from);
			csr->to[e] |= EDGE_TREE;
			d->num[to] = n;
			d->at[n] = to;
			d->parent[n] = top;
			top = n++;
		} else if (top == 0) {
			return;
		} else {
			top = d->parent[top];
		}
	}
}

// depth_relabel makes numbers of this search out of the places in csr->to.
static void depth_relabel(struct csr *csr, const struct depth *d)
{
	for (uint64_t e = 0; e < csr->n_edges; e++)
		csr->to[e] = (csr->to[e] & EDGE_TREE) |
			     d->num[csr->to[e] & ~EDGE_TREE];
}

// struct forest is the linked part of the tree: all numbers from `linked` on.
// Shape: up is the parent, later an ancestor; best the number with the lowest
//        semidominator on the way there; path is room for eval.
struct forest {
	uint32_t *up, *best, *semi, *path;
	uint32_t linked;
	uint64_t steps;
};

// eval returns the number with the lowest semidominator on v's way up to the
// end of its tree, and shortens that way.
static uint32_t eval(struct forest *f, uint32_t v)
{
	uint32_t n = 0;
	if (v < f->linked)
		return v;
	while (f->up[v] >= f->linked) {
		f->path[n++] = v;
		v = f->up[v];
	}
	f->steps += n + UINT64_C(1);
	for (uint32_t above = v; n; above = v) {
		v = f->path[--n];
		if (f->semi[f->best[above]] < f->semi[f->best[v]])
			f->best[v] = f->best[above];
		f->up[v] = f->up[above];
	}
	return f->best[v];
}

// struct buckets keep the numbers whose semidominator is still to be linked.
struct buckets {
	uint32_t *head, *next;
};

// settle gives the numbers that wait at `at` their dominators, or the number
// that has the same one.
static void settle(struct forest *f, struct buckets *k, uint32_t at,
		   uint32_t *idom)
{
	for (uint32_t v = k->head[at]; v;) {
		uint32_t next = k->next[v], u = eval(f, v);
		idom[v] = f->semi[u] < f->semi[v] ? u : at;
		v = next;
	}
	k->head[at] = 0;
}

static void lengauer(struct forest *f, struct buckets *k,
		     const struct preds *preds, uint32_t n, uint32_t *idom)
{
	for (uint32_t v = 0; v < n; v++)
		f->semi[v] = f->best[v] = v;
	f->linked = n;
	for (uint32_t v = n - 1; v > 0; v--) {
		uint32_t parent = f->up[v], semi = parent;
		uint32_t end = preds->start[v + 1];
		for (uint32_t i = preds->start[v]; i < end; i++) {
			uint32_t u = f->semi[eval(f, preds->from[i])];
			semi = u < semi ? u : semi;
		}
		f->semi[v] = semi;
		k->next[v] = k->head[semi];
		k->head[semi] = v;
		f->linked = v;
		settle(f, k, parent, idom);
	}
	idom[0] = 0;
	for (uint32_t v = 1; v < n; v++)
		if (idom[v] != f->semi[v])
			idom[v] = idom[idom[v]];
}

enum hc lengauer_find(struct csr *csr, struct breadth *b,
		      struct pool *work_csr, struct pool *work,
		      struct dominators *dom, struct hc_err *err)
{
	uint32_t n = csr->n;
	struct preds preds;
	struct depth d = { .num = pool_new(work, uint32_t, n),
			   .at = pool_new(work, uint32_t, n),
			   .parent = pool_new(work, uint32_t, n),
			   .done = pool_new(work, uint32_t, n) };
	if (!d.num || !d.at || !d.parent || !d.done)
		return hc_nomem(err);
	for (uint64_t e = 0; e < csr->n_edges; e++)
		csr->to[e] &= ~EDGE_TREE;
	depth_search(csr, b, &d);
	depth_relabel(csr, &d);
	// Sources are looked up by node: give each its number.
	for (uint32_t v = 0; v < n; v++)
		b->place[v] = d.num[b->place[v]];
	HC_TRY(preds_open(csr, b->place, work, &preds, err));
	for (uint32_t v = 0; v < n; v++)
		b->place[v] = d.at[b->place[v]];
	pool_close(work_csr);
	struct buckets k = { .head = pool_new(work, uint32_t, n),
			     .next = pool_new(work, uint32_t, n) };
	struct forest f = { .up = d.parent, .best = d.done, .semi = d.num,
			    .path = pool_new(work, uint32_t, n) };
	if (!k.head || !k.next || !f.path)
		return hc_nomem(err);
	uint32_t *idom = b->parent, *by_place = f.path;
	lengauer(&f, &k, &preds, n, idom);
	dom->more_steps = f.steps;
	for (uint32_t v = 0; v < n; v++)
		by_place[d.at[v]] = d.at[idom[v]];
	memcpy(b->parent, by_place, n * sizeof(*by_place));
	return HC_OK;
}
