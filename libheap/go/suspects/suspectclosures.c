// suspectclosures.c: large objects that live because a func value captured
// them, and nothing else holds them.
#include "libheap/go/suspects/suspects.h"

#include "libheap/go/heap/edges.h"

#define LARGE 32768u // bytes of an object that is worth a mention
#define SMALL 64u    // of a variable that was captured by reference
#define WORDS 64u    // of an object that are looked at

// struct go_captured sums up what the closures of one function hold.
struct go_captured {
	uint64_t objects, bytes, most;
	struct heap_ref largest;
};

// struct words are the pointers of one object.
struct words {
	taddr at[WORDS];
	struct edge_sink sink;
};

static void leave_out(struct edge_sink *sink)
{
	sink->n = 0;
}

static void words_of(struct go_look *look, struct heap_ref ref,
		     struct words *w)
{
	w->sink = (struct edge_sink){ .target = w->at, .cap = WORDS,
				      .flush = leave_out };
	go_object_words(look->process, ref.region, ref.slot, &w->sink);
}

// holds_alone says whether `from`, which has a pointer to an object, is what
// keeps it alive.
static bool holds_alone(struct go_look *look, struct heap_ref from,
			struct heap_ref ref)
{
	struct heap_keeper k, above;
	if (!look->retained)
		return true; // as far as is known yet
	if (heap_keeper_of(look->retained, ref, &k))
		return false;
	if (k.node == UINT32_MAX)
		return true; // one word alone leads to it
	return heap_keeper_above(look->retained, &k, &above, NULL) == HC_OK &&
	       above.kind == HEAP_KEEPER_OBJECT &&
	       above.object.region == from.region &&
	       above.object.slot == from.slot;
}

// take adds the object at an address if it is large and held by `from` alone.
// It returns whether it is a small one that `from` holds, with its *ret.
static bool take(struct go_look *look, struct go_captured *sum,
		 struct heap_ref from, taddr at, struct heap_ref *ret)
{
	struct heap *heap = look->process->heap;
	if (heap_find(heap, at, ret))
		return false;
	uint64_t size = heap_ref_size(heap, *ret);
	if ((size > SMALL && size < LARGE) || !holds_alone(look, from, *ret))
		return false;
	if (size <= SMALL)
		return true;
	sum->objects++;
	go_look_add(look, &sum->bytes, size);
	if (size > sum->most) {
		sum->most = size;
		sum->largest = *ret;
	}
	return false;
}

static void add_closure(struct go_look *look, const struct go_object *o)
{
	struct go_captured *sum = &look->captured[o->type];
	struct words own, inner;
	words_of(look, o->ref, &own);
	for (uint32_t i = 0; i < own.sink.n; i++) {
		struct heap_ref ref, last;
		if (!take(look, sum, o->ref, own.at[i], &ref))
			continue;
		words_of(look, ref, &inner);
		for (uint32_t k = 0; k < inner.sink.n; k++)
			(void)take(look, sum, ref, inner.at[k], &last);
	}
}

static bool is_closure(struct go_look *look, go_typeid type, bool array)
{
	(void)array;
	return go_look_keeps(look) &&
	       go_type_get(look->types, type)->kind == GO_KIND_CLOSURE;
}

const struct go_way go_way_closures = { is_closure, add_closure };

enum hc go_closures_open(struct go_look *look)
{
	look->captured = pool_new(&look->pool, struct go_captured,
				  look->n_wants / 2);
	return look->captured ? HC_OK : HC_NONE;
}

void go_look_closures(struct go_look *look)
{
	uint32_t n = (uint32_t)(look->n_wants / 2);
	for (uint32_t t = 1; t < n; t++) {
		const struct go_captured *sum = &look->captured[t];
		if (!sum->bytes || sum->bytes < look->least)
			continue;
		go_look_say(look, "closed over", sum->bytes, sum->objects,
			    &sum->largest,
			    "%" PRIu64 " large objects live because a %s "
			    "captured them", sum->objects,
			    go_type_name(look->types, t, &look->pool));
	}
}
