// ways.c: see ways.h. The search for ways_find: best first, forwards from the
// roots, with the exact distance that is left as its guide.
#include "libheap/ways.h"
#include "libheap/one.h"

// What a search may cost where it leaves the shortest ways: objects looked
// at, comparisons against repeating one, and partial ways kept.
enum { MAX_DETOURS = 1 << 20, MAX_COMPARED = 1 << 28, MAX_WAYS = 1 << 24 };

#define NO_WAY UINT32_MAX

// struct way is a partial way: its last object and how it came there.
// Units: done and left count edges behind it and, at best, before it; least is
//        the smallest left of all its objects.
// Shape: offset lies in the object of the way `before`; for NO_WAY it is the
//        index of the lead instead.
struct way {
	struct heap_ref object;
	uint64_t offset;
	uint32_t before, done, left, least;
};

// struct ways_search is the work under way.
// Shape: queue is a binary heap of indexes into way[], best on top.
struct ways_search {
	const struct goal *goal;
	struct pool *pool;
	struct one one;
	struct { VEC(struct way); } way;
	struct { VEC(uint32_t); } queue;
	uint32_t at; // the way being extended
	uint64_t detours, compared;
	bool full;
};

// better orders by the length the whole way will have at best, then by what
// is left, then by age.
static bool better(const struct ways_search *s, uint32_t a, uint32_t b)
{
	const struct way *x = &s->way.at[a], *y = &s->way.at[b];
	uint64_t all_x = (uint64_t)x->done + x->left;
	uint64_t all_y = (uint64_t)y->done + y->left;
	if (all_x != all_y)
		return all_x < all_y;
	return x->left != y->left ? x->left < y->left : a < b;
}

static void way_push(struct ways_search *s, struct way way)
{
	if (s->way.n >= MAX_WAYS)
		return;
	struct way *at = vec_push(s->pool, &s->way);
	uint32_t *up = vec_push(s->pool, &s->queue);
	if (!at || !up || s->way.n == NO_WAY) {
		s->full = true;
		return;
	}
	*at = way;
	uint64_t i = s->queue.n - 1;
	*up = (uint32_t)(s->way.n - 1);
	while (i && better(s, s->queue.at[i], s->queue.at[(i - 1) / 2])) {
		uint32_t swap = s->queue.at[i];
		s->queue.at[i] = s->queue.at[(i - 1) / 2];
		s->queue.at[(i - 1) / 2] = swap;
		i = (i - 1) / 2;
	}
}

static uint32_t way_pop(struct ways_search *s)
{
	uint32_t *q = s->queue.at, top = q[0], last = q[--s->queue.n];
	uint64_t i = 0, n = s->queue.n;
	for (;;) {
		uint64_t child = 2 * i + 1;
		if (child + 1 < n && better(s, q[child + 1], q[child]))
			child++;
		if (child >= n || !better(s, q[child], last))
			break;
		q[i] = q[child];
		i = child;
	}
	if (n)
		q[i] = last;
	return top;
}

static bool same(struct heap_ref a, struct heap_ref b)
{
	return a.region == b.region && a.slot == b.slot;
}

// is_on says whether the way at `at` has already met the object, which has
// `left` edges before it.
static bool is_on(struct ways_search *s, struct heap_ref object, uint32_t left)
{
	// Nothing on a way has fewer left than its least.
	if (left < s->way.at[s->at].least)
		return false;
	for (uint32_t i = s->at; i != NO_WAY; i = s->way.at[i].before) {
		if (same(s->way.at[i].object, object) ||
		    ++s->compared > MAX_COMPARED)
			return true;
	}
	return false;
}

static void way_extend(void *ctx, taddr target, uint64_t offset)
{
	struct ways_search *s = ctx;
	struct heap_ref to;
	uint32_t left = goal_left(s->goal, target, &to);
	if (left == GOAL_NEVER || is_on(s, to, left))
		return;
	const struct way *from = &s->way.at[s->at];
	way_push(s, (struct way){
			    .object = to,
			    .offset = offset,
			    .before = s->at,
			    .done = from->done + 1,
			    .left = left,
			    .least = left < from->least ? left : from->least,
		    });
}

static void way_lead(struct ways_search *s, uint64_t lead)
{
	const struct lead *l = &s->goal->leads.at[lead];
	way_push(s, (struct way){ .object = l->object,
				  .offset = lead,
				  .before = NO_WAY,
				  .left = l->left,
				  .least = l->left });
}

// way_out writes a way that has arrived as a path.
static enum hc way_out(const struct ways_search *s, uint32_t at,
		       struct ways *ways, struct hc_err *err)
{
	const struct way *way = s->way.at;
	uint32_t first = at;
	while (way[first].before != NO_WAY)
		first = way[first].before;
	const struct lead *lead = &s->goal->leads.at[way[first].offset];
	size_t n = way[at].done + (size_t)1;
	struct heap_path *path = ways_new(ways, &lead->root, n);
	if (!path)
		return hc_nomem(err);
	uint64_t offset = 0;
	for (uint32_t i = at; i != NO_WAY; i = way[i].before) {
		path->steps[--n] = (struct heap_step){ way[i].object, offset };
		offset = way[i].offset;
	}
	return HC_OK;
}

enum hc ways_find(const struct goal *goal, size_t max, struct pool *pool,
		  struct ways *ways, struct hc_err *err)
{
	struct ways_search *s = pool_new(pool, struct ways_search, 1);
	uint64_t lead = 0;
	if (!s)
		return hc_nomem(err);
	HC_TRY(one_open(&s->one, goal->heap, pool, err));
	s->goal = goal;
	s->pool = pool;
	if (goal->leads.n)
		way_lead(s, lead++);
	while (s->queue.n && ways->paths.n < max && !s->full) {
		s->at = way_pop(s);
		struct way way = s->way.at[s->at];
		// Leads come in order, so the next one is no better than this.
		if (way.before == NO_WAY && lead < goal->leads.n)
			way_lead(s, lead++);
		if (way.left == 0)
			HC_TRY(way_out(s, s->at, ways, err));
		else if (way.left == way.least || s->detours++ < MAX_DETOURS)
			one_scan(&s->one, way.object, way_extend, s);
	}
	return s->full ? hc_nomem(err) : HC_OK;
}
