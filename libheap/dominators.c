// dominators.c: see dominators.h. The iteration.
// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
#include "libheap/dominators.h"

#include <string.h>

enum { AHEAD = 16 };

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

// iterate goes over all places once. In the first pass a predecessor of a
// higher place has no dominator yet, and is left for the next.
// Returns whether anything changed.
static bool iterate(const struct preds *preds, const struct breadth *b,
		    uint32_t *idom, bool first, struct dominators *d)
{
	bool changed = false;
	for (uint32_t v = 1; v < b->n && d->steps <= d->most; v++) {
		uint32_t i = preds->start[v], end = preds->start[v + 1];
		if (i == end) // only its parent leads to it
			continue;
		uint32_t to = meet(idom, idom[v], b->parent[v], &d->steps);
		for (; i < end && to && d->steps <= d->most; i++) {
			if (i + AHEAD < preds->n)
				__builtin_prefetch(
					&idom[preds->from[i + AHEAD]]);
			uint32_t from = preds->from[i];
			d->steps++;
			if (!first || from < v)
				to = meet(idom, to, from, &d->steps);
		}
		changed |= to != idom[v];
		idom[v] = to;
	}
	return changed;
}

enum hc dominators_find(struct csr *csr, struct breadth *b,
			struct pool *work_csr, struct pool *work,
			struct dominators *d, struct hc_err *err)
{
	struct preds preds;
	char *mark = pool_mark(work);
	HC_TRY(preds_open(csr, b->place, work, &preds, err));
	uint32_t *idom = pool_new(work, uint32_t, b->n);
	if (!idom)
		return hc_nomem(err);
	memcpy(idom, b->parent, b->n * sizeof(*idom));
	bool first = true, more = true;
	for (; more && d->steps <= d->most; first = false)
		more = iterate(&preds, b, idom, first, d) || first;
	if (d->steps <= d->most) {
		memcpy(b->parent, idom, b->n * sizeof(*idom));
		return HC_OK;
	}
	d->lengauer = true;
	pool_rewind(work, mark);
	return lengauer_find(csr, b, work_csr, work, d, err);
}
