// owners.c: goroutines (or whatever the runtime calls them) with the same
// stack in large numbers.
#include "libheap/heap.h"

#include "libcore/base/hash.h"

#include <string.h>

enum { MANY = 50, SHARE = 10, SLOTS_LOG = 16 };

// struct stack is what owners with one stack have in common.
// Shape: next chains those whose hash begins alike, 0 ends it.
struct stack {
	uint64_t hash, count, bytes;
	uint32_t owner, next;
	const char *waits;
};

struct stacks {
	struct heap_suspects *s;
	struct { VEC(struct stack); } list; // [0] is none
	uint32_t *slot;
	uint64_t *kept; // by owner
	uint32_t n_kept;
	uint64_t n, hash;
	bool full;
};

// hash_text takes the NUL in, so that texts do not run together.
static void hash_text(struct stacks *st, const char *text)
{
	text = text ? text : "";
	st->hash = hash_more(st->hash, text, strlen(text) + 1);
}

static bool take_frame(void *ctx, const struct heap_frame *frame)
{
	struct stacks *st = ctx;
	hash_text(st, frame->function);
	st->hash = hash_more(st->hash, &frame->line, sizeof(frame->line));
	return true;
}

// stack_of returns the group of the hash, a new one if need be, or NULL.
static struct stack *stack_of(struct stacks *st)
{
	uint32_t *head = &st->slot[st->hash >> (64 - SLOTS_LOG)];
	for (uint32_t i = *head; i; i = st->list.at[i].next)
		if (st->list.at[i].hash == st->hash)
			return &st->list.at[i];
	struct stack *new = vec_push(st->s->pool, &st->list);
	if (!new)
		return NULL;
	*new = (struct stack){ .hash = st->hash, .next = *head };
	*head = (uint32_t)(st->list.n - 1);
	return new;
}

static bool take_owner(void *ctx, const struct heap_owner *owner)
{
	struct stacks *st = ctx;
	struct heap *heap = st->s->heap;
	st->hash = HASH_START;
	hash_text(st, owner->wait_reason);
	heap_reader_of(heap)->frames(heap_self(heap), owner->index, take_frame,
				     st);
	struct stack *to = stack_of(st);
	if (!to) {
		st->full = true;
		return false;
	}
	if (to->count++ == 0) {
		const char *waits = owner->wait_reason ? owner->wait_reason :
							 owner->status;
		to->owner = owner->index;
		to->waits = waits ? pool_printf(st->s->pool, "%s", waits) : "";
	}
	to->bytes += owner->stack_high - owner->stack_low;
	if (owner->index < st->n_kept)
		to->bytes += st->kept[owner->index];
	st->n++;
	return true;
}

// kept_by_owner makes a table of what each owner retains.
static bool kept_by_owner(struct stacks *st)
{
	uint32_t all = heap_holders(st->s->retained);
	for (uint32_t i = 0; i < all; i++) {
		uint32_t owner = heap_holder(st->s->retained, i).root.owner;
		if (owner != HEAP_NO_OWNER && owner >= st->n_kept)
			st->n_kept = owner + 1;
	}
	st->kept = pool_new(st->s->pool, uint64_t, st->n_kept + UINT64_C(1));
	for (uint32_t i = 0; st->kept && i < all; i++) {
		struct heap_keeper k = heap_holder(st->s->retained, i);
		if (k.root.owner != HEAP_NO_OWNER)
			st->kept[k.root.owner] += k.bytes;
	}
	return st->kept != NULL;
}

enum hc suspects_owners(struct heap_suspects *s, struct hc_err *err)
{
	struct stacks st = { .s = s };
	const struct heap_reader *reader = heap_reader_of(s->heap);
	if (!reader->owners)
		return HC_OK;
	st.slot = pool_new(s->pool, uint32_t, UINT64_C(1) << SLOTS_LOG);
	struct stack *none = vec_push(s->pool, &st.list);
	if (!st.slot || !none || !kept_by_owner(&st))
		return hc_nomem(err);
	reader->owners(heap_self(s->heap), take_owner, &st);
	if (st.full)
		return hc_nomem(err);
	for (uint64_t i = 1; i < st.list.n; i++) {
		const struct stack *stack = &st.list.at[i];
		if (stack->count < MANY || stack->count < st.n / SHARE)
			continue;
		struct heap_suspect *to = suspects_add(s, "owners",
						       stack->bytes,
						       stack->count);
		if (!to)
			return hc_nomem(err);
		to->owner = stack->owner;
		to->text = stack->waits;
	}
	return HC_OK;
}
