// typing.c: claims meet objects; see typing.h.
#include "libheap/go/typing.h"

#include "libheap/go/typespecial.h"

#define RING 64u          // claims waiting, their cache lines on the way
#define NEAR 16u          // values about to be scanned, likewise
#define INTERIOR_MAX 4096 // bytes scanned behind a pointer into an object

uint64_t go_object_data(const struct go_span *span, uint64_t *ret_len)
{
	uint64_t off = span->ptrmap == GO_PTRMAP_HEADER ? 8 : 0;
	uint64_t len = span->elemsize;
	if (!span->sizeclass && span->limit - span->base < len)
		len = span->limit - span->base;
	*ret_len = len - off;
	return off;
}

// lot_of gathers what claims need of one heap span.
static struct go_lot lot_of(const struct go_span *span, uint32_t first_word)
{
	return (struct go_lot){
		.mem = span->mem,
		.base = span->base,
		.first = UINT64_C(64) * first_word,
		.size = (uint32_t)span->elemsize,
		.plain = span->sizeclass && span->elemsize <= UINT32_MAX &&
			 span->ptrmap != GO_PTRMAP_HEADER &&
			 span->ptrmap != GO_PTRMAP_LARGE,
		.noscan = span->noscan,
	};
}

enum hc go_typing_open(struct go_typing *t, struct hc_err *err)
{
	const struct go_spans *spans = t->process->spans;
	size_t n;
	const struct heap_region *r = heap_regions(t->process->heap, &n);
	uint64_t words = n ? r[n - 1].first_word +
				     (r[n - 1].n_slots + UINT64_C(63)) / 64 :
			     1;
	t->allocated = heap_allocated(t->process->heap);
	t->guess = pool_new(t->pool, uint64_t, words);
	t->ring = pool_new(t->pool, struct go_claim, RING);
	t->near = pool_new(t->pool, struct scan_task, NEAR);
	t->lots = pool_new(t->pool, struct go_lot, n);
	if (!t->guess || !t->ring || !t->near || !t->lots)
		return hc_nomem(err);
	for (size_t i = 0; i < n; i++)
		t->lots[i] = lot_of(&spans->at[spans->of_region[i]],
				    r[i].first_word);
	return HC_OK;
}

void go_typing_scan(struct go_typing *t, const uint8_t *mem, taddr at,
		    go_typeid type, uint64_t n)
{
	struct scan_task *task;
	__builtin_prefetch(mem);
	if (t->near_tail - t->near_head < NEAR)
		task = &t->near[t->near_tail++ % NEAR];
	else
		task = vec_push(t->pool, &t->stack);
	if (!task)
		t->short_of_memory = true;
	else
		*task = (struct scan_task){ mem, at, n, type };
}

// struct place is an object that a claim met.
struct place {
	const struct go_span *span;
	const struct heap_region *region;
	uint32_t slot;
	uint64_t index; // in the per-slot arrays
	taddr at;       // of its values
	uint64_t len;   // of them
	const uint8_t *mem;
};

static void place_find(const struct go_typing *t, struct heap_ref ref,
		       struct place *ret)
{
	const struct go_spans *spans = t->process->spans;
	size_t n;
	const struct heap_region *r =
		&heap_regions(t->process->heap, &n)[ref.region];
	const struct go_span *s = &spans->at[spans->of_region[ref.region]];
	uint64_t off = go_object_data(s, &ret->len);
	uint64_t start = ref.slot * s->elemsize + off;
	ret->span = s;
	ret->region = r;
	ret->slot = ref.slot;
	ret->index = UINT64_C(64) * r->first_word + ref.slot;
	ret->at = s->base + start;
	ret->mem = s->mem ? s->mem + start : NULL;
}

// cover returns how many bytes of an object a type number accounts for. What
// has no Go type of its own takes all; a map's table says more than the
// struct that it is, so it counts for more.
static uint64_t cover(struct go_typing *t, const struct place *p, uint32_t type)
{
	const struct go_type *r = go_type_get(t->types, type >> 1);
	if (r->kind == GO_KIND_MAP_TABLE)
		return p->len + 1;
	if ((type & GO_TYPE_ARRAY) || (r->kind >= GO_KIND_STRING_DATA &&
				       r->kind != GO_KIND_OPAQUE))
		return p->len;
	return r->size;
}

static bool is_guess(const struct go_typing *t, const struct place *p)
{
	return t->guess[p->index / 64] >> (p->index % 64) & 1;
}

// place_set gives an object a type and queues its values.
static void place_set(struct go_typing *t, const struct place *p,
		      go_typeid type, bool array, bool guess)
{
	uint64_t bit = UINT64_C(1) << (p->index % 64);
	const struct go_type *r = go_type_get(t->types, type);
	t->of[p->index] = type << 1 | (array ? GO_TYPE_ARRAY : 0);
	if (guess)
		t->guess[p->index / 64] |= bit;
	else
		t->guess[p->index / 64] &= ~bit;
	if (p->span->noscan || !p->mem || !r->size)
		return;
	// Queued, not followed at once: claims must not nest.
	if (r->kind >= GO_KIND_STRING_DATA)
		go_typing_scan(t, p->mem, p->at, type, p->len);
	else if (r->ptr_bytes)
		go_typing_scan(t, p->mem, p->at, type,
			       array ? p->len / r->size : 1);
}

