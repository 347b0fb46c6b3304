// csr.c: see csr.h. Once the edges are read (edgepass.h), leaves that stay get
// their numbers and the others are folded.
#include "libheap/csr.h"

#include "libheap/edgepass.h"
#include "libheap/garbage.h"

enum { MORE = 1 << 18 };

bool csr_room(struct csr *csr, uint64_t more)
{
	if (csr->to && csr->room - csr->n_edges >= more)
		return true;
	uint64_t room = csr->n_edges + more + MORE;
	uint32_t *to = pool_grow(&csr->rows, csr->to, sizeof(*to), sizeof(*to),
				 csr->room, room);
	if (!to)
		return false;
	csr->to = to;
	csr->room = room;
	return true;
}

// csr_sizes sets what every object has of its own.
static void csr_sizes(struct csr *csr)
{
	const struct nodes *nodes = &csr->nodes;
	for (uint32_t i = 0; i < csr->heap->n_regions; i++) {
		const struct heap_region *r = &csr->heap->regions[i];
		for (uint32_t w = 0; w < region_words(r); w++) {
			const struct node_rank *rank =
				&nodes->rank[r->first_word + w];
			uint32_t v = rank->before;
			uint32_t n = (uint32_t)__builtin_popcountll(rank->bits);
			for (uint32_t k = 0; k < n; k++) {
				csr->bytes[v + k] = r->slot;
				csr->objects[v + k] = 1;
			}
		}
	}
}

// settle_part appends the rows of one part: leaves get their numbers, or are
// folded into their owners. In the first part that is done in place.
static void settle_part(struct csr *csr, const struct edge_part *p)
{
	const struct nodes *nodes = &csr->nodes;
	const uint32_t *from = p->to;
	uint32_t *to = csr->to;
	uint64_t n = csr->n_edges, at = 0;
	for (uint32_t v = p->first; v < p->end; v++) {
		uint64_t end = v + 1 < p->end ? csr->start[v + 1] : p->n;
		csr->start[v] = n;
		for (; at < end; at++) {
			uint32_t t = from[at];
			if (t & EDGE_LEAF) {
				uint32_t word = (t & ~EDGE_LEAF) / 64;
				t = node_at(nodes, word, t % 64);
				if (t == NODE_NONE) {
					csr->bytes[v] += csr->heap->regions
						[nodes->rank[word].region].slot;
					csr->objects[v]++;
					continue;
				}
			}
			to[n++] = t;
		}
	}
	csr->n_edges = n;
}

// csr_count sets how many nodes there are.
static void csr_count(struct csr *csr, const struct holders *holders)
{
	for (uint64_t i = 0; i < holders->holds.n; i++)
		csr->n_holders += i == 0 || holders->holds.at[i].key !=
						    holders->holds.at[i - 1].key;
	csr->n_objects = csr->nodes.n;
	csr->root = csr->n_objects + csr->n_holders;
	csr->n = csr->root + 1;
}

// csr_heads appends the edges of holders and root.
static enum hc csr_heads(struct csr *csr, const struct holders *holders,
			 struct hc_err *err)
{
	uint32_t h = 0;
	if (!csr_room(csr, holders->targets.n + csr->n_holders))
		return hc_nomem(err);
	for (uint64_t i = 0; i < holders->holds.n; i++) {
		const struct hold *hold = &holders->holds.at[i];
		if (i == 0 || hold->key != hold[-1].key) {
			csr->head[h] = csr->n_edges;
			csr->holder[h++] = hold->root;
		}
		for (uint64_t k = 0; k < hold->n; k++) {
			struct page_hit hit =
				holders->targets.at[hold->first + k];
			csr->to[csr->n_edges++] =
				node_at(&csr->nodes, hit.word, hit.bit);
		}
	}
	csr->head[h] = csr->n_edges;
	for (uint32_t i = 0; i < csr->n_holders; i++)
		csr->to[csr->n_edges++] = csr->n_objects + i;
	csr->head[h + 1] = csr->n_edges;
	return HC_OK;
}

