// breadth.c: see breadth.h. The queue is the order itself, and what its next
// members need is fetched in three steps while they wait.
#include "libheap/breadth.h"

enum { ROW = 24, TARGETS = 16, PLACES = 8, FEW = 4 };

// breadth_fetch asks for what the nodes waiting at a place will need.
static inline void breadth_fetch(const struct csr *csr,
				 const struct breadth *b, uint32_t at)
{
	uint32_t n_scan = csr->nodes.n_scan;
	if (at + ROW < b->n && b->node[at + ROW] < n_scan)
		__builtin_prefetch(&csr->start[b->node[at + ROW]]);
	if (at + TARGETS < b->n && b->node[at + TARGETS] < n_scan)
		__builtin_prefetch(&csr->to[csr->start[b->node[at + TARGETS]]]);
	if (at + PLACES < b->n && b->node[at + PLACES] < n_scan) {
		uint32_t v = b->node[at + PLACES];
		uint64_t from = csr->start[v], end = csr->start[v + 1];
		end = end - from > FEW ? from + FEW : end;
		for (uint64_t e = from; e < end; e++)
			__builtin_prefetch(&b->place[csr->to[e]]);
	}
}

static void breadth_search(struct csr *csr, struct breadth *b)
{
	b->node[0] = csr->root;
	b->n = 1;
	for (uint32_t at = 0; at < b->n; at++) {
		breadth_fetch(csr, b, at);
		uint32_t v = b->node[at];
		uint64_t end = csr_end(csr, v);
		for (uint64_t e = csr_from(csr, v); e < end; e++) {
			uint32_t to = csr->to[e];
			uint32_t place = b->place[to];
			if (place == 0) {
				place = b->n++;
				b->place[to] = place;
				b->node[place] = to;
				b->parent[place] = at;
				place |= EDGE_TREE;
			}
			csr->to[e] = place;
		}
	}
}

enum hc breadth_run(struct csr *csr, struct pool *pool, struct pool *work,
		    struct breadth *ret, struct hc_err *err)
{
	struct breadth b = { 0 };
	b.place = pool_new(pool, uint32_t, csr->n);
	b.node = pool_new(work, uint32_t, csr->n);
	b.parent = pool_new(work, uint32_t, csr->n);
	if (!b.place || !b.node || !b.parent)
		return hc_nomem(err);
	breadth_search(csr, &b);
	if (b.n != csr->n)
		return hc_fail(err, HC_CORRUPT, 0,
			       "%u of %u objects were not reached again",
			       csr->n - b.n, csr->n);
	*ret = b;
	return HC_OK;
}
