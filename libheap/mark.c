// mark.c: everything reachable from the roots gets its live bit.
#include "libheap/crew.h"

#include <time.h>

#define MARK_TRIAL_NS 20000000 // one thread's, of two several have
#define MARK_TURN_NS 400000000 // the faster one's

uint64_t mark_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void mark_root(void *ctx, const struct heap_root *root)
{
	struct marker *m = ctx;
	edge_put(&m->sink, false, root->target, 0, 0);
}

// mark_pairs makes the bits that markers work on: every slot that is not
// allocated counts as seen, so one test answers "new object?".
static struct mark_pair *mark_pairs(const struct heap *heap, struct pool *pool)
{
	struct mark_pair *pair = pool_dense(pool, sizeof(*pair), 64,
					    heap->n_words);
	for (uint32_t w = 0; pair && w < heap->n_words; w++)
		pair[w].seen = ~heap->allocated[w];
	return pair;
}

// speed returns how many pointers were followed in a nanosecond.
static double speed(const struct marker *m, uint64_t edges, uint64_t since)
{
	return (double)(m->edges - edges) /
	       (double)(mark_clock() - since + 1);
}

// mark_turn marks for a while with the crew, then with one thread, and then
// for long with who was faster: on some heaps most pointers lead to another
// thread's pages, and processors may be busy with something else.
// It returns whether the crew ran out of work.
static bool mark_turn(struct marker *m, struct crew *crew)
{
	uint64_t edges = m->edges, start = mark_clock();
	if (crew_run(crew, m, start + 2 * MARK_TRIAL_NS))
		return true;
	double crewed = speed(m, edges, start);
	edges = m->edges;
	start = mark_clock();
	marker_run(m, UINT64_MAX, start + MARK_TRIAL_NS);
	double alone = speed(m, edges, start);
	start = mark_clock();
	if (crewed > alone && marker_waiting(m))
		return crew_run(crew, m, start + MARK_TURN_NS);
	marker_run(m, UINT64_MAX, start + MARK_TURN_NS);
	return false;
}

// mark_waiting marks what is reachable from the regions that wait at m, with
// several threads when there is enough to do for them.
static enum hc mark_waiting(const struct heap *heap, struct marker *m,
			    unsigned threads, struct pool *pool,
			    struct hc_err *err)
{
	unsigned n = crew_size(threads);
	uint64_t enough = n > 1 ? heap->enough : UINT64_MAX;
	struct crew *crew = NULL;
	for (;;) {
		marker_run(m, enough, UINT64_MAX);
		if (!marker_waiting(m))
			return HC_OK;
		if (!crew)
			HC_TRY(crew_open(m, n, pool, &crew, err));
		if (mark_turn(m, crew))
			enough *= 2; // so that starting threads never adds up
	}
}

// struct marking is one run of heap_mark, from its start to its end.
// Owns: its arrays are in scratch; it lies in the heap's pool.
struct marking {
	struct pool scratch;
	struct marker *m;
	struct mark_pair *pair;
};

// marking_open prepares the bits and takes the roots in.
static enum hc marking_open(struct marking *run, const struct heap *heap,
			    struct hc_err *err)
{
	struct pool *pool = &run->scratch;
	run->pair = mark_pairs(heap, pool);
	uint8_t *queued = pool_new(pool, uint8_t, heap->map.n_pages);
	struct marker *m = pool_alloc(pool, sizeof(*m), 64, 1);
	if (!run->pair || !queued || !m)
		return hc_nomem(err);
	HC_TRY(marker_init(m, heap, pool, run->pair, queued, err));
	queued[m->noscan] = 1;
	heap->reader->roots(heap->self, mark_root, m);
	marker_drain(m);
	m->edges = 0; // roots are no edges
	run->m = m;
	return HC_OK;
}

enum hc heap_mark_begin(struct heap *heap, struct hc_err *err)
{
	if (heap->marked || heap->marking || heap->reader->mark)
		return HC_OK;
	struct marking *run = pool_new(heap->pool, struct marking, 1);
	if (!run)
		return hc_nomem(err);
	HC_TRY(scratch_open(heap->pool, &run->scratch, err));
	enum hc got = marking_open(run, heap, err);
	if (got)
		scratch_close(heap->pool, &run->scratch);
	else
		heap->marking = run;
	return got;
}

struct mark_pair *heap_marking(const struct heap *heap)
{
	if (!heap->marking)
		return NULL;
	marker_put_back(heap->marking->m);
	return heap->marking->pair;
}

// mark_end does what is left of what was begun.
static enum hc mark_end(struct heap *heap, struct hc_err *err)
{
	struct marking *run = heap->marking;
	heap->marking = NULL;
	marker_gather(run->m);
	enum hc got = mark_waiting(heap, run->m, heap_threads(heap),
				   &run->scratch, err);
	for (uint32_t w = 0; w < heap->n_words; w++)
		heap->live[w] = run->pair[w].seen & heap->allocated[w];
	heap->edges = run->m->edges;
	scratch_close(heap->pool, &run->scratch);
	return got;
}

enum hc heap_mark(struct heap *heap, struct hc_err *err)
{
	if (heap->marked)
		return HC_OK;
	if (heap->reader->mark) {
		HC_TRY(heap->reader->mark(heap->self, heap->live, err));
		heap->marked = true;
		return HC_OK;
	}
	HC_TRY(heap_mark_begin(heap, err));
	HC_TRY(mark_end(heap, err));
	heap->marked = true;
	heap_tell(heap, "mark", heap->edges, "edges");
	return HC_OK;
}
