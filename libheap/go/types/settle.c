// settle.c: claims meet objects; see typing.h. Nearly all are decided here: for
// the start of a plain object in a region whose objects are all of that type,
// or what is known already.
#include "libheap/go/types/settle.h"

#include "libheap/go/types/leaves.h"

// words_end returns where the bitmap words of a region end.
static uint64_t words_end(const struct heap_region *r)
{
	return r->first_word + (r->n_slots + UINT64_C(63)) / 64;
}

// write_word writes down the type of the typed slots of one word.
static void write_word(struct go_typing *t, uint64_t word, uint32_t type)
{
	uint64_t typed = t->slots[word].taken & t->allocated[word];
	uint32_t *of = &t->of[64 * word];
	if (typed == UINT64_MAX)
		for (unsigned i = 0; i < 64; i++)
			of[i] = type;
	else
		for (; typed; typed &= typed - 1)
			of[__builtin_ctzll(typed)] = type;
}

// mix makes a region that has objects of one type a mixed one.
static void mix(struct go_typing *t, uint32_t region)
{
	const struct heap_region *r = &t->regions[region];
	struct go_lot *lot = &t->lots[region];
	for (uint64_t w = r->first_word; w < words_end(r); w++)
		write_word(t, w, lot->type);
	lot->type = HEAP_MIXED;
}

// all_taken says whether all objects of a region have a type.
static bool all_taken(const struct go_typing *t, const struct heap_region *r)
{
	uint64_t left = 0;
	for (uint64_t w = r->first_word; w < words_end(r); w++)
		left |= ~t->slots[w].taken;
	return !left;
}

void go_typing_end(struct go_typing *t, uint32_t *of_region)
{
	size_t n;
	const struct heap_region *r = heap_regions(t->process->heap, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct go_lot *lot = &t->lots[i];
		if (lot->type && lot->type != HEAP_MIXED &&
		    !all_taken(t, &r[i]))
			mix(t, i);
		of_region[i] = lot->type;
	}
}

// begin_lot says of a region without types that its objects are of one.
static void begin_lot(struct go_typing *t, struct go_lot *lot, uint32_t type)
{
	const struct go_brief *b = go_brief_of(t, type >> 1);
	bool plain = b->quick && (!lot->marks || lot->mem);
	lot->type = type;
	lot->most = plain ? lot->size / (uint32_t)b->size : 0;
	lot->scans = b->pointers ? lot->marks : 0;
}

void go_typing_set(struct go_typing *t, const struct heap_aim *aim,
		   uint32_t type, bool guess)
{
	struct go_lot *lot = &t->lots[aim->region];
	uint64_t bit = UINT64_C(1) << aim->bit, *guesses = &t->guess[aim->word];
	if (!lot->type)
		begin_lot(t, lot, type);
	else if (lot->type != type && lot->type != HEAP_MIXED)
		mix(t, aim->region);
	t->slots[aim->word].taken |= bit;
	if (lot->type == HEAP_MIXED)
		t->of[UINT64_C(64) * aim->word + aim->bit] = type;
	lot->guessed |= guess;
	if (lot->guessed)
		*guesses = guess ? *guesses | bit : *guesses & ~bit;
}

// is_known says whether a claim says nothing new.
static inline bool is_known(const struct go_typing *t, struct go_claim c,
			    const struct heap_aim *aim)
{
	const struct go_lot *lot = &t->lots[aim->region];
	uint64_t bit = UINT64_C(1) << aim->bit;
	if (!c.type)
		return true;
	if (!(t->slots[aim->word].taken & bit))
		return false;
	if (!(t->allocated[aim->word] & bit))
		return true;
	return go_typing_of(t, aim->region, aim->word, aim->bit) == c.type &&
	       !(lot->guessed && (t->guess[aim->word] & bit));
}