// place_header types an object by the descriptor it carries. It returns false
// when the object carries none.
static bool place_header(struct go_typing *t, const struct place *p)
{
	taddr rtype = 0;
	if (p->span->ptrmap == GO_PTRMAP_HEADER && p->mem)
		rtype = get_u64(p->mem - 8);
	else if (p->span->ptrmap == GO_PTRMAP_LARGE)
		rtype = p->span->type;
	go_typeid type = go_type_by_rtype(t->types, rtype);
	uint64_t size = go_type_get(t->types, type)->size;
	if (!type || !size || size > p->len)
		return false;
	if (!t->of[p->index])
		place_set(t, p, type, p->len / size > 1, false);
	return true;
}

// settle_inside handles a claim for a part of an object.
static void settle_inside(struct go_typing *t, const struct place *p,
			  const struct go_claim *c, const struct go_type *r)
{
	uint64_t off = c->at - p->at, n = c->n ? c->n : 1;
	if (t->of[p->index] || off > p->len || n > (p->len - off) / r->size)
		return;
	// The tiny allocator puts several small values into one slot.
	if (p->span->noscan && p->span->elemsize == 16) {
		place_set(t, p, c->type, false, true);
		return;
	}
	// A slice of part of an array: the rest is of the same type.
	if (c->n && off % r->size == 0) {
		place_set(t, p, c->type, true, true);
		return;
	}
	if (p->mem && !p->span->noscan && r->ptr_bytes &&
	    r->kind < GO_KIND_STRING_DATA && n * r->size <= INTERIOR_MAX)
		go_typing_scan(t, p->mem + off, c->at, c->type, n);
}

// settle_place decides about a claim that needs a closer look.
static void settle_place(struct go_typing *t, const struct go_claim *c,
			 const struct go_type *r, struct heap_ref ref)
{
	struct place p;
	place_find(t, ref, &p);
	if (place_header(t, &p)) {
		// Its header says "pointers to tables"; the claim says of
		// which map.
		if (r->kind == GO_KIND_MAP_DIRECTORY && c->at == p.at && p.mem)
			go_typing_scan(t, p.mem, p.at, c->type, p.len);
		return;
	}
	if (c->at != p.at) {
		if (c->at > p.at)
			settle_inside(t, &p, c, r);
		return;
	}
	uint64_t n = c->n ? c->n : 1;
	uint32_t old = t->of[p.index];
	bool array = c->n != 0;
	if (n > p.len / r->size && r->kind < GO_KIND_STRING_DATA) {
		t->rejected++;
		return;
	}
	uint32_t new = c->type << 1 | (array ? GO_TYPE_ARRAY : 0);
	uint64_t covers = cover(t, &p, new);
	if (old == new && !is_guess(t, &p))
		return;
	if (old && !is_guess(t, &p)) {
		uint64_t had = cover(t, &p, old);
		if (had >= covers) {
			t->conflicts += had == covers;
			return;
		}
	}
	place_set(t, &p, c->type, array, false);
}

// settle decides about one claim: at once when it is the first for the start
// of a plain object, or says what is known already. That is nearly all.
static void settle(struct go_typing *t, const struct go_claim *c)
{
	uint64_t index = c->index;
	const struct go_type *r = go_type_get(t->types, c->type);
	if (!r->kind || !r->size ||
	    !(t->allocated[index / 64] >> (index % 64) & 1))
		return;
	const struct go_lot *lot = &t->lots[c->region];
	uint64_t off = (index - lot->first) * lot->size;
	uint32_t new = c->type << 1 | (c->n ? GO_TYPE_ARRAY : 0);
	uint64_t n = c->n ? c->n : 1;
	bool special = r->kind >= GO_KIND_STRING_DATA;
	bool first = !t->of[index] && lot->plain && lot->base + off == c->at &&
		     (special || n <= lot->size / r->size);
	if (!first) {
		if (t->of[index] != new ||
		    t->guess[index / 64] >> (index % 64) & 1)
			settle_place(t, c, r,
				     (struct heap_ref){
					     c->region,
					     (uint32_t)(index - lot->first) });
		return;
	}
	t->of[index] = new;
	if (lot->noscan || !lot->mem || !(special || r->ptr_bytes))
		return;
	if (!special)
		n = c->n ? lot->size / r->size : 1;
	go_typing_scan(t, lot->mem + off, c->at, c->type,
		       special ? lot->size : n);
}

void go_typing_claim(struct go_typing *t, taddr at, go_typeid type, uint64_t n)
{
	struct go_claim claim = { .at = at, .n = n, .type = type };
	if (!type || !heap_aim(t->process->heap, at, &claim.region,
			       &claim.index))
		return;
	// The ring is full: its oldest claim has waited long enough.
	if (t->tail - t->head == RING) {
		struct go_claim old = t->ring[t->head++ % RING];
		settle(t, &old);
	}
	t->ring[t->tail++ % RING] = claim;
}

