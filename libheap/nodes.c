// nodes.c: see nodes.h.
#include "libheap/nodes.h"

#include "libcore/base/search.h"

// nodes_count numbers the nodes of all regions of one kind.
static enum hc nodes_count(struct nodes *nodes, uint32_t flags,
			   struct hc_err *err)
{
	const struct heap *heap = nodes->heap;
	uint64_t n = nodes->n;
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		if ((r->flags & HEAP_NOSCAN) != flags)
			continue;
		for (uint32_t w = 0; w < region_words(r); w++) {
			struct node_rank *rank = &nodes->rank[r->first_word + w];
			rank->before = (uint32_t)n;
			n += (uint64_t)__builtin_popcountll(rank->bits);
			if (n >= NODE_LIMIT)
				return hc_fail(err, HC_LIMIT, 0,
					       "more than 2147483647 objects");
		}
	}
	nodes->n = (uint32_t)n;
	return HC_OK;
}

// nodes_order lists the regions as nodes are numbered.
static void nodes_order(struct nodes *nodes)
{
	const struct heap *heap = nodes->heap;
	uint32_t n = 0;
	for (uint32_t i = 0; i < heap->n_regions; i++)
		if (!(heap->regions[i].flags & HEAP_NOSCAN))
			nodes->order[n++] = i;
	for (uint32_t i = 0; i < heap->n_regions; i++)
		if (heap->regions[i].flags & HEAP_NOSCAN)
			nodes->order[n++] = i;
}

enum hc nodes_open(const struct heap *heap, const uint64_t *in,
		   struct pool *pool, struct nodes *ret, struct hc_err *err)
{
	struct nodes nodes = { .heap = heap, .in = in };
	nodes.rank = pool_dense(pool, sizeof(*nodes.rank), 64, heap->n_words);
	nodes.order = pool_new(pool, uint32_t, heap->n_regions + UINT64_C(1));
	if (!nodes.rank || !nodes.order)
		return hc_nomem(err);
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		for (uint32_t w = 0; w < region_words(r); w++) {
			struct node_rank *rank = &nodes.rank[r->first_word + w];
			rank->bits = in[r->first_word + w];
			rank->region = i;
		}
	}
	nodes_order(&nodes);
	HC_TRY(nodes_count(&nodes, 0, err));
	nodes.n_scan = nodes.n;
	*ret = nodes;
	return HC_OK;
}

enum hc nodes_leaves(struct nodes *nodes, const struct node_seen *seen,
		     struct hc_err *err)
{
	const struct heap *heap = nodes->heap;
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		if (!(r->flags & HEAP_NOSCAN))
			continue;
		for (uint32_t k = 0; k < region_words(r); k++) {
			uint32_t w = r->first_word + k;
			nodes->rank[w].bits = nodes->in[w] &
					      (seen[w].twice | ~seen[w].once);
		}
	}
	return nodes_count(nodes, HEAP_NOSCAN, err);
}

uint32_t node_of(const struct nodes *nodes, struct heap_ref ref)
{
	const struct heap_region *r = &nodes->heap->regions[ref.region];
	return node_at(nodes, r->first_word + ref.slot / 64, ref.slot % 64);
}

struct heap_ref node_ref(const struct nodes *nodes, uint32_t node)
{
	const struct heap *heap = nodes->heap;
	const struct node_rank *rank = nodes->rank;
	// The last region, then the last word, that begins at or below node
	// holds it: those behind it that are empty begin above.
	const struct heap_region *regions = heap->regions;
	const uint32_t *order = nodes->order;
	uint32_t region = order[search_while(
		i, heap->n_regions - 1,
		rank[regions[order[i + 1]].first_word].before <= node)];
	const struct heap_region *r = &regions[region];
	const struct node_rank *own = rank + r->first_word;
	uint32_t low = r->first_word +
		       (uint32_t)search_while(i, region_words(r) - 1,
					      own[i + 1].before <= node);
	uint64_t bits = rank[low].bits;
	for (uint32_t skip = node - rank[low].before; skip; skip--)
		bits &= bits - 1;
	return (struct heap_ref){ region,
				  (low - r->first_word) * 64 +
					  (uint32_t)__builtin_ctzll(bits) };
}
