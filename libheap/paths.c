// paths.c: why is an object alive: the paths that lead to it.
#include "libheap/one.h"
#include "libheap/search.h"
#include "libheap/ways.h"

struct heap_path *ways_new(struct ways *ways, const struct heap_root *root,
			   size_t n)
{
	struct heap_step *steps = pool_new(ways->out, struct heap_step, n);
	struct heap_path *path = steps ? vec_push(ways->out, &ways->paths) :
					 NULL;
	if (path)
		*path = (struct heap_path){ *root, steps, n };
	return path;
}

// struct link looks for the first word of an object that leads on.
// Shape: with goal, to any object with `left` edges before it; without, to
//        the object `to`, which is then known.
struct link {
	const struct heap *heap;
	const struct goal *goal;
	uint32_t left;
	struct heap_ref to;
	uint64_t offset;
	bool found;
};

static void link_word(void *ctx, taddr target, uint64_t offset)
{
	struct link *link = ctx;
	struct heap_ref to;
	if (link->found && link->offset <= offset)
		return;
	if (link->goal) {
		if (goal_left(link->goal, target, &to) != link->left)
			return;
		link->to = to;
	} else if (heap_find(link->heap, target, &to) != HC_OK ||
		   to.region != link->to.region || to.slot != link->to.slot) {
		return;
	}
	link->offset = offset;
	link->found = true;
}

enum hc ways_each_root(const struct goal *goal, size_t max, struct pool *pool,
		       struct ways *ways, struct hc_err *err)
{
	struct one *one = pool_new(pool, struct one, 1);
	if (!one)
		return hc_nomem(err);
	HC_TRY(one_open(one, goal->heap, pool, err));
	for (uint64_t i = 0; i < goal->leads.n && ways->paths.n < max; i++) {
		const struct lead *lead = &goal->leads.at[i];
		size_t n = lead->left + (size_t)1;
		struct heap_path *path = ways_new(ways, &lead->root, n);
		if (!path)
			return hc_nomem(err);
		struct heap_ref at = lead->object;
		for (size_t k = 0; k < n; k++) {
			struct link link = { .goal = goal,
					     .left = (uint32_t)(n - k - 2) };
			path->steps[k].object = at;
			if (k + 1 == n)
				break;
			one_scan(one, at, link_word, &link);
			path->steps[k].offset = link.offset;
			at = link.to;
		}
	}
	return HC_OK;
}

// struct nth_root picks one root out of the stream.
struct nth_root {
	uint64_t n;
	struct heap_root root;
};

static void pick_root(void *ctx, const struct heap_root *root)
{
	struct nth_root *nth = ctx;
	if (nth->n-- == 0)
		nth->root = *root;
}

// one_path answers with a single shortest path, without edges turned around.
static enum hc one_path(const struct heap *heap, struct heap_ref object,
			struct pool *pool, struct ways *ways,
			struct hc_err *err)
{
	struct trail trail;
	struct one *one = pool_new(pool, struct one, 1);
	if (!one)
		return hc_nomem(err);
	HC_TRY(one_open(one, heap, pool, err));
	HC_TRY(search_path(heap, object, pool, &trail, err));
	struct nth_root nth = { .n = trail.root };
	heap->reader->roots(heap->self, pick_root, &nth);
	struct heap_path *path = ways_new(ways, &nth.root, trail.n);
	if (!path)
		return hc_nomem(err);
	for (size_t i = 0; i < trail.n; i++) {
		struct link link = { .heap = heap };
		if (i + 1 < trail.n) {
			link.to = trail.object[i + 1];
			one_scan(one, trail.object[i], link_word, &link);
		}
		path->steps[i] = (struct heap_step){ trail.object[i],
						     link.offset };
	}
	return HC_OK;
}

static enum hc many_paths(struct heap *heap, struct heap_ref object,
			  size_t max, bool all_roots, struct pool *pool,
			  struct ways *ways, struct hc_err *err)
{
	struct goal goal;
	HC_TRY(goal_open(heap, object, pool, &goal, err));
	if (all_roots)
		return ways_each_root(&goal, max, pool, ways, err);
	HC_TRY(ways_find(&goal, max, pool, ways, err));
	// It gave up on a path that is longer than what it may keep.
	if (ways->paths.n == 0)
		return ways_each_root(&goal, 1, pool, ways, err);
	return HC_OK;
}

enum hc heap_paths(struct heap *heap, struct heap_ref object, size_t max,
		   bool all_roots, struct pool *pool, struct heap_path **ret,
		   size_t *ret_n, struct hc_err *err)
{
	struct ways ways = { .out = pool };
	struct pool work;
	enum hc got;
	if (max > 1)
		HC_TRY(heap_mark(heap, err));
	HC_TRY(scratch_open(pool, &work, err));
	if (max > 1)
		got = many_paths(heap, object, max, all_roots, &work, &ways,
				 err);
	else
		got = one_path(heap, object, &work, &ways, err);
	scratch_close(pool, &work);
	HC_TRY(got);
	if (ways.paths.n == 0)
		return HC_NONE;
	*ret = ways.paths.at;
	*ret_n = ways.paths.n;
	return HC_OK;
}