void go_settle_claim(struct go_typing *t, taddr at, struct go_claim c,
		     const struct heap_aim *aim)
{
	const struct go_lot *lot = &t->lots[aim->region];
	if (is_known(t, c, aim))
		return;
	bool old = t->slots[aim->word].taken >> aim->bit & 1;
	const struct go_brief *b = go_brief_of(t, c.type >> 1);
	if (old && !lot->marks && !aim->at_start &&
	    b->kind < GO_KIND_SOME_CLOSURE)
		return; // one more of several tiny values
	if (old || !aim->at_start || !b->quick || c.n * b->size > lot->size ||
	    (lot->marks && !lot->mem)) {
		go_typing_settle(t, at, c, aim);
		return;
	}
	go_typing_set(t, aim, c.type, false);
	if (b->pointers && lot->marks)
		go_typing_wait(t, aim);
}

// settle_noscan passes a claim for an object without pointers on, unless it
// takes a look at the object's bytes: that needs no look at its type.
static void settle_noscan(struct go_typing *t, taddr at, struct go_claim c,
			  const struct heap_aim *aim)
{
	if (!aim->word)
		return;
	if (c.type &&
	    go_brief_of(t, c.type >> 1)->kind >= GO_KIND_SOME_CLOSURE) {
		if (t->allocated[aim->word] >> aim->bit & 1)
			go_typing_settle(t, at, c, aim);
		c.type = 0;
	}
	go_leaves_put(t, at, c);
}

// settle decides about a claim and what it marks. An object that was scanned
// before it was known to live is looked at once more.
static void settle(struct go_typing *t, taddr at, struct go_claim c,
		   const struct heap_aim *aim)
{
	struct go_slots *slots = &t->slots[aim->word];
	const struct go_lot *lot = &t->lots[aim->region];
	uint64_t live = (uint64_t)c.live << aim->bit;
	if (!lot->marks) {
		settle_noscan(t, at, c, aim);
		return;
	}
	uint64_t new = live & ~slots->seen;
	slots->seen |= live;
	slots->pending |= new;
	if (new & slots->taken)
		go_typing_queue(t, aim->region);
	if (c.type)
		go_settle_claim(t, at, c, aim);
}

// settle_quick is settle for what claims the type that all objects of a region
// with pointers have, while many regions wait: then without a branch.
static inline bool settle_quick(struct go_typing *t, struct go_claim c,
				const struct heap_aim *aim)
{
	const struct go_lot *lot = &t->lots[aim->region];
	struct go_slots *slots = &t->slots[aim->word];
	// Of a region without pointers marks alone is ours to read.
	if (!lot->marks || lot->type != c.type || !aim->at_start ||
	    c.n > lot->most || !lot->scans)
		return false;
	uint64_t bit = UINT64_C(1) << aim->bit;
	uint64_t live = (uint64_t)c.live << aim->bit;
	uint64_t new = bit & ~slots->taken, marks = live & ~slots->seen;
	slots->taken |= bit;
	slots->waiting |= new;
	slots->seen |= live;
	slots->pending |= marks;
	t->queue[t->head & t->queue_mask] = aim->region;
	bool need = (new | marks) != 0 && !t->queued[aim->region];
	t->queued[aim->region] |= need;
	t->head += need;
	return true;
}

bool go_typing_flush(struct go_typing *t)
{
	struct go_batch *new = t->batch, *old = t->aimed;
	bool any = new->n || old->n;
	struct heap_aim *new_aims = t->aims_next, *aims = t->aims;
	heap_aim(t->process->heap, new->at, new->n, t->slots, GO_SLOTS_LOG,
		 new_aims);
	bool few = t->head - t->tail < GO_FEW;
	// Nothing below claims anything, or there would be no room for it.
	for (uint32_t i = 0; i < old->n; i++)
		if (few || !settle_quick(t, old->claim[i], &aims[i]))
			settle(t, old->at[i], old->claim[i], &aims[i]);
	old->n = 0;
	t->batch = old;
	t->aimed = new;
	t->aims = new_aims;
	t->aims_next = aims;
	return any;
}
