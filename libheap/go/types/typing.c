// typing.c: the arrays of a run and the briefs of types; see typing.h.
#include "libheap/go/types/typing.h"

#include "libheap/go/types/leaves.h"
#include "libheap/go/types/typemark.h"
#include "libheap/go/types/typetable.h"

// lot_of gathers what claims need of one heap span.
static struct go_lot lot_of(const struct go_span *span)
{
	bool plain = span->sizeclass && span->ptrmap != GO_PTRMAP_HEADER &&
		     span->ptrmap != GO_PTRMAP_LARGE &&
		     go_span_len(span) / 8 <= UINT32_MAX &&
		     span->elemsize <= UINT32_MAX;
	return (struct go_lot){
		.mem = plain ? span->mem : NULL,
		.base = span->base,
		.marks = span->noscan ? 0 : UINT64_MAX,
		.size = plain ? (uint32_t)span->elemsize : 0,
	};
}

// open_arrays gets the arrays by word and by region.
static bool open_arrays(struct go_typing *t, uint64_t words, uint64_t n)
{
	uint64_t ring = 2;
	while (ring <= n)
		ring *= 2;
	t->slots = pool_new_dense(t->pool, struct go_slots, words);
	t->n_words = words;
	t->guess = pool_new(t->pool, uint64_t, words);
	t->queued = pool_new(t->pool, bool, n + 1);
	t->queue = pool_new(t->pool, uint32_t, ring);
	t->queue_mask = (uint32_t)(ring - 1);
	t->lots = pool_new_dense(t->pool, struct go_lot, n + 1);
	if (!t->slots || !t->guess || !t->queued || !t->queue || !t->lots)
		return false;
	for (uint64_t w = 0; w < words; w++)
		t->slots[w].taken = ~t->allocated[w];
	return go_typemark_open(t, n);
}

enum hc go_typing_open(struct go_typing *t, struct hc_err *err)
{
	const struct go_spans *spans = t->process->spans;
	size_t n;
	const struct heap_region *r = heap_regions(t->process->heap, &n);
	uint64_t words = n ? r[n - 1].first_word +
				     (r[n - 1].n_slots + UINT64_C(63)) / 64 :
			     1;
	HC_TRY(pool_open(TYPES_MAX * sizeof(struct go_brief), &t->briefs, err));
	t->regions = r;
	t->allocated = heap_allocated(t->process->heap);
	t->brief = pool_new(&t->briefs, struct go_brief, TYPES_MAX);
	t->batch = pool_new(t->pool, struct go_batch, 2);
	t->aims = pool_new(t->pool, struct heap_aim, 2 * GO_BATCH);
	t->near = pool_new(t->pool, struct scan_task, GO_NEAR);
	if (!t->brief || !t->batch || !t->aims || !t->near ||
	    !open_arrays(t, words, n))
		return hc_nomem(err);
	HC_TRY(go_leaves_open(t, err));
	t->aimed = t->batch + 1;
	t->aims_next = t->aims + GO_BATCH;
	for (size_t i = 0; i < n; i++)
		t->lots[i] = lot_of(&spans->at[spans->of_region[i]]);
	return HC_OK;
}

void go_typing_close(struct go_typing *t)
{
	go_leaves_close(t->leaves);
	pool_close(&t->briefs);
}

// is_leaf says whether a type has no pointers, and then makes its brief: claims
// of it are settled elsewhere.
static bool is_leaf(struct go_typing *t, go_typeid type)
{
	const struct go_type *r = go_type_get(t->types, type);
	bool leaf = r->kind == GO_KIND_STRING_DATA ||
		    (r->size && !r->ptr_bytes && r->kind < GO_KIND_STRING_DATA);
	if (leaf)
		go_brief_of(t, type);
	return leaf;
}

struct go_step go_step_of(struct go_typing *t, const struct walk_item *item)
{
	bool array = item->op == WALK_SLICE || item->op == WALK_OBJECT;
	return (struct go_step){
		{ item->type << 1 | (array ? GO_TYPE_ARRAY : 0), 1, 0 },
		item->off, item->op, is_leaf(t, item->type) };
}

// brief_steps turns items into steps, if all can be.
static void brief_steps(struct go_typing *t, struct go_brief *b)
{
	if (!b->n_items || b->n_items > GO_STEPS)
		return;
	struct go_step *step = pool_new(t->pool, struct go_step, b->n_items);
	uint64_t words = 0;
	for (uint32_t i = 0; step && i < b->n_items; i++) {
		const struct walk_item *item = &b->items[i];
		bool second = item->op == WALK_EFACE || item->op == WALK_IFACE;
		uint64_t word = item->off / 8 + second;
		if (item->op == WALK_ARRAY || item->off % 8 || word > 63)
			return;
		words |= UINT64_C(1) << word;
		step[i] = go_step_of(t, item);
	}
	if (!step)
		return;
	b->steps = step;
	b->n_steps = b->n_items;
	b->words = words;
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
	if (!w.cut)
		brief_steps(t, b);
}
