// stackscan.c: see stackscan.h.
#include "libheap/go/stacks/stackscan.h"

#define LEAST_POINTER 4096 // below are no mappings

void scan_bad(struct scan *s, taddr at, const char *why)
{
	if (s->bad)
		return;
	s->bad = why;
	s->bad_at = at;
}

static void push(struct scan *s, struct scan_queue *queue, taddr value)
{
	taddr *new = vec_push(s->pool, queue);

	if (!new)
		s->full = true;
	else
		*new = value;
}

void scan_value(struct scan *s, taddr at, uint64_t value,
		struct scan_what what)
{
	if (value < LEAST_POINTER)
		return;
	if (value >= s->stack.lo && value < s->stack.hi) {
		push(s, what.unsure ? &s->unsure : &s->sure, value);
		return;
	}
	s->fn(s->ctx, &(struct heap_root){
			      .target = value,
			      .at = at,
			      .kind = what.kind,
			      .owner = s->g->index,
			      .detail = go_detail(what.place, what.frame,
						  what.number),
		      });
}

// view returns the bytes of [at, at + len), most often of the stack.
static const uint8_t *view(struct scan *s, taddr at, uint64_t len)
{
	const struct go_stack *stack = &s->stack;
	const uint8_t *bytes;
	struct hc_err why;

	if (at >= stack->base && len <= stack->len &&
	    at - stack->base <= stack->len - len)
		return stack->bytes + (at - stack->base);
	if (core_view(s->process->core, at, len, &bytes, &why)) {
		scan_bad(s, at, "part of it is not in the core");
		return NULL;
	}
	return bytes;
}

void scan_words(struct scan *s, taddr at, uint64_t n, const uint8_t *mask,
		struct scan_what what)
{
	const uint8_t *bytes;
	uint64_t i;

	if (n == 0)
		return;
	if (n > s->budget) {
		scan_bad(s, at, "its maps cover it many times over");
		return;
	}
	s->budget -= n;
	bytes = view(s, at, n * s->word);
	if (!bytes)
		return;
	for (i = 0; i < n; i++) {
		if (mask && i % 8 == 0 && mask[i / 8] == 0) {
			i += 7;
			continue;
		}
		if (mask && !(mask[i / 8] >> (i % 8) & 1))
			continue;
		scan_value(s, at + i * s->word,
			   go_word(bytes + i * s->word, s->word), what);
	}
}

static bool holds_panic(const struct scan *s, const struct go_stackobj *object)
{
	unsigned i;

	for (i = 0; i < s->n_panics; i++)
		if (s->panics[i] - object->at < object->len)
			return true;
	return false;
}

static void scan_object(struct scan *s, struct go_stackobj *object, bool unsure)
{
	struct scan_what what = { HEAP_ROOT_FRAME, GO_IN_OBJECT,
				  object->frame, 0, unsure };
	const uint8_t *mask;
	struct hc_err why;

	object->done = true;
	if (object->ptr_len == 0)
		return;
	if (go_stackobj_mask(s->process, object, s->pool, &mask, &why)) {
		scan_bad(s, object->at, "a variable's pointer map is damaged");
		return;
	}
	if (unsure) {
		what.kind = HEAP_ROOT_CONSERVATIVE;
	} else if (holds_panic(s, object)) {
		what.kind = HEAP_ROOT_PANIC;
		what.place = GO_IN_PANIC;
	}
	scan_words(s, object->at, object->ptr_len / s->word, mask, what);
}

void scan_objects(struct scan *s)
{
	while ((s->sure.n || s->unsure.n) && !s->full) {
		bool unsure = s->sure.n == 0;
		struct scan_queue *queue = unsure ? &s->unsure : &s->sure;
		taddr at = queue->at[--queue->n];
		struct go_stackobj *object = go_stackobjs_find(&s->objects, at);

		if (object && !object->done)
			scan_object(s, object, unsure);
	}
}
