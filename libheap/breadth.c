// breadth.c: see breadth.h. The queue is the order itself, and what its next
// members need is fetched in three steps while they wait.
#include "libheap/breadth.h"

#include "libcore/base/fetch.h"

enum { ROW = 24, TARGETS = 16, PLACES = 8, FEW = 4 };

// breadth_fetch asks for what the nodes waiting at a place will need.
FETCHER breadth_fetch(const struct csr *csr, const struct breadth *b,
		      uint32_t at)
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

// breadth_search returns whether every edge and node was where it must be.
static bool breadth_search(const struct csr *csr, struct breadth *b)
{
	uint32_t n_beside = 0;
	b->node[0] = csr->root;
	b->n = 1;
	for (uint32_t at = 0; at < b->n; at++) {
		breadth_fetch(csr, b, at);
		uint32_t v = b->node[at];
		uint64_t end = csr_end(csr, v);
		b->start[at] = n_beside;
		for (uint64_t e = csr_from(csr, v); e < end; e++) {
			uint32_t to = csr->to[e];
			if (b->place[to]) {
				if (n_beside == b->n_beside)
					return false;
				b->beside[n_beside++] = b->place[to];
				continue;
			}
			b->place[to] = b->n;
			b->node[b->n] = to;
			b->parent[b->n++] = at;
		}
	}
	b->start[b->n] = n_beside;
	return b->n == csr->n && n_beside == b->n_beside;
}

enum hc breadth_run(const struct csr *csr, struct pool *pool,
		    struct pool *work, struct breadth *ret, struct hc_err *err)
{
	// As every node is reached, all edges but one for each are beside.
	uint64_t n_beside = csr->n_edges - (csr->n - 1);
	struct breadth b = { .n_beside = (uint32_t)n_beside };
	if (csr->n_edges < csr->n - 1)
		return hc_fail(err, HC_CORRUPT, 0,
			       "objects that were reached are not again");
	if (n_beside >= UINT32_MAX)
		return hc_fail(err, HC_LIMIT, 0,
			       "more than 4294967294 pointers too many");
	b.place = pool_new_dense(pool, uint32_t, csr->n);
	b.node = pool_new_dense(work, uint32_t, csr->n);
	b.parent = pool_new_dense(work, uint32_t, csr->n);
	b.start = pool_new_dense(work, uint32_t, csr->n + UINT64_C(1));
	b.beside = pool_new_dense(work, uint32_t, n_beside + 1);
	if (!b.place || !b.node || !b.parent || !b.start || !b.beside)
		return hc_nomem(err);
	if (!breadth_search(csr, &b))
		return hc_fail(err, HC_CORRUPT, 0,
			       "objects that were reached are not again");
	*ret = b;
	return HC_OK;
}