// trie_node tells an entry from an inner node by its first byte.
static go_typeid trie_node(const struct go_typing *t,
			   const struct walk_item *item, taddr at)
{
	uint8_t is_entry = 0;
	if (core_u8(t->process->core, at, &is_entry, NULL))
		return 0;
	return is_entry ? item->type : item->stride;
}

// follow claims what one item of a value at mem points to.
static void follow(struct go_typing *t, const struct walk_item *item,
		   const uint8_t *mem, taddr at)
{
	uint64_t word = get_u64(mem);
	switch (item->op) {
	case WALK_POINTER:
	case WALK_OVERFLOW:
		go_typing_claim(t, word, item->type, 0);
		break;
	case WALK_SLICE:
		if (word && get_u64(mem + 16))
			go_typing_claim(t, word, item->type, get_u64(mem + 16));
		break;
	case WALK_STRING:
		if (get_u64(mem + 8))
			go_typing_claim(t, word, item->type, 0);
		break;
	case WALK_TRIE:
		go_typing_claim(t, word, trie_node(t, item, word), 0);
		break;
	case WALK_OBJECT:
		go_typing_claim(t, word, item->type, 1);
		break;
	case WALK_FUNC:
		go_typing_closure(t, word);
		break;
	case WALK_EFACE:
	case WALK_IFACE:
		if (word)
			go_typing_interface(t, word, item->op == WALK_IFACE,
					    mem + 8);
		break;
	case WALK_ARRAY:
		go_typing_scan(t, mem, at, item->type, item->n);
		break;
	default:
		break;
	}
}

// item_len returns how many bytes of a value an item takes up.
static uint64_t item_len(const struct walk_item *item)
{
	switch (item->op) {
	case WALK_SLICE:
		return 24;
	case WALK_STRING:
	case WALK_EFACE:
	case WALK_IFACE:
		return 16;
	case WALK_ARRAY:
		return (uint64_t)item->n * item->stride;
	default:
		return 8;
	}
}

bool go_typing_word(struct go_typing *t, go_typeid type, const uint8_t *mem,
		    uint64_t off)
{
	for (unsigned depth = 0; depth < 64; depth++) {
		struct walk w = walk_of(t->walks, type);
		const struct walk_item *item = NULL;
		for (uint32_t i = 0; i < w.n && !item; i++)
			if (off >= w.at[i].off &&
			    off - w.at[i].off < item_len(&w.at[i]))
				item = &w.at[i];
		if (!item)
			return false;
		if (item->op != WALK_ARRAY) {
			follow(t, item, mem + item->off, 0);
			return true;
		}
		uint64_t skip = (off - item->off) / item->stride * item->stride;
		mem += item->off + skip;
		off -= item->off + skip;
		type = item->type;
	}
	return false;
}

// scan_one follows all pointers of the values of one task.
static void scan_one(struct go_typing *t, const struct scan_task *task)
{
	const struct go_type *r = go_type_get(t->types, task->type);
	if (r->kind >= GO_KIND_STRING_DATA) {
		go_typing_special(t, task->type, task->mem, task->at,
				  task->n);
		return;
	}
	struct walk w = walk_of(t->walks, task->type);
	const uint8_t *mem = task->mem;
	taddr at = task->at;
	for (uint64_t k = 0; w.n && k < task->n; k++) {
		for (uint32_t i = 0; i < w.n; i++)
			follow(t, &w.at[i], mem + w.at[i].off,
			       at + w.at[i].off);
		mem += w.size;
		at += w.size;
	}
}

// scan_next scans the value that has been on its way for longest, after
// sending for another. It returns false when there is none.
static bool scan_next(struct go_typing *t)
{
	while (t->stack.n && t->near_tail - t->near_head < NEAR) {
		struct scan_task task = t->stack.at[--t->stack.n];
		t->near[t->near_tail++ % NEAR] = task;
	}
	if (t->near_head == t->near_tail)
		return false;
	struct scan_task task = t->near[t->near_head++ % NEAR];
	scan_one(t, &task);
	return true;
}

void go_typing_drain(struct go_typing *t)
{
	for (;;) {
		if (scan_next(t))
			continue;
		if (t->head == t->tail)
			return;
		struct go_claim c = t->ring[t->head++ % RING];
		settle(t, &c);
	}
}

void go_typing_interface(struct go_typing *t, taddr word, bool is_itab,
			 const uint8_t *data_mem)
{
	go_typeid type = go_dynamic_type(t->types, word, is_itab);
	const struct go_type *r = go_type_get(t->types, type);
	if (!type)
		return;
	if (!r->direct) {
		go_typing_claim(t, get_u64(data_mem), type, 0);
		return;
	}
	// The word is the value itself: a pointer, or a struct of one.
	struct walk w = walk_of(t->walks, type);
	if (w.n && w.at[0].off == 0 && r->size == 8)
		follow(t, &w.at[0], data_mem, 0);
}
