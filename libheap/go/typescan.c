// typescan.c: the pointers of typed values become claims; see typing.h.
#include "libheap/go/typespecial.h"

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

// near_object puts a plain object among the tasks that are near.
static inline void near_object(struct go_typing *t, const struct go_lot *lot,
			       uint64_t off, uint32_t type)
{
	const struct go_brief *b = go_brief_of(t, type >> 1);
	struct scan_task *task = &t->near[t->near_tail++ % GO_NEAR];
	*task = (struct scan_task){ lot->mem + off, lot->base + off, 1,
				    type >> 1 };
	if (b->special)
		task->n = lot->size;
	else if (type & GO_TYPE_ARRAY)
		task->n = lot->size / (uint32_t)b->size;
	ask_for(task->mem, lot->size);
}

void go_typing_scan_object(struct go_typing *t, uint32_t region, taddr at,
			   uint32_t type)
{
	const struct go_lot *lot = &t->lots[region];
	if (t->near_tail - t->near_head < GO_NEAR) {
		near_object(t, lot, at - lot->base, type);
		return;
	}
	// No object is settled as plain twice, so there is room.
	t->later[t->n_later++] = (struct scan_later){
		region, (uint32_t)((at - lot->base) / 8), type
	};
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

// fetch sends for tasks that wait until enough are near.
static void fetch(struct go_typing *t)
{
	while (t->near_tail - t->near_head < GO_NEAR) {
		if (t->odd.n) {
			struct scan_task task = t->odd.at[--t->odd.n];
			t->near[t->near_tail++ % GO_NEAR] = task;
			ask_for(task.mem, 64);
		} else if (t->n_later) {
			struct scan_later l = t->later[--t->n_later];
			near_object(t, &t->lots[l.region],
				    UINT64_C(8) * l.words, l.type);
		} else {
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
