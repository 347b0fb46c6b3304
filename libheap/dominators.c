// dominators.c: see dominators.h. The iteration, edge by edge: an edge from u
// to w says that w's dominator is u or above. One pass over all edges, then
// what follows from each change, until a pass changes nothing.
// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
#include "libheap/dominators.h"

#include <string.h>

enum { AHEAD = 24, ROW = 16, TARGETS = 8, FEW = 4 };

// struct iteration is its state.
// Shape: queue is a ring of places whose dominator has changed, each in it at
//        most once (queued).
struct iteration {
	const struct breadth *b;
	struct dominators *d;
	uint32_t *idom, *queue;
	uint64_t *queued;
	uint32_t tail, n; // where the ring begins, how many wait
};

// meet returns the nearest common ancestor of two places; an ancestor has a
// lower place than its children.
static inline uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b,
			    uint64_t *steps)
{
	while (a != b) {
		++*steps;
		if (a > b)
			a = idom[a];
		else
			b = idom[b];
	}
	return a;
}

// ring_at returns the index of the k-th that waits, k <= n.
static inline uint32_t ring_at(const struct iteration *it, uint32_t k)
{
	uint32_t left = it->b->n - it->tail;
	return k < left ? it->tail + k : k - left;
}

static void enqueue(struct iteration *it, uint32_t v)
{
	uint64_t bit = UINT64_C(1) << (v % 64);
	if (it->queued[v / 64] & bit)
		return;
	it->queued[v / 64] |= bit;
	it->queue[ring_at(it, it->n++)] = v;
}

// relax takes the edge from u to w into account. Returns whether that changed
// anything.
static inline bool relax(struct iteration *it, uint32_t u, uint32_t w)
{
	uint32_t old = it->idom[w];
	it->d->steps++;
	if (old == 0 || old == u)
		return false;
	it->idom[w] = meet(it->idom, old, u, &it->d->steps);
	return it->idom[w] != old;
}

// pass looks at every edge. What changes behind the place it is at, or
// anywhere in later passes, is to be followed.
static void pass(struct iteration *it, bool first)
{
	const struct breadth *b = it->b;
	const uint32_t *idom = it->idom;
	for (uint32_t u = 0; u < b->n && it->d->steps <= it->d->most; u++) {
		// The edge from the parent, unless that is the dominator.
		if (u && relax(it, b->parent[u], u))
			enqueue(it, u);
		for (uint32_t i = b->start[u]; i < b->start[u + 1]; i++) {
			if (i + AHEAD < b->n_beside)
				__builtin_prefetch(&idom[b->beside[i + AHEAD]],
						   1);
			uint32_t w = b->beside[i];
			if (relax(it, u, w) && (!first || w <= u))
				enqueue(it, w);
		}
	}
}

// fetch asks for what places in the queue will need.
static inline void fetch(const struct iteration *it)
{
	const struct breadth *b = it->b;
	if (it->n > ROW)
		__builtin_prefetch(&b->start[it->queue[ring_at(it, ROW)]]);
	if (it->n > TARGETS) {
		uint32_t v = it->queue[ring_at(it, TARGETS)];
		__builtin_prefetch(&b->beside[b->start[v]]);
	}
	if (it->n > FEW) {
		uint32_t v = it->queue[ring_at(it, FEW)];
		uint32_t from = b->start[v], end = b->start[v + 1];
		end = end - from > FEW ? from + FEW : end;
		for (uint32_t i = from; i < end; i++)
			__builtin_prefetch(&it->idom[b->beside[i]], 1);
	}
}

// follow looks at the edges of all that changed. A child in the tree that
// still has its parent as dominator is as it was; others are looked at by the
// next pass.
static void follow(struct iteration *it)
{
	const struct breadth *b = it->b;
	while (it->n && it->d->steps <= it->d->most) {
		fetch(it);
		uint32_t u = it->queue[it->tail];
		it->tail = ring_at(it, 1);
		it->n--;
		it->queued[u / 64] &= ~(UINT64_C(1) << (u % 64));
		for (uint32_t i = b->start[u]; i < b->start[u + 1]; i++)
			if (relax(it, u, b->beside[i]))
				enqueue(it, b->beside[i]);
	}
}

enum hc dominators_find(const struct breadth *b, struct pool *work,
			struct dominators *d, uint32_t **ret_idom,
			struct hc_err *err)
{
	uint32_t *idom = pool_new_dense(work, uint32_t, b->n);
	char *mark = pool_mark(work);
	struct iteration it = { .b = b, .d = d, .idom = idom };
	it.queue = pool_new_dense(work, uint32_t, b->n);
	it.queued = pool_new(work, uint64_t, b->n / 64 + UINT64_C(1));
	if (!idom || !it.queue || !it.queued)
		return hc_nomem(err);
	memcpy(idom, b->parent, b->n * sizeof(*idom));
	pass(&it, true);
	do {
		follow(&it);
		pass(&it, false);
	} while (it.n && d->steps <= d->most);
	d->lengauer = d->steps > d->most;
	pool_rewind(work, mark);
	if (d->lengauer)
		HC_TRY(lengauer_find(b, work, d, idom, err));
	*ret_idom = idom;
	return HC_OK;
}
