// search.c: see search.h. Keeps 12 bytes for each object that is met: with a
// goal, of those before it that have pointers.
#include "libheap/search.h"

enum { BATCH = 64, AHEAD = 6 };

struct entry {
	struct page_hit hit;
	uint32_t from;
};

// struct search is the work under way.
// Shape: met[0 .. n_first) are reached by roots; those below `next` have been
//        scanned. goal_at is the goal's index once it is met; without one
//        (all) it never is.
struct search {
	const struct heap *heap;
	struct pool *pool;
	uint64_t *seen;   // also set for slots that are no object
	uint64_t *single; // all zero but for the object being scanned
	struct page_hit goal;
	bool all;
	uint64_t goal_at;
	bool full;
	uint32_t from; // of the targets in the sink
	uint64_t roots, n_first, next;
	struct { VEC(struct heap_met); } met;
	uint32_t n_entries;
	struct edge_sink sink;
	taddr target[BATCH];
	struct entry entry[2 * BATCH];
};

static void meet(struct search *s, const struct entry *e)
{
	bool goal = e->hit.word == s->goal.word && e->hit.bit == s->goal.bit;
	if (e->hit.noscan && !goal && !s->all)
		return;
	struct heap_met *met = s->met.n < UINT32_MAX ? vec_push(s->pool, &s->met) :
						  NULL;
	if (!met) {
		s->full = true;
		return;
	}
	*met = (struct heap_met){ heap_hit_ref(s->heap, e->hit), e->from };
	if (goal)
		s->goal_at = s->met.n - 1;
}

// search_test takes in the entries: whatever is new is met.
static void search_test(struct search *s)
{
	for (uint32_t i = 0; i < s->n_entries; i++) {
		const struct entry *e = &s->entry[i];
		uint64_t bit = UINT64_C(1) << e->hit.bit;
		if (s->seen[e->hit.word] & bit)
			continue;
		s->seen[e->hit.word] |= bit;
		meet(s, e);
	}
	s->n_entries = 0;
}

static void search_look_up(struct search *s)
{
	if (s->n_entries > BATCH)
		search_test(s);
	for (uint32_t i = 0; i < s->sink.n; i++) {
		struct page_hit hit = pagemap_find(&s->heap->map, s->target[i]);
		__builtin_prefetch(&s->seen[hit.word], 1);
		s->entry[s->n_entries] = (struct entry){ hit, s->from };
		s->n_entries += hit.any;
	}
	s->sink.n = 0;
}

static void search_flush(struct edge_sink *sink)
{
	search_look_up(sink->ctx);
}

static void search_root(void *ctx, const struct heap_root *root)
{
	struct search *s = ctx;
	s->from = s->roots < UINT32_MAX ? (uint32_t)s->roots : UINT32_MAX;
	s->roots++;
	edge_put(&s->sink, false, root->target, 0, 0);
	search_look_up(s);
}

// search_scan looks at the next object that was met.
static void search_scan(struct search *s)
{
	const struct heap *heap = s->heap;
	struct heap_ref ref = s->met.at[s->next].object;
	if (s->next + AHEAD < s->met.n) {
		struct heap_ref soon = s->met.at[s->next + AHEAD].object;
		if (heap->bytes[soon.region])
			__builtin_prefetch(heap->bytes[soon.region] +
					   heap->regions[soon.region].slot *
						   soon.slot);
	}
	s->from = (uint32_t)s->next++;
	s->single[ref.slot / 64] = UINT64_C(1) << (ref.slot % 64);
	heap_scan(heap, ref.region, s->single, &s->sink);
	s->single[ref.slot / 64] = 0;
	search_look_up(s);
}

// search_open begins a search for the goal, or for everything when it is NULL.
static enum hc search_open(struct search *s, const struct heap *heap,
			   const struct heap_ref *goal, struct pool *pool,
			   struct hc_err *err)
{
	uint32_t words = heap->n_words;
	s->heap = heap;
	s->pool = pool;
	s->all = !goal;
	if (goal)
		s->goal = (struct page_hit){
			.word = heap->regions[goal->region].first_word +
				goal->slot / 64,
			.bit = goal->slot % 64
		};
	s->goal_at = UINT64_MAX;
	s->seen = pool_new(pool, uint64_t, words);
	s->single = pool_new(pool, uint64_t, most_words(heap));
	if (!s->seen || !s->single)
		return hc_nomem(err);
	for (uint32_t w = 0; w < words; w++)
		s->seen[w] = ~heap->allocated[w];
	s->sink = (struct edge_sink){ .target = s->target, .cap = BATCH,
				      .flush = search_flush, .ctx = s };
	return HC_OK;
}

// search_trail walks from the goal back to a root.
static enum hc search_trail(const struct search *s, struct trail *ret,
			    struct hc_err *err)
{
	struct trail trail = { .n = 1 };
	uint64_t at = s->goal_at;
	for (uint64_t i = at; i >= s->n_first; i = s->met.at[i].from)
		trail.n++;
	trail.object = pool_new(s->pool, struct heap_ref, trail.n);
	if (!trail.object)
		return hc_nomem(err);
	for (size_t i = trail.n; i-- > 0; at = s->met.at[at].from) {
		trail.object[i] = s->met.at[at].object;
		trail.root = s->met.at[at].from;
	}
	*ret = trail;
	return HC_OK;
}

// search_run goes on until the goal is met, or everything.
static void search_run(struct search *s)
{
	const struct heap *heap = s->heap;
	heap->reader->roots(heap->self, search_root, s);
	search_test(s);
	s->n_first = s->met.n;
	while (s->goal_at == UINT64_MAX && !s->full && s->next < s->met.n) {
		search_scan(s);
		if (s->n_entries >= BATCH || s->next == s->met.n)
			search_test(s);
	}
}

enum hc search_path(const struct heap *heap, struct heap_ref goal,
		    struct pool *pool, struct trail *ret, struct hc_err *err)
{
	struct search *s = pool_new(pool, struct search, 1);
	if (!s)
		return hc_nomem(err);
	HC_TRY(search_open(s, heap, &goal, pool, err));
	search_run(s);
	if (s->goal_at != UINT64_MAX)
		return search_trail(s, ret, err);
	return s->full ? hc_nomem(err) : HC_NONE;
}

enum hc heap_reach(struct heap *heap, struct pool *pool,
		   struct heap_met **ret, size_t *ret_n, size_t *ret_first,
		   struct hc_err *err)
{
	struct search *s = pool_new(pool, struct search, 1);
	if (!s)
		return hc_nomem(err);
	HC_TRY(search_open(s, heap, NULL, pool, err));
	search_run(s);
	if (s->full)
		return hc_nomem(err);
	*ret = s->met.at;
	*ret_n = s->met.n;
	*ret_first = s->n_first;
	return HC_OK;
}
