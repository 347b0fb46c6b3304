// lengauer.c: see dominators.h. Nearly linear whatever the graph.
// Source: Lengauer, Tarjan, "A Fast Algorithm for Finding Dominators in a
// Flowgraph", 1979: the simple version, with path compression.
#include "libheap/dominators.h"
#include "libheap/preds.h"

#include <string.h>

// struct depth is a search in depth over the places of the one in breadth.
// Shape: num[place] counts from 0 at the root; at[num] is its reverse, parent
//        is by num. next[place] is how many edges were looked at, children in
//        the other tree first: those of a place begin at child[place].
struct depth {
	uint32_t *num, *at, *parent, *next, *child;
};

// depth_edge sets *ret to where the k-th edge of a place leads; false when it
// has no more.
static inline bool depth_edge(const struct breadth *b, const struct depth *d,
			      uint32_t v, uint32_t k, uint32_t *ret)
{
	uint32_t n = d->child[v + 1] - d->child[v];
	if (k < n) {
		*ret = d->child[v] + k;
		return true;
	}
	if (k - n >= b->start[v + 1] - b->start[v])
		return false;
	*ret = b->beside[b->start[v] + (k - n)];
	return true;
}

// depth_search numbers all nodes; the way back up is parent.
static void depth_search(const struct breadth *b, struct depth *d)
{
	uint32_t top = 0, n = 1;
	while (true) {
		uint32_t v = d->at[top], to = 0;
		bool more;
		while ((more = depth_edge(b, d, v, d->next[v], &to))) {
			d->next[v]++;
			if (d->num[to] == 0 && to != 0)
				break;
		}
		if (more) {
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

// depth_children finds where the children of each place begin: parents ascend.
static void depth_children(const struct breadth *b, uint32_t *child)
{
	uint32_t c = 1;
	for (uint32_t v = 0; v < b->n; v++) {
		child[v] = c;
		while (c < b->n && b->parent[c] == v)
			c++;
	}
	child[b->n] = c;
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

enum hc lengauer_find(const struct breadth *b, struct pool *work,
		      struct dominators *dom, uint32_t *idom,
		      struct hc_err *err)
{
	uint32_t n = b->n;
	struct preds preds;
	struct depth d = { .num = pool_new_dense(work, uint32_t, n),
			   .at = pool_new_dense(work, uint32_t, n),
			   .parent = pool_new_dense(work, uint32_t, n),
			   .next = pool_new_dense(work, uint32_t, n),
			   .child = pool_new_dense(work, uint32_t,
					     n + UINT64_C(1)) };
	if (!d.num || !d.at || !d.parent || !d.next || !d.child)
		return hc_nomem(err);
	depth_children(b, d.child);
	depth_search(b, &d);
	HC_TRY(preds_open(b, d.num, d.parent, work, &preds, err));
	// What the search used serves again.
	struct buckets k = { .head = pool_new_dense(work, uint32_t, n),
			     .next = d.child };
	struct forest f = { .up = d.parent, .best = d.next, .semi = d.num,
			    .path = pool_new_dense(work, uint32_t, n) };
	if (!k.head || !f.path)
		return hc_nomem(err);
	lengauer(&f, &k, &preds, n, idom);
	dom->more_steps = f.steps;
	uint32_t *by_place = f.path;
	for (uint32_t v = 0; v < n; v++)
		by_place[d.at[v]] = d.at[idom[v]];
	memcpy(idom, by_place, n * sizeof(*by_place));
	return HC_OK;
}
