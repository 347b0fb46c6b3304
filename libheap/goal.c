// goal.c: see goal.h. Breadth first, against the edges.
#include "libheap/goal.h"
#include "libheap/reverse.h"

#include <stdlib.h>

uint32_t goal_left(const struct goal *goal, taddr at, struct heap_ref *ret)
{
	struct page_hit hit = pagemap_find(&goal->heap->map, at);
	uint32_t number = number_of(&goal->numbers, hit);
	if (number == NUMBER_NONE || goal->left[number] == GOAL_NEVER)
		return GOAL_NEVER;
	*ret = heap_hit_ref(goal->heap, hit);
	return goal->left[number];
}

// goal_spread fills left[], from the goal outwards.
static enum hc goal_spread(struct goal *goal, const struct reverse *rev,
			   uint32_t start, struct pool *pool,
			   struct hc_err *err)
{
	uint32_t n = goal->numbers.n;
	uint32_t *queue = pool_new(pool, uint32_t, n);
	uint64_t head = 0, tail = 0;
	goal->left = pool_new(pool, uint32_t, n);
	if (!queue || !goal->left)
		return hc_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		goal->left[i] = GOAL_NEVER;
	goal->left[start] = 0;
	queue[head++] = start;
	while (tail < head) {
		uint32_t to = queue[tail++];
		for (uint64_t e = rev->start[to]; e < rev->start[to + 1]; e++) {
			uint32_t from = rev->from[e];
			if (goal->left[from] != GOAL_NEVER)
				continue;
			goal->left[from] = goal->left[to] + 1;
			queue[head++] = from;
		}
	}
	return HC_OK;
}

// struct leads is the collection of roots under way.
struct leads {
	struct goal *goal;
	struct pool *pool;
	uint64_t nth;
	bool full;
};

static void lead_root(void *ctx, const struct heap_root *root)
{
	struct leads *leads = ctx;
	struct lead lead = { .root = *root, .nth = leads->nth++ };
	lead.left = goal_left(leads->goal, root->target, &lead.object);
	if (lead.left == GOAL_NEVER)
		return;
	struct lead *at = vec_push(leads->pool, &leads->goal->leads);
	if (at)
		*at = lead;
	else
		leads->full = true;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_word(const void *a, const void *b)
{
	const struct lead *x = a, *y = b;
	int by = compare(x->root.at, y->root.at);
	by = by ? by : compare(x->root.target, y->root.target);
	return by ? by : compare(x->nth, y->nth);
}

static int by_left(const void *a, const void *b)
{
	const struct lead *x = a, *y = b;
	int by = compare(x->left, y->left);
	return by ? by : compare(x->nth, y->nth);
}

// goal_leads asks for the roots. A word that is named twice leads once.
static enum hc goal_leads(struct goal *goal, struct pool *pool,
			  struct hc_err *err)
{
	struct leads leads = { .goal = goal, .pool = pool };
	uint64_t n = 0;
	goal->heap->reader->roots(goal->heap->self, lead_root, &leads);
	if (leads.full)
		return hc_nomem(err);
	struct lead *at = goal->leads.at;
	if (goal->leads.n)
		qsort(at, goal->leads.n, sizeof(*at), by_word);
	for (uint64_t i = 0; i < goal->leads.n; i++) {
		if (i && at[i].root.at &&
		    at[i].root.at == at[n - 1].root.at &&
		    at[i].root.target == at[n - 1].root.target)
			continue;
		at[n++] = at[i];
	}
	goal->leads.n = n;
	if (n)
		qsort(at, n, sizeof(*at), by_left);
	return HC_OK;
}

enum hc goal_open(const struct heap *heap, struct heap_ref object,
		  struct pool *pool, struct goal *ret, struct hc_err *err)
{
	struct goal goal = { .heap = heap, .object = object };
	struct reverse rev;
	const struct heap_region *r = &heap->regions[object.region];
	struct page_hit hit = { .word = r->first_word + object.slot / 64,
				.bit = object.slot % 64 };
	if (!heap_bit(heap->live, r, object.slot))
		return HC_NONE;
	HC_TRY(reverse_open(heap, pool, &rev, err));
	goal.numbers = rev.numbers;
	HC_TRY(goal_spread(&goal, &rev, number_of(&rev.numbers, hit), pool,
			   err));
	HC_TRY(goal_leads(&goal, pool, err));
	*ret = goal;
	return HC_OK;
}
