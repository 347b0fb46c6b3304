// suspects.h: memory that typed values show to be wasted.
#pragma once

#include "libheap/go/types/types.h"
#include "libheap/go/types/walk.h"

// go_suspects is heap_reader.suspects: room that no slice or map uses, what
// popped slots still keep, strings with the same content, what pools and closures
// hold, and many timers or contexts.
void go_suspects(struct go_process *process, uint64_t least,
		 heap_suspect_fn *fn, void *ctx);

// struct go_look is one look at all typed values.
// Shape: used is by number of slot (64 * first_word + slot): up to which byte
//        of the object some slice or string reaches.
struct go_look {
	struct go_process *process;
	struct go_types *types;
	struct walks *walks;
	struct walk walk; // of walk_type, the type asked for last
	go_typeid walk_type;
	struct heap_retained *retained; // NULL: not known
	struct heap_below *below; // bounds are asked for instead, or NULL
	bool unsure;              // they do not do
	struct pool pool;               // for the time of the look
	uint32_t *used;
	uint8_t *wants; // by number of an object's type: a bit for each way of
			// go_look_each, and one for "asked"
	size_t n_wants; // types met later are of no object
	struct go_strings *strings;
	struct go_room *rooms; // by type
	struct go_fill *fills; // by type
	struct go_captured *captured; // by type
	struct go_pools *pools;       // one
	uint64_t least;
	heap_suspect_fn *fn;
	void *ctx;
};

// What objects retain takes long to find, and is seldom much. So looks first
// sum up what it can be at most; only when that is worth a mention is it found,
// and summed up again.

// go_look_keeps says whether looks at what objects retain make sense.
static inline bool go_look_keeps(const struct go_look *look)
{
	return look->retained || look->below;
}

// go_look_kept returns the bytes that a live object retains, or a bound.
uint64_t go_look_kept(struct go_look *look, struct heap_ref ref);

// go_look_add adds them to a sum.
static inline void go_look_add(struct go_look *look, uint64_t *sum,
			       uint64_t bytes)
{
	*sum += bytes;
	look->unsure |= look->below && *sum >= look->least;
}

// go_look_again returns whether sums have to be made again, without bounds.
bool go_look_again(struct go_look *look);

// go_look_say hands a suspect on; its text is made as by printf.
__attribute__((format(printf, 6, 7))) void
go_look_say(struct go_look *look, const char *kind, uint64_t bytes,
	    uint64_t count, const struct heap_ref *object, const char *fmt,
	    ...);

// go_look_index returns an object's number of slot.
static inline uint64_t go_look_index(const struct go_look *look,
				     struct heap_ref ref)
{
	size_t n;
	const struct heap_region *r = heap_regions(look->process->heap, &n);
	return UINT64_C(64) * r[ref.region].first_word + ref.slot;
}

// struct go_object is one live object of known type.
// Shape: mem holds n values of type, and len bytes in all; array says that it
//        is an array behind a slice.
struct go_object {
	struct heap_ref ref;
	uint64_t index, len, n, data; // data: offset in the slot
	const uint8_t *mem;
	taddr at;
	go_typeid type;
	bool array;
};

// struct go_way is what one look does with objects of the types it wants.
// Shape: wants is asked once for a type, or for arrays of it.
struct go_way {
	bool (*wants)(struct go_look *look, go_typeid type, bool array);
	void (*fn)(struct go_look *look, const struct go_object *o);
};
enum { GO_WAYS_MAX = 7 };

// go_look_each goes once through the live objects whose type is known and whose
// bytes are in the core, for n ways (up to GO_WAYS_MAX) at the same time.
void go_look_each(struct go_look *look, const struct go_way *const *ways,
		  unsigned n);

// Looks at slices: what they use (for each value), then what nothing uses.
void go_look_slice(struct go_look *look, taddr at, uint64_t end);
void go_look_room(struct go_look *look);

// Looks at strings, at each, then says which are the same.
HC_MUST enum hc go_strings_open(struct go_look *look);
void go_look_string(struct go_look *look, taddr at, uint64_t len);
void go_look_same(struct go_look *look);

// The looks at maps' groups or buckets, at what sync.Pools hold and at what
// closures captured: each gets its sums, goes its way with all objects and then
// says what it has found.
extern const struct go_way go_way_maps, go_way_pools, go_way_closures;
HC_MUST enum hc go_maps_open(struct go_look *look);
HC_MUST enum hc go_pools_open(struct go_look *look);
HC_MUST enum hc go_closures_open(struct go_look *look);
void go_look_maps(struct go_look *look);
void go_look_pools(struct go_look *look);
void go_look_closures(struct go_look *look);

// go_look_stoppable says of which types, that one should stop, there are many.
void go_look_stoppable(struct go_look *look);
