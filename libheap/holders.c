// holders.c: see holders.h.
#include "libheap/holders.h"

#include <stdlib.h>

// holder_key groups a root by its owner, else each word is its own holder.
static uint64_t holder_key(const struct heap *heap, struct heap_root *root)
{
	if (heap->reader->holder)
		return heap->reader->holder(heap->self, root);
	if (root->owner != HEAP_NO_OWNER)
		return root->owner;
	return root->at ? root->at : ~root->target;
}

static void take_root(void *ctx, const struct heap_root *root)
{
	struct holders *h = ctx;
	struct page_hit hit = pagemap_find(&h->heap->map, root->target);
	if (h->full || !(h->heap->live[hit.word] >> hit.bit & 1))
		return;
	struct heap_root whole = *root;
	uint64_t key = holder_key(h->heap, &whole);
	struct hold *last = h->holds.n ? &h->holds.at[h->holds.n - 1] : NULL;
	struct page_hit *target = vec_push(h->pool, &h->targets);
	if (!last || last->key != key) {
		last = vec_push(h->pool, &h->holds);
		if (last)
			*last = (struct hold){ whole, key, h->targets.n - 1, 0,
					       (uint32_t)h->holds.n - 1 };
	}
	if (!target || !last) {
		h->full = true;
		return;
	}
	*target = hit;
	last->n++;
}

static int by_key(const void *a, const void *b)
{
	const struct hold *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

enum hc holders_read(const struct heap *heap, struct pool *pool,
		     struct holders *ret, struct hc_err *err)
{
	struct holders h = { .heap = heap, .pool = pool };
	heap->reader->roots(heap->self, take_root, &h);
	if (h.full)
		return hc_nomem(err);
	if (h.holds.n > 1)
		qsort(h.holds.at, h.holds.n, sizeof(*h.holds.at), by_key);
	*ret = h;
	return HC_OK;
}
