// retained.c: what every object and holder retains: the parts in their order.
#include "libheap/retained.h"

enum { AHEAD = 24 };

// Bytes that the work takes at its height: for a node (offset of its row, what
// it retains, places in the search and in the tree), and for an edge.
enum { NODE_BYTES = 40, RESULT_BYTES = 12, EDGE_BYTES = 4 };

static uint64_t scanned_objects(const struct heap *heap)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		if (r->flags & HEAP_NOSCAN)
			continue;
		for (uint32_t w = 0; w < region_words(r); w++)
			n += (uint64_t)__builtin_popcountll(
				heap->live[r->first_word + w]);
	}
	return n;
}

enum hc heap_retained_need(struct heap *heap, uint64_t *ret,
			   struct hc_err *err)
{
	HC_TRY(heap_mark(heap, err));
	*ret = NODE_BYTES * scanned_objects(heap) + EDGE_BYTES * heap->edges +
	       (sizeof(struct node_rank) + sizeof(struct node_seen)) *
		       heap->n_words;
	return HC_OK;
}

// afford fails when the work needs more than there is.
static enum hc afford(const struct heap *heap, uint64_t need,
		      struct hc_err *err)
{
	const struct pool *pool = heap->pool;
	uint64_t left = (uint64_t)(pool->end - pool->next);
	if (need <= left)
		return HC_OK;
	return hc_fail(err, HC_LIMIT, 0,
		       "retained sizes take %" PRIu64 " MB of memory, and %"
		       PRIu64 " MB are left of what is allowed",
		       (need >> 20) + 1, left >> 20);
}

// sweep adds what every node retains to the one above it, from the last place
// to the first: a dominator has a lower place than what it dominates.
static void sweep(struct heap_retained *r, const struct breadth *b,
		  const uint32_t *idom)
{
	for (uint32_t at = b->n; at-- > 1;) {
		if (at > AHEAD) {
			__builtin_prefetch(&r->bytes[b->node[at - AHEAD]]);
			__builtin_prefetch(&r->objects[b->node[at - AHEAD]]);
			__builtin_prefetch(&r->above[b->node[at - AHEAD]], 1);
			__builtin_prefetch(&b->node[idom[at - AHEAD]]);
		}
		uint32_t v = b->node[at], to = b->node[idom[at]];
		r->bytes[to] += r->bytes[v];
		r->objects[to] += r->objects[v];
		r->above[v] = to;
	}
	r->above[r->root] = r->root;
}

// retain_edges reads the edges and searches them; they are not needed again.
static enum hc retain_edges(struct heap *heap, bool garbage,
			    struct heap_retained *r, struct breadth *b,
			    struct pool *work, struct hc_err *err)
{
	struct pool edges;
	struct csr csr;
	HC_TRY(scratch_open(heap->pool, &edges, err));
	enum hc got = csr_open(heap, garbage, heap->pool, &edges, &csr, err);
	if (got == HC_OK) {
		heap_tell(heap, "read the edges", csr.n_edges, "edges");
		*r = (struct heap_retained){
			.heap = heap, .nodes = csr.nodes,
			.n_objects = csr.n_objects,
			.n_holders = csr.n_holders, .n = csr.n,
			.root = csr.root, .bytes = csr.bytes,
			.objects = csr.objects, .holder = csr.holder
		};
		r->work.most = heap->dom_steps * ((uint64_t)csr.n +
						  csr.n_edges);
		got = afford(heap, (NODE_BYTES - RESULT_BYTES) *
					   (uint64_t)csr.n +
					   EDGE_BYTES * csr.n_edges, err);
		if (got == HC_OK)
			got = breadth_run(&csr, heap->pool, work, b, err);
		csr_close(&csr);
	}
	scratch_close(heap->pool, &edges);
	return got;
}

// threads_worth returns how many threads that many nodes are worth.
static unsigned threads_worth(const struct heap *heap, uint32_t n)
{
	uint32_t worth = n / heap->edges_worth + 1;
	return worth < heap_threads(heap) ? worth : heap_threads(heap);
}

// retain_in does the work in a pool of its own.
static enum hc retain_in(struct heap *heap, bool garbage,
			 struct heap_retained *r, struct pool *work,
			 struct hc_err *err)
{
	struct breadth b;
	uint32_t *idom;
	HC_TRY(retain_edges(heap, garbage, r, &b, work, err));
	heap_tell(heap, "search in breadth", b.n, "nodes");
	r->above = b.place;
	HC_TRY(dominators_find(&b, threads_worth(heap, b.n), work, &r->work,
			       &idom, err));
	heap_tell(heap, r->work.lengauer ? "find dominators (twice)" :
					   "find dominators",
		  r->work.steps, "steps");
	sweep(r, &b, idom);
	return HC_OK;
}

struct heap_retained *heap_retained_made(const struct heap *heap, bool garbage)
{
	return heap->retained[garbage];
}

enum hc heap_retain(struct heap *heap, bool garbage,
		    struct heap_retained **ret, struct hc_err *err)
{
	struct pool work;
	uint64_t need;
	HC_TRY(heap_retained_need(heap, &need, err));
	if (heap->retained[garbage]) {
		*ret = heap->retained[garbage];
		return HC_OK;
	}
	if (!garbage)
		HC_TRY(afford(heap, need, err));
	struct heap_retained *r = pool_new(heap->pool, struct heap_retained, 1);
	if (!r)
		return hc_nomem(err);
	HC_TRY(scratch_open(heap->pool, &work, err));
	enum hc got = retain_in(heap, garbage, r, &work, err);
	scratch_close(heap->pool, &work);
	HC_TRY(got);
	*ret = heap->retained[garbage] = r;
	return HC_OK;
}
