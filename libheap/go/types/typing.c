// typing.c: claims meet objects; see typing.h. Nearly all are decided here:
// the first for the start of a plain object, or what is known already.
#include "libheap/go/types/typing.h"

#include "libheap/go/types/typetable.h"

// lot_of gathers what claims need of one heap span.
static struct go_lot lot_of(const struct go_span *span)
{
	bool plain = span->sizeclass && span->ptrmap != GO_PTRMAP_HEADER &&
		     span->ptrmap != GO_PTRMAP_LARGE &&
		     go_span_len(span) / 8 <= UINT32_MAX &&
		     span->elemsize <= UINT32_MAX;
	return (struct go_lot){ plain ? span->mem : NULL, span->base,
				(uint32_t)span->elemsize };
}

enum hc go_typing_open(struct go_typing *t, struct hc_err *err)
{
	const struct go_spans *spans = t->process->spans;
	size_t n;
	const struct heap_region *r = heap_regions(t->process->heap, &n);
	uint64_t words = n ? r[n - 1].first_word +
				     (r[n - 1].n_slots + UINT64_C(63)) / 64 :
			     1;
	uint64_t ring = 2;
	while (ring <= n)
		ring *= 2;
	HC_TRY(pool_open(TYPES_MAX * sizeof(struct go_brief), &t->briefs, err));
	t->regions = r;
	t->allocated = heap_allocated(t->process->heap);
	t->pending = pool_new(t->pool, uint64_t, words);
	t->queued = pool_new(t->pool, bool, n + 1);
	t->queue = pool_new(t->pool, uint32_t, ring);
	t->queue_mask = (uint32_t)(ring - 1);
	t->brief = pool_new(&t->briefs, struct go_brief, TYPES_MAX);
	t->guess = pool_new(t->pool, uint64_t, words);
	t->batch = pool_new(t->pool, struct go_batch, 2);
	t->aims = pool_new(t->pool, struct heap_aim, 2 * GO_CLAIMS);
	t->near = pool_new(t->pool, struct scan_task, GO_NEAR);
	t->lots = pool_new(t->pool, struct go_lot, n);
	if (!t->brief || !t->pending || !t->queued || !t->queue || !t->guess ||
	    !t->batch || !t->aims || !t->near || !t->lots)
		return hc_nomem(err);
	t->aimed = t->batch + 1;
	t->aims_next = t->aims + GO_CLAIMS;
	for (size_t i = 0; i < n; i++)
		t->lots[i] = lot_of(&spans->at[spans->of_region[i]]);
	return HC_OK;
}

void go_typing_close(struct go_typing *t)
{
	pool_close(&t->briefs);
}

void go_brief_make(struct go_typing *t, go_typeid type)
{
	const struct go_type *r = go_type_get(t->types, type);
	struct go_brief *b = &t->brief[type];
	b->made = true;
	b->kind = r->kind;
	b->special = r->kind >= GO_KIND_STRING_DATA;
	b->quick = r->kind && r->size && r->size <= UINT32_MAX &&
		   r->kind < GO_KIND_SOME_CLOSURE;
	b->size = r->kind ? r->size : 0;
	b->pointers = b->special ? r->kind != GO_KIND_STRING_DATA :
				   b->size && r->ptr_bytes;
	if (b->special || !b->pointers)
		return;
	struct walk w = walk_of(t->walks, type);
	b->items = w.at;
	b->n_items = w.n;
}

// settle decides about one claim.
static inline void settle(struct go_typing *t, taddr at, struct go_claim c,
			  const struct heap_aim *aim)
{
	uint64_t word = aim->index / 64, bit = aim->index % 64;
	uint32_t old = t->of[aim->index];
	if (old == c.type && !(t->guess[word] >> bit & 1))
		return;
	if (!(t->allocated[word] >> bit & 1))
		return;
	const struct go_brief *b = go_brief_of(t, c.type >> 1);
	if (old && aim->noscan && !aim->at_start &&
	    b->kind < GO_KIND_SOME_CLOSURE)
		return; // one more of several tiny values
	if (old || !aim->at_start || !b->quick || c.n * b->size > aim->size ||
	    (!aim->noscan && !t->lots[aim->region].mem)) {
		go_typing_settle(t, at, c, aim);
		return;
	}
	t->of[aim->index] = c.type;
	if (b->pointers && !aim->noscan)
		go_typing_scan_object(t, aim);
}

bool go_typing_flush(struct go_typing *t)
{
	struct go_batch *new = t->batch, *old = t->aimed;
	bool any = new->n || old->n;
	struct heap_aim *new_aims = t->aims_next, *aims = t->aims;
	heap_aim(t->process->heap, new->at, new->n, new_aims);
	// Nothing below claims anything, or there would be no room for it.
	for (uint32_t i = 0; i < old->n; i++)
		settle(t, old->at[i], old->claim[i], &aims[i]);
	old->n = 0;
	t->batch = old;
	t->aimed = new;
	t->aims = new_aims;
	t->aims_next = aims;
	return any;
}
