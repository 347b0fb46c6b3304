// waiting.c: how many goroutines (or whatever the runtime calls them) wait for
// something that a suspect holds: a queue that nobody empties has senders.
#include "libheap/heap.h"

#include <stdlib.h>

enum { UP = 256, LEAVES = 16 };

// struct waits are the addresses that are waited for.
struct waits {
	struct heap_suspects *s;
	struct { VEC(taddr); } at;
	unsigned leaves; // whose keeper takes a search of all pointers
	bool full;
};

static bool take_owner(void *ctx, const struct heap_owner *owner)
{
	struct waits *w = ctx;
	if (!owner->waits_on)
		return true;
	taddr *at = vec_push(w->s->pool, &w->at);
	if (at)
		*at = owner->waits_on;
	w->full |= !at;
	return at != NULL;
}

static int by_address(const void *a, const void *b)
{
	taddr x = *(const taddr *)a, y = *(const taddr *)b;
	return x < y ? -1 : x > y;
}

// count adds n to the suspects that are the keeper.
static void count(struct heap_suspects *s, const struct heap_keeper *k,
		  uint64_t n)
{
	for (uint64_t i = 0; i < s->n; i++)
		if (s->at[i].has_keeper && s->at[i].keeper.node == k->node)
			s->at[i].waiting += n;
}

// count_above goes up from what n owners wait for.
static void count_above(struct waits *w, taddr at, uint64_t n)
{
	struct heap_suspects *s = w->s;
	struct heap_keeper k;
	struct heap_ref ref;
	if (heap_find(s->heap, at, &ref) ||
	    heap_keeper_of(s->retained, ref, &k) ||
	    (k.node == UINT32_MAX && w->leaves++ == LEAVES))
		return;
	for (unsigned up = 0; up < UP; up++) {
		if (k.node != UINT32_MAX)
			count(s, &k, n);
		if (heap_keeper_above(s->retained, &k, &k, NULL))
			return;
	}
}

enum hc suspects_waiting(struct heap_suspects *s, struct hc_err *err)
{
	struct waits w = { .s = s };
	const struct heap_reader *reader = heap_reader_of(s->heap);
	if (!reader->owners)
		return HC_OK;
	reader->owners(heap_self(s->heap), take_owner, &w);
	if (w.full)
		return hc_nomem(err);
	if (w.at.n > 1)
		qsort(w.at.at, w.at.n, sizeof(*w.at.at), by_address);
	for (uint64_t i = 0, from = 0; i < w.at.n; i++) {
		if (i + 1 < w.at.n && w.at.at[i + 1] == w.at.at[i])
			continue;
		count_above(&w, w.at.at[i], i + 1 - from);
		from = i + 1;
	}
	return HC_OK;
}
