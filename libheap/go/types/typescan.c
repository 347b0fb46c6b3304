// typescan.c: the pointers of typed values become claims; see typing.h.
#include "libheap/go/types/leaves.h"
#include "libheap/go/types/typemark.h"
#include "libheap/go/types/typespecial.h"

#include "libcore/base/fetch.h"

// ask_for prefetches the first lines of an object.
FETCHER ask_for(const uint8_t *mem, uint64_t size)
{
	__builtin_prefetch(mem);
	if (((uintptr_t)mem & 63) + size > 64)
		__builtin_prefetch(mem + 64);
}

void go_typing_add(struct go_typing *t, const struct scan_task *new)
{
	struct scan_task *task;
	ask_for(new->mem, 64);
	if (t->near_tail - t->near_head < GO_NEAR)
		task = &t->near[t->near_tail++ % GO_NEAR];
	else
		task = vec_push(t->pool, &t->odd);
	if (!task)
		t->short_of_memory = true;
	else
		*task = *new;
}

void go_typing_scan(struct go_typing *t, const uint8_t *mem, taddr at,
		    go_typeid type, uint64_t n)
{
	go_typing_add(t, &(struct scan_task){ mem, at, n, type, GO_NO_REGION,
					      0, 0 });
}

void go_typing_wait(struct go_typing *t, const struct heap_aim *aim)
{
	const struct go_lot *lot = &t->lots[aim->region];
	if (t->head - t->tail >= GO_FEW ||
	    t->near_tail - t->near_head >= GO_NEAR) {
		t->slots[aim->word].waiting |= UINT64_C(1) << aim->bit;
		go_typing_queue(t, aim->region);
		return;
	}
	uint32_t type = go_typing_of(t, aim->region, aim->word, aim->bit);
	const struct go_brief *b = go_brief_of(t, type >> 1);
	uint64_t slot = UINT64_C(64) * (aim->word -
					t->regions[aim->region].first_word) +
			aim->bit;
	uint64_t off = slot * lot->size;
	struct scan_task task = { lot->mem + off, lot->base + off,
				  go_typing_elements(b, type, lot->size),
				  type >> 1, aim->region, aim->word, aim->bit };
	go_typing_add(t, &task);
}

// put_claim makes a claim, without a look at how much room there is.
static inline void put_claim(struct go_typing *t, bool leaf, taddr at,
			     struct go_claim claim)
{
	struct go_batch *b = t->batch;
	struct go_letter *letter = t->letter;
	if (leaf) {
		letter->at[letter->n] = at;
		letter->claim[letter->n] = claim;
		letter->n += at != 0;
	} else {
		b->at[b->n] = at;
		b->claim[b->n] = claim;
		b->n += at != 0;
	}
}

// step claims what one word of a value at mem points to. live: as a claim for
// each pointer of it.
static inline __attribute__((always_inline)) void
step(struct go_typing *t, const struct go_step *s, const uint8_t *mem,
     bool live)
{
	uint64_t word = get_u64(mem), n;
	struct go_claim claim = s->claim;
	const struct go_claim none = { 0, 1, live };
	claim.live = live;
	switch (s->op) {
	case WALK_POINTER:
	case WALK_OBJECT:
		put_claim(t, s->leaf, word, claim);
		break;
	case WALK_SLICE:
		n = get_u64(mem + 16);
		claim.n = n > GO_CLAIM_MAX ? GO_CLAIM_MAX : n & GO_CLAIM_MAX;
		put_claim(t, s->leaf, n || live ? word : 0, n ? claim : none);
		break;
	case WALK_STRING:
		n = get_u64(mem + 8);
		put_claim(t, true, n || live ? word : 0, n ? claim : none);
		break;
	case WALK_EFACE:
	case WALK_IFACE:
		if (live)
			put_claim(t, false, get_u64(mem + 8), none);
		if (word)
			go_typing_interface(t, word, s->op == WALK_IFACE,
					    mem + 8);
		break;
	case WALK_UNSAFE:
		if (live)
			put_claim(t, false, word, none);
		break;
	default:
		break;
	}
}

// make_room settles claims when there may be none for those of one value more.
static inline void make_room(struct go_typing *t)
{
	if (t->batch->n >= GO_CLAIMS)
		go_typing_flush(t);
	if (t->letter->n >= GO_LETTER)
		go_leaves_send(t);
}

