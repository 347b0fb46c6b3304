// keeper.h: what keeps objects alive, and how much each retains. Part of
// heap.h, the public header.
#pragma once

#include "libheap/reader.h"

// A keeper is whatever keeps objects alive: an object, a holder of roots (a
// variable, a goroutine, …), or all roots together. What it retains are the
// objects that would be unreachable without it; the keeper above it is the
// nearest one that retains it too (its immediate dominator).
enum heap_keeper_kind {
	HEAP_KEEPER_ALL,    // all roots
	HEAP_KEEPER_HOLDER, // root stands for the holder
	HEAP_KEEPER_OBJECT, // object
};

// struct heap_keeper is one keeper with what it retains, itself included.
// Units: bytes are slots' sizes; own_bytes those of the object alone.
// Shape: node is at most that of heap_keeper_all and no two have the same; it
//        is UINT32_MAX for an object without pointers that one word of one
//        object leads to, which is the keeper above it.
struct heap_keeper {
	enum heap_keeper_kind kind;
	struct heap_ref object;
	struct heap_root root;
	uint64_t own_bytes, bytes, objects;
	uint32_t node;
};

// struct heap_retained is the tree of all keepers.
struct heap_retained;

// heap_retained_need returns the bytes of memory that heap_retain will need at
// least, beside what is in use. heap_mark comes first by itself.
// Fails: NOMEM, from marking.
HC_MUST enum hc heap_retained_need(struct heap *heap, uint64_t *ret,
				   struct hc_err *err);

// heap_retain finds what every object and holder retains. With garbage it does
// so for what is allocated and not reachable: all that no such object points
// to is then at the top, and one object of each ring.
// Owns:  *ret lives in the heap's pool; a second call returns the same.
// Fails: LIMIT, naming the memory it would take, when that is more than there
//        is; LIMIT above 2^31 objects; NOMEM.
HC_MUST enum hc heap_retain(struct heap *heap, bool garbage,
			    struct heap_retained **ret, struct hc_err *err);

// heap_retained_made returns what heap_retain has already made, or NULL.
struct heap_retained *heap_retained_made(const struct heap *heap, bool garbage);

// struct heap_below looks at what single objects lead to, and no further than
// it has to: whoever wants to know whether objects may retain much asks it
// before paying for heap_retain.
struct heap_below;

// heap_below_open makes one. Owns: *ret is in pool. Fails: NOMEM.
HC_MUST enum hc heap_below_open(const struct heap *heap, struct pool *pool,
				struct heap_below **ret, struct hc_err *err);

// heap_below_bytes returns the bytes of an object and of all that can be
// reached from it, which is the most that it can retain; or, once there are
// `most`, those so far, and `most` when memory is short.
uint64_t heap_below_bytes(struct heap_below *below, struct heap_ref object,
			  uint64_t most);

// heap_keeper_all returns the keeper of everything: its bytes are all live
// bytes, and so is the sum over the keepers below it.
struct heap_keeper heap_keeper_all(const struct heap_retained *retained);

// heap_keeper_of sets *ret to the keeper that an object is.
// Fails: NONE when it is not one of those looked at (it is garbage, or not).
HC_MUST enum hc heap_keeper_of(struct heap_retained *retained,
			       struct heap_ref object,
			       struct heap_keeper *ret);

// heap_keeper_above sets *ret to the one above a keeper.
// Fails: NONE for the keeper of everything; NOMEM.
HC_MUST enum hc heap_keeper_above(struct heap_retained *retained,
				  const struct heap_keeper *keeper,
				  struct heap_keeper *ret, struct hc_err *err);

// heap_keepers_below returns the keepers right below one, up to max, those
// that retain most bytes first; *ret_all is how many there are.
// Owns: *ret is in pool. Fails: NOMEM.
HC_MUST enum hc heap_keepers_below(struct heap_retained *retained,
				   const struct heap_keeper *keeper,
				   size_t max, struct pool *pool,
				   struct heap_keeper **ret, size_t *ret_n,
				   uint64_t *ret_all, struct hc_err *err);

// heap_holders returns how many holders there are, heap_holder one of them, in
// the order of what the reader's holder returned. Garbage has none.
uint32_t heap_holders(const struct heap_retained *retained);
struct heap_keeper heap_holder(const struct heap_retained *retained,
			       uint32_t i);

// struct heap_sum is what a group of objects is and retains together.
struct heap_sum {
	uint64_t objects, own_bytes, bytes, retained_objects;
};

// heap_retained_by sums up what is below a keeper, itself included (NULL: all
// there is), by type or by any group of types: group[type] is below n_groups;
// without group, type numbers are the groups. An object that
// another one of its group retains adds nothing to bytes, so
// none is counted twice.
// Owns:  *ret is in pool: one for each group. Fails: NOMEM.
HC_MUST enum hc heap_retained_by(struct heap_retained *retained,
				 const struct heap_keeper *top,
				 const uint32_t *group, uint32_t n_groups,
				 struct pool *pool, struct heap_sum **ret,
				 struct hc_err *err);
