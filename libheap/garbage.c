// garbage.c: see garbage.h.
//
// Beginnings that are seen at once: nothing points to them. What they do not
// reach hangs on rings. Taking any object not yet reached, then the next, may
// take one that a later one reaches too; in reverse order, whatever an
// earlier one (of those taken later) reaches is dropped again. A ring that
// nothing else leads to keeps exactly the one that was taken first in it.
#include "libheap/garbage.h"

#include <string.h>

// struct reach marks what is reachable from some nodes.
struct reach {
	const struct csr *csr;
	uint64_t *met;
	uint32_t *stack;
};

// reach_from marks node v and all behind it; false when it was met before.
static bool reach_from(struct reach *r, uint32_t v)
{
	uint32_t n = 0;
	if (r->met[v / 64] >> (v % 64) & 1)
		return false;
	r->met[v / 64] |= UINT64_C(1) << (v % 64);
	r->stack[n++] = v;
	while (n) {
		v = r->stack[--n];
		uint64_t end = csr_end(r->csr, v);
		for (uint64_t e = csr_from(r->csr, v); e < end; e++) {
			uint32_t to = r->csr->to[e];
			uint64_t bit = UINT64_C(1) << (to % 64);
			if (r->met[to / 64] & bit)
				continue;
			r->met[to / 64] |= bit;
			r->stack[n++] = to;
		}
	}
	return true;
}

// put_firsts appends the nodes that nothing points to.
static uint64_t put_firsts(struct csr *csr, const struct node_seen *seen,
			   uint64_t n)
{
	const struct nodes *nodes = &csr->nodes;
	for (uint32_t i = 0; i < csr->heap->n_regions; i++) {
		const struct heap_region *r =
			&csr->heap->regions[nodes->order[i]];
		for (uint32_t k = 0; k < region_words(r); k++) {
			uint32_t w = r->first_word + k;
			uint64_t bits = nodes->rank[w].bits & ~seen[w].once;
			for (; bits; bits &= bits - 1)
				csr->to[n++] = node_at(
					nodes, w,
					(unsigned)__builtin_ctzll(bits));
		}
	}
	return n;
}

enum hc garbage_heads(struct csr *csr, const struct node_seen *seen,
		      struct pool *work, struct hc_err *err)
{
	uint64_t words = csr->n / 64 + UINT64_C(1), n = csr->n_edges;
	struct reach r = { .csr = csr };
	if (!csr_room(csr, csr->n))
		return hc_nomem(err);
	uint32_t *to = csr->to;
	r.met = pool_new(work, uint64_t, words);
	r.stack = pool_new_dense(work, uint32_t, csr->n);
	if (!r.met || !r.stack)
		return hc_nomem(err);
	csr->head[0] = n;
	uint64_t firsts = put_firsts(csr, seen, n);
	for (uint64_t i = n; i < firsts; i++)
		reach_from(&r, to[i]);
	uint64_t end = firsts, kept = firsts;
	for (uint32_t v = 0; v < csr->n_objects; v++)
		if (reach_from(&r, v))
			to[end++] = v;
	memset(r.met, 0, words * sizeof(*r.met));
	for (uint64_t i = n; i < firsts; i++)
		reach_from(&r, to[i]);
	// The kept ones, last taken first, gather at the end of the taken.
	uint64_t low = end;
	for (uint64_t i = end; i > firsts; i--)
		if (reach_from(&r, to[i - 1]))
			to[--low] = to[i - 1];
	for (; low < end; low++)
		to[kept++] = to[low];
	csr->n_edges = csr->head[1] = kept;
	return HC_OK;
}