// follow claims what one item of a value at mem points to.
static void follow(struct go_typing *t, const struct walk_item *item,
		   const uint8_t *mem, taddr at)
{
	struct go_step one = go_step_of(t, item);
	if (item->op == WALK_ARRAY)
		go_typing_scan(t, mem, at, item->type, item->n);
	else
		step(t, &one, mem, false);
	make_room(t);
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

// steps follows the pointers of n values of a type that has steps.
static inline __attribute__((always_inline)) void
steps(struct go_typing *t, const struct go_brief *b, const uint8_t *mem,
      uint64_t n, bool live)
{
	const struct go_step *first = b->steps, *end = first + b->n_steps;
	for (; n; n--, mem += b->size) {
		for (const struct go_step *s = first; s < end; s++)
			step(t, s, mem + s->off, live);
		make_room(t);
	}
}

// items follows the pointers of n values of any type.
static void items(struct go_typing *t, const struct go_brief *b,
		  const uint8_t *mem, taddr at, uint64_t n)
{
	const struct walk_item *first = b->items, *end = first + b->n_items;
	for (; n; n--, mem += b->size, at += b->size)
		for (const struct walk_item *i = first; i < end; i++)
			follow(t, i, mem + i->off, at + i->off);
}

// scan follows all pointers of one task.
static void scan(struct go_typing *t, const struct scan_task *task)
{
	const struct go_brief *b = go_brief_of(t, task->type);
	if (task->region != GO_NO_REGION)
		go_typemark_object(t, task->region, task->word, task->bit);
	if (b->special)
		go_typing_special(t, task->type, task->mem, task->at, task->n);
	else if (b->n_steps)
		steps(t, b, task->mem, task->n, false);
	else
		items(t, b, task->mem, task->at, task->n);
}

// struct visit is a region being visited: what its latest type is like.
// Shape: mask is that of the type, 0 when the type's pointers are not enough
//        to mark by; all is that of all slots, if they have one in common.
struct visit {
	const struct go_lot *lot;
	const struct go_brief *b;
	uint64_t n; // elements, see go_typing_elements
	uint64_t mask, all;
	uint32_t region, type;
	bool same;
};

static inline void visit_type(struct go_typing *t, struct visit *v,
			      uint32_t type)
{
	v->type = type;
	v->b = go_brief_of(t, type >> 1);
	v->n = go_typing_elements(v->b, type, v->lot->size);
	v->mask = t->marking ? go_typemark_mask(v->b, v->n) : 0;
}

// visit_word scans the objects of one word that have their bits set: those
// that live and have none but the pointers of their type mark by the way.
static void visit_word(struct go_typing *t, struct visit *v, uint32_t word,
		       uint64_t bits)
{
	const struct go_lot *lot = v->lot;
	uint32_t first = 64 * (word - t->regions[v->region].first_word);
	for (; bits; bits &= bits - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(bits), slot = first + i;
		uint64_t off = (uint64_t)slot * lot->size, one = bits & -bits;
		uint32_t type = lot->type == HEAP_MIXED ?
					t->of[UINT64_C(64) * word + i] :
					lot->type;
		if (type != v->type)
			visit_type(t, v, type);
		if (t->slots[word].pending & one) {
			uint64_t mask = v->same ? v->all :
						  go_object_mask(t->process,
								 v->region,
								 slot);
			if (mask)
				t->slots[word].pending &= ~one;
			if (mask && mask == v->mask) {
				steps(t, v->b, lot->mem + off, v->n, true);
				continue;
			}
			go_typemark_words(t, lot->mem + off, mask);
		}
		scan(t, &(struct scan_task){ lot->mem + off, lot->base + off,
					     v->n, type >> 1, v->region, word,
					     (uint8_t)i });
	}
}

// ask_region sends for the first objects that wait in a region.
static void ask_region(const struct go_typing *t, uint32_t region)
{
	const struct heap_region *r = &t->regions[region];
	const struct go_lot *lot = &t->lots[region];
	uint64_t end = r->first_word + (r->n_slots + UINT64_C(63)) / 64;
	unsigned left = lot->mem ? GO_ASK : 0;
	go_edges_prefetch(t->process, region);
	for (uint64_t w = r->first_word; w < end && left; w++) {
		uint64_t bits = t->slots[w].waiting;
		for (; bits && left; bits &= bits - 1, left--) {
			uint64_t i = (uint64_t)__builtin_ctzll(bits);
			uint64_t slot = 64 * (w - r->first_word) + i;
			if (lot->type == HEAP_MIXED)
				__builtin_prefetch(&t->of[64 * w + i]);
			ask_for(lot->mem + slot * lot->size, lot->size);
		}
	}
}

void go_typing_visit(struct go_typing *t)
{
	uint32_t region = t->queue[t->tail++ & t->queue_mask];
	const struct heap_region *r = &t->regions[region];
	uint32_t end = r->first_word + r->n_slots / 64 + (r->n_slots % 64 != 0);
	struct visit v = { .region = region, .lot = &t->lots[region] };
	v.same = go_edges_mask(t->process, region, &v.all);
	t->queued[region] = false;
	if (t->head - t->tail > 1)
		ask_region(t, t->queue[(t->tail + 1) & t->queue_mask]);
	for (uint32_t w = r->first_word; w < end; w++) {
		uint64_t bits = t->slots[w].waiting;
		t->slots[w].waiting = 0;
		go_typemark_late(t, region, w, bits);
		visit_word(t, &v, w, bits);
	}
}

void go_typing_drain(struct go_typing *t)
{
	for (;;) {
		if (t->near_head != t->near_tail) {
			struct scan_task task =
				t->near[t->near_head++ % GO_NEAR];
			if (t->odd.n)
				t->near[t->near_tail++ % GO_NEAR] =
					t->odd.at[--t->odd.n];
			scan(t, &task);
		} else if (t->head != t->tail) {
			go_typing_visit(t);
		} else if (!go_typing_flush(t) && !go_leaves_settle(t)) {
			return;
		}
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
	if (b->n_steps == 1 && b->steps[0].off == 0 && b->size == 8) {
		step(t, &b->steps[0], data_mem, false);
		make_room(t);
	}
}
