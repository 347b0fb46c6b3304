// preds.c: see preds.h. Count, add up, fill.
#include "libheap/preds.h"

#include "libheap/breadth.h"

enum { AHEAD = 32 };

// preds_count counts the edges beside the tree, by target, one place ahead.
static uint64_t preds_count(const struct csr *csr, uint32_t *start)
{
	uint64_t n = 0;
	for (uint64_t e = 0; e < csr->n_edges; e++) {
		if (e + AHEAD < csr->n_edges)
			__builtin_prefetch(
				&start[csr->to[e + AHEAD] & ~EDGE_TREE]);
		if (csr->to[e] & EDGE_TREE)
			continue;
		start[csr->to[e] + 2]++;
		n++;
	}
	return n;
}

// preds_fill puts each source where its target's next one belongs.
static void preds_fill(const struct csr *csr, const uint32_t *place,
		       const struct preds *preds)
{
	for (uint32_t v = 0; v < csr->n; v++) {
		if (v == csr->nodes.n_scan)
			v = csr->n_objects; // leaves have no edges
		uint64_t end = csr_end(csr, v);
		for (uint64_t e = csr_from(csr, v); e < end; e++) {
			uint32_t ahead = e + AHEAD < csr->n_edges ?
						 csr->to[e + AHEAD] :
						 EDGE_TREE;
			if (!(ahead & EDGE_TREE))
				__builtin_prefetch(&preds->start[ahead + 1]);
			if (csr->to[e] & EDGE_TREE)
				continue;
			preds->from[preds->start[csr->to[e] + 1]++] = place[v];
		}
	}
}

enum hc preds_open(const struct csr *csr, const uint32_t *place,
		   struct pool *work, struct preds *ret, struct hc_err *err)
{
	struct preds preds = { .start = pool_new(work, uint32_t,
						 csr->n + UINT64_C(2)) };
	if (!preds.start)
		return hc_nomem(err);
	preds.n = preds_count(csr, preds.start);
	if (preds.n > UINT32_MAX)
		return hc_fail(err, HC_LIMIT, 0,
			       "more than 4294967295 edges beside a tree");
	preds.from = pool_new(work, uint32_t, preds.n + 1);
	if (!preds.from)
		return hc_nomem(err);
	for (uint32_t v = 0; v <= csr->n; v++)
		preds.start[v + 1] += preds.start[v];
	preds_fill(csr, place, &preds);
	*ret = preds;
	return HC_OK;
}