// csr_settle puts the parts together, in the memory of the first.
static enum hc csr_settle(struct csr *csr, struct edge_part *parts, unsigned n,
			  struct hc_err *err)
{
	csr->rows = parts[0].own;
	csr->to = parts[0].to;
	csr->room = parts[0].room;
	parts[0].own = (struct pool){ 0 };
	for (unsigned k = 0; k < n; k++) {
		if (k && !csr_room(csr, parts[k].n))
			return hc_nomem(err);
		settle_part(csr, &parts[k]);
		pool_close(&parts[k].own);
	}
	csr->start[csr->nodes.n_scan] = csr->n_edges;
	return HC_OK;
}

// csr_nodes decides which leaves are nodes, and makes what nodes have.
static enum hc csr_nodes(struct csr *csr, const struct holders *holders,
			 struct node_seen *seen, struct pool *pool,
			 struct hc_err *err)
{
	for (uint64_t i = 0; i < holders->targets.n; i++) {
		edge_see(seen, holders->targets.at[i]);
		edge_see(seen, holders->targets.at[i]);
	}
	HC_TRY(nodes_leaves(&csr->nodes, seen, err));
	csr_count(csr, holders);
	if (csr->n >= NODE_LIMIT)
		return hc_fail(err, HC_LIMIT, 0, "more than 2147483647 nodes");
	csr->bytes = pool_new_dense(pool, uint64_t, csr->n);
	csr->objects = pool_new_dense(pool, uint32_t, csr->n);
	csr->holder = pool_new(pool, struct heap_root,
			       csr->n_holders + UINT64_C(1));
	if (!csr->bytes || !csr->objects || !csr->holder)
		return hc_nomem(err);
	csr_sizes(csr);
	return HC_OK;
}

// csr_read makes rows of what the reader gives, and the heads.
static enum hc csr_read(struct csr *csr, bool garbage, struct pool *pool,
			struct pool *work, struct hc_err *err)
{
	struct holders holders = { .heap = csr->heap };
	struct edge_part *parts;
	unsigned n;
	if (!garbage)
		HC_TRY(holders_read(csr->heap, work, &holders, err));
	csr->start = pool_new_dense(work, uint64_t,
				    csr->nodes.n_scan + UINT64_C(1));
	csr->head = pool_new(work, uint64_t, holders.holds.n + 2);
	if (!csr->start || !csr->head)
		return hc_nomem(err);
	HC_TRY(edge_parts_run(csr, garbage, work, &parts, &n, err));
	struct node_seen *seen = parts[0].seen;
	enum hc got = csr_nodes(csr, &holders, seen, pool, err);
	if (got == HC_OK)
		got = csr_settle(csr, parts, n, err);
	edge_parts_close(parts, n);
	HC_TRY(got);
	return garbage ? garbage_heads(csr, seen, work, err) :
			 csr_heads(csr, &holders, err);
}

// csr_in returns the bitmap of the objects asked about.
static const uint64_t *csr_in(const struct heap *heap, bool garbage,
			      struct pool *pool)
{
	if (!garbage)
		return heap->live;
	uint64_t *in = pool_new(pool, uint64_t, heap->n_words);
	for (uint32_t w = 0; in && w < heap->n_words; w++)
		in[w] = heap->allocated[w] & ~heap->live[w];
	return in;
}

enum hc csr_open(struct heap *heap, bool garbage, struct pool *pool,
		 struct pool *work, struct csr *ret, struct hc_err *err)
{
	struct csr csr = { .heap = heap };
	const uint64_t *in = csr_in(heap, garbage, pool);
	if (!in)
		return hc_nomem(err);
	if (heap->n_words > EDGE_LEAF / 64)
		return hc_fail(err, HC_LIMIT, 0, "more than 2147483648 slots");
	HC_TRY(nodes_open(heap, in, pool, &csr.nodes, err));
	enum hc got = csr_read(&csr, garbage, pool, work, err);
	if (got)
		csr_close(&csr);
	else
		*ret = csr;
	return got;
}

void csr_close(struct csr *csr)
{
	pool_close(&csr->rows);
}
