// mark.c: everything reachable from the roots gets its live bit.
#include "libheap/crew.h"

static void mark_root(void *ctx, const struct heap_root *root)
{
	struct marker *m = ctx;
	edge_put(&m->sink, false, root->target, 0, 0);
}

// mark_pairs makes the bits that markers work on: every slot that is not
// allocated counts as seen, so one test answers "new object?".
static struct mark_pair *mark_pairs(const struct heap *heap, struct pool *pool)
{
	struct mark_pair *pair = pool_alloc(pool, sizeof(*pair), 64,
					    heap->n_words);
	for (uint32_t w = 0; pair && w < heap->n_words; w++)
		pair[w].seen = ~heap->allocated[w];
	return pair;
}

// mark_waiting marks what is reachable from the regions that wait at m, with
// several threads when there is enough to do for them and as long as it pays.
static enum hc mark_waiting(const struct heap *heap, struct marker *m,
			    struct pool *pool, struct hc_err *err)
{
	unsigned n = crew_size(heap);
	uint64_t enough = n > 1 ? heap->enough : UINT64_MAX;
	struct pace alone = { 0, pace_now() };
	struct crew *crew = NULL;
	for (;;) {
		marker_run(m, enough);
		if (!marker_waiting(m))
			return HC_OK;
		if (!crew) {
			alone.edges = m->edges;
			alone.ns = pace_now() - alone.ns;
			HC_TRY(crew_open(m, n, pool, &crew, err));
		}
		if (crew_run(crew, m, alone))
			enough *= 2; // so that starting threads never adds up
		else
			enough = UINT64_MAX;
	}
}

static enum hc mark_all(struct heap *heap, struct pool *pool,
			struct hc_err *err)
{
	struct mark_pair *pair = mark_pairs(heap, pool);
	uint8_t *queued = pool_new(pool, uint8_t, heap->map.n_pages);
	struct marker *m = pool_alloc(pool, sizeof(*m), 64, 1);
	if (!pair || !queued || !m)
		return hc_nomem(err);
	HC_TRY(marker_init(m, heap, pool, pair, queued, err));
	queued[m->noscan] = 1;
	heap->reader->roots(heap->self, mark_root, m);
	marker_drain(m);
	m->edges = 0; // roots are no edges
	HC_TRY(mark_waiting(heap, m, pool, err));
	for (uint32_t w = 0; w < heap->n_words; w++)
		heap->live[w] = pair[w].seen & heap->allocated[w];
	heap->edges = m->edges;
	return HC_OK;
}

enum hc heap_mark(struct heap *heap, struct hc_err *err)
{
	if (heap->marked)
		return HC_OK;
	struct pool pool;
	HC_TRY(scratch_open(heap->pool, &pool, err));
	enum hc got = mark_all(heap, &pool, err);
	scratch_close(heap->pool, &pool);
	HC_TRY(got);
	heap->marked = true;
	heap_tell(heap, "mark", heap->edges, "edges");
	return HC_OK;
}
