// preds.c: see preds.h. Count, add up, fill.
#include "libheap/preds.h"

// put counts the edge, or with from puts its source where its target's next
// one belongs.
static inline void put(struct preds *p, const uint32_t *num,
		       const uint32_t *parent, uint32_t from, uint32_t to)
{
	uint32_t v = num[to];
	if (parent[v] == num[from] || v == 0)
		return;
	if (p->from) {
		p->from[p->start[v + 1]++] = num[from];
	} else {
		p->start[v + 2]++;
		p->n++;
	}
}

static void each_edge(const struct breadth *b, struct preds *p,
		      const uint32_t *num, const uint32_t *parent)
{
	for (uint32_t v = 1; v < b->n; v++)
		put(p, num, parent, b->parent[v], v);
	for (uint32_t v = 0; v < b->n; v++)
		for (uint32_t i = b->start[v]; i < b->start[v + 1]; i++)
			put(p, num, parent, v, b->beside[i]);
}

enum hc preds_open(const struct breadth *b, const uint32_t *num,
		   const uint32_t *parent, struct pool *work,
		   struct preds *ret, struct hc_err *err)
{
	struct preds p = { .start = pool_new_dense(work, uint32_t,
					     b->n + UINT64_C(2)) };
	if (!p.start)
		return hc_nomem(err);
	each_edge(b, &p, num, parent);
	if (p.n > UINT32_MAX)
		return hc_fail(err, HC_LIMIT, 0,
			       "more than 4294967295 pointers too many");
	uint32_t *from = pool_new_dense(work, uint32_t, p.n + 1);
	if (!from)
		return hc_nomem(err);
	for (uint32_t v = 0; v <= b->n; v++)
		p.start[v + 1] += p.start[v];
	p.from = from;
	each_edge(b, &p, num, parent);
	*ret = p;
	return HC_OK;
}
