// typescan.c: the pointers of typed values become claims; see typing.h.
#include "libheap/go/types/typespecial.h"

// ask_for prefetches the first lines of an object.
static inline void ask_for(const uint8_t *mem, uint64_t size)
{
	__builtin_prefetch(mem);
	if (((uintptr_t)mem & 63) + size > 64)
		__builtin_prefetch(mem + 64);
}

void go_typing_scan(struct go_typing *t, const uint8_t *mem, taddr at,
		    go_typeid type, uint64_t n)
{
	struct scan_task *task;
	ask_for(mem, 64);
	if (t->near_tail - t->near_head < GO_NEAR)
		task = &t->near[t->near_tail++ % GO_NEAR];
	else
		task = vec_push(t->pool, &t->odd);
	if (!task)
		t->short_of_memory = true;
	else
		*task = (struct scan_task){ mem, at, n, type };
}

// near_object puts a plain object among the tasks that are near. The slot is
// its own in the region, index that in the arrays.
static inline void near_object(struct go_typing *t, uint32_t region,
			       uint64_t slot, uint64_t index)
{
	const struct go_lot *lot = &t->lots[region];
	uint32_t type = t->of[index];
	const struct go_brief *b = go_brief_of(t, type >> 1);
	struct scan_task *task = &t->near[t->near_tail++ % GO_NEAR];
	uint64_t off = slot * lot->size;
	*task = (struct scan_task){ lot->mem + off, lot->base + off, 1,
				    type >> 1 };
	if (b->special)
		task->n = lot->size;
	else if (type & GO_TYPE_ARRAY)
		task->n = lot->size / (uint32_t)b->size;
	ask_for(task->mem, lot->size);
}

void go_typing_scan_object(struct go_typing *t, const struct heap_aim *aim)
{
	uint32_t region = aim->region;
	if (t->head - t->tail < GO_FEW &&
	    t->near_tail - t->near_head < GO_NEAR) {
		near_object(t, region,
			    aim->index - UINT64_C(64) *
						 t->regions[region].first_word,
			    aim->index);
		return;
	}
	t->pending[aim->index / 64] |= UINT64_C(1) << (aim->index % 64);
	t->queue[t->head & t->queue_mask] = region;
	t->head += !t->queued[region];
	t->queued[region] = true;
}

// follow claims what one item of a value at mem points to.
static inline __attribute__((always_inline)) void
follow(struct go_typing *t, const struct walk_item *item, const uint8_t *mem,
       taddr at)
{
	uint64_t word = get_u64(mem), n;
	struct go_claim claim = { item->type << 1, 1 };
	switch (item->op) {
	case WALK_POINTER:
		go_typing_put(t, word, claim);
		break;
	case WALK_SLICE:
		n = get_u64(mem + 16);
		claim.type |= GO_TYPE_ARRAY;
		claim.n = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
		go_typing_put(t, n ? word : 0, claim);
		break;
	case WALK_STRING:
		go_typing_put(t, get_u64(mem + 8) ? word : 0, claim);
		break;
	case WALK_OBJECT:
		claim.type |= GO_TYPE_ARRAY;
		go_typing_put(t, word, claim);
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
		const struct go_brief *b = go_brief_of(t, type);
		const struct walk_item *item = NULL;
		for (uint32_t i = 0; i < b->n_items && !item; i++)
			if (off >= b->items[i].off &&
			    off - b->items[i].off < item_len(&b->items[i]))
				item = &b->items[i];
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

// scan follows all pointers of the values of one task.
static void scan(struct go_typing *t, const struct scan_task *task)
{
	const struct go_brief *b = go_brief_of(t, task->type);
	if (b->special) {
		go_typing_special(t, task->type, task->mem, task->at, task->n);
		return;
	}
	if (!b->n_items)
		return;
	const struct walk_item *items = b->items, *end = items + b->n_items;
	const uint8_t *mem = task->mem;
	uint64_t size = b->size;
	taddr at = task->at;
	for (uint64_t k = task->n; k; k--) {
		for (const struct walk_item *i = items; i < end; i++)
			follow(t, i, mem + i->off, at + i->off);
		mem += size;
		at += size;
	}
}

// visit_ask sends for the types of what waits in a region.
static void visit_ask(const struct go_typing *t, uint32_t region)
{
	const struct heap_region *r = &t->regions[region];
	uint64_t end = r->first_word + (r->n_slots + UINT64_C(63)) / 64;
	for (uint64_t w = r->first_word; w < end; w++)
		for (uint64_t line = 0; line < 64; line += 16)
			if (t->pending[w] >> line & 0xffff)
				__builtin_prefetch(&t->of[64 * w + line]);
}

// visit_begin starts on the region that waits longest and sends for the next.
static void visit_begin(struct go_typing *t)
{
	uint32_t i = t->queue[t->tail++ & t->queue_mask];
	const struct heap_region *r = &t->regions[i];
	t->queued[i] = false;
	t->visit = (struct go_visit){
		.region = i,
		.word = r->first_word,
		.end = r->first_word + (r->n_slots + UINT64_C(63)) / 64,
	};
	if (t->head != t->tail)
		visit_ask(t, t->queue[t->tail & t->queue_mask]);
}

// visit_next takes the next object of the region being visited, or of the one
// that waits longest. It returns false when none waits.
static bool visit_next(struct go_typing *t)
{
	struct go_visit *v = &t->visit;
	while (!v->bits) {
		if (v->word + 1 >= v->end) {
			if (t->head == t->tail)
				return false;
			visit_begin(t);
		} else {
			v->word++;
		}
		v->bits = t->pending[v->word];
		t->pending[v->word] = 0;
	}
	uint64_t index = 64 * v->word + (uint64_t)__builtin_ctzll(v->bits);
	v->bits &= v->bits - 1;
	near_object(t, v->region,
		    index - UINT64_C(64) * t->regions[v->region].first_word,
		    index);
	return true;
}

// fetch sends for tasks that wait until enough are near.
static void fetch(struct go_typing *t)
{
	while (t->near_tail - t->near_head < GO_NEAR) {
		if (t->odd.n) {
			struct scan_task task = t->odd.at[--t->odd.n];
			t->near[t->near_tail++ % GO_NEAR] = task;
			ask_for(task.mem, 64);
		} else if (!visit_next(t)) {
			return;
		}
	}
}

void go_typing_drain(struct go_typing *t)
{
	for (;;) {
		fetch(t);
		if (t->near_head == t->near_tail) {
			if (!go_typing_flush(t))
				return;
			continue;
		}
		struct scan_task task = t->near[t->near_head++ % GO_NEAR];
		scan(t, &task);
	}
}

void go_typing_interface(struct go_typing *t, taddr word, bool is_itab,
			 const uint8_t *data_mem)
{
	taddr key = word | is_itab;
	struct go_known *known = go_known_of(t, true, key);
	if (known->word != key)
		*known = (struct go_known){
			key, go_dynamic_type(t->types, word, is_itab) };
	go_typeid type = known->type;
	if (!type)
		return;
	if (!go_type_get(t->types, type)->direct) {
		go_typing_claim(t, get_u64(data_mem), type, 0);
		return;
	}
	// The word is the value itself: a pointer, or a struct of one.
	const struct go_brief *b = go_brief_of(t, type);
	if (b->n_items && b->items[0].off == 0 && b->size == 8)
		follow(t, &b->items[0], data_mem, 0);
}
