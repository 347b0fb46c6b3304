// typing.h: giving every object the best-supported type.
//
// Evidence is followed from the strongest down: type headers of large objects,
// then whatever has a type of its own (globals, interfaces, runtime records),
// and from each typed object through its fields to the next, until nothing
// changes. Where two claims meet, the one that covers more of the object wins.
#pragma once

#include "libheap/go/heap/edges.h"
#include "libheap/go/types/types.h"
#include "libheap/go/types/walk.h"

// Numbers in the graph are twice the type's id, plus 1 for an array of it.
#define GO_TYPE_ARRAY 1u

enum {
	GO_CLAIMS = 64, // looked up at a time
	GO_NEAR = 32,   // values about to be scanned, on their way to us
	GO_FEW = 16,    // regions waiting below which objects are near at once
	GO_ASK = 16,    // objects of the next region sent for
	GO_STEPS = 64,  // most of a brief
	GO_BATCH = GO_CLAIMS + 2 * GO_STEPS, // claims of one value at most more
};

// struct go_claim is n elements of a type, as a number of the graph. n is 1
// for what the pointer's type says is a single value, else a slice's capacity,
// or as much of it as 31 bits hold. live: the pointer marks what it leads to,
// as one of an object that lives and of which all pointers become such claims;
// those that say no more have type 0.
struct go_claim {
	uint32_t type;
	uint32_t n : 31, live : 1;
};
#define GO_CLAIM_MAX INT32_MAX

// struct go_batch is claims of what lies at addresses.
// Shape: one that has GO_CLAIMS is settled before long, and takes those of one
//        more value till then.
struct go_batch {
	uint32_t n;
	taddr at[GO_BATCH];
	struct go_claim claim[GO_BATCH];
};

// struct go_lot is what a claim needs to know of the region that it meets.
// Shape: mem is NULL unless objects begin at their slot and fill it, and the
//        span is in one run of memory. Most regions hold objects of one type;
//        of those in a mixed one `of` has each slot's. most is how many of
//        its elements an object holds, 0 when claims take a closer look. scans
//        and marks are all ones when objects of this type are scanned, and
//        when the collector scans any.
struct go_lot {
	const uint8_t *mem;
	taddr base;
	uint64_t scans, marks;
	uint32_t size; // of a slot, 0 when it is no plain one
	uint32_t type; // 0: no object has one yet
	uint32_t most;
	bool guessed; // of some
};

// struct go_slots is one word of a region's slots.
// Shape: taken are those with a type, and those with no object, which want
//        none; waiting those whose values are to be scanned. seen and pending
//        are as in heap_pair, while marking goes on.
struct go_slots {
	_Alignas(32) uint64_t taken;
	uint64_t waiting, seen, pending;
};
#define GO_SLOTS_LOG 5 // of its size

// struct go_step is a walk_item whose pointer can be taken by itself: what it
// claims and where. leaf: its type has no pointers.
struct go_step {
	struct go_claim claim;
	uint32_t off;
	uint8_t op; // enum walk_op
	bool leaf;
};

// struct go_brief is what a claim needs to know of a type.
// Shape: quick is false when claims take a closer look; special types
//        have no items. n_steps is n_items, or 0 when not all are steps; words
//        has a bit for each word that a step takes a pointer from.
struct go_brief {
	const struct walk_item *items;
	const struct go_step *steps;
	uint64_t size, words;
	uint32_t n_items, n_steps;
	uint8_t kind; // enum go_kind
	bool made : 1, quick : 1, special : 1, pointers : 1;
};

// struct scan_task is a run of values whose pointers are to be followed.
// Shape: n is a length in bytes for special types. region is that of a whole
//        object, GO_NO_REGION for a part of one and for what is in none.
struct scan_task {
	const uint8_t *mem;
	taddr at;
	uint64_t n;
	go_typeid type;
	uint32_t region, word;
	uint8_t bit;
};
#define GO_NO_REGION UINT32_MAX

// struct go_known is the last interface or closure that a word was found to
// lead to.
struct go_known {
	taddr word;
	go_typeid type;
};
#define GO_KNOWN_LOG 8

// struct go_typing is one run; go_typing_open makes it.
struct go_typing {
	struct go_process *process;
	struct go_lot *lots; // by region
	struct go_types *types;
	struct walks *walks;
	struct pool *pool;
	const struct heap_region *regions;
	const uint64_t *allocated;
	uint32_t *of;      // per slot of mixed regions: 2 * id + array bit
	uint64_t *guess;   // per slot: only an interior pointer says so
	struct go_slots *slots; // by word, n_words
	uint64_t n_words;
	bool marking; // goes on
	uint64_t *single; // a region's words, zero but for the object scanned
	const struct go_shapes *shapes;
	struct go_stackvars *stackvars;
	struct pool scratch; // what debug information says of functions
	taddr types_bias;  // what to add to addresses of debug information
	uint64_t conflicts[2]; // claims of as much by another type: in
			       // regions with and without pointers
	struct go_batch *batch, *aimed; // being filled; its lines on the way
	struct heap_aim *aims, *aims_next; // of aimed; room for the other's
	struct go_letter *letter; // open: see leaves.h
	struct go_leaves *leaves;
	struct go_brief *brief; // by type
	struct scan_task *near; // a few tasks whose memory is on the way
	uint32_t near_head, near_tail;
	// The regions of plain objects that wait are in a ring, each once, so
	// that one visit takes many objects of the same pages.
	bool *queued;
	uint32_t *queue, queue_mask, head, tail;
	struct { VEC(struct scan_task); } odd; // that are no plain objects
	struct pool briefs; // one array, which never moves
	struct go_known known[2][1 << GO_KNOWN_LOG]; // types, itabs and code
	bool short_of_memory;
};

// go_typing_open makes the queues of an otherwise filled *t. Fails: NOMEM.
// Owns: go_typing_close lets go of them.
HC_MUST enum hc go_typing_open(struct go_typing *t, struct hc_err *err);
void go_typing_close(struct go_typing *t);

// go_typing_flush settles the claims whose lines have arrived and sends for
// those of the newer ones. It returns whether there were any of either.
bool go_typing_flush(struct go_typing *t);

// go_typing_set gives an allocated slot a type, as a number of the graph. A
// guess may be replaced by any other claim for all of the object.
void go_typing_set(struct go_typing *t, const struct heap_aim *aim,
		   uint32_t type, bool guess);

// go_typing_of returns the type of an allocated slot, 0 when it has none yet.
static inline uint32_t go_typing_of(const struct go_typing *t, uint32_t region,
				    uint32_t word, uint32_t bit)
{
	uint32_t type = t->lots[region].type;
	if (type == HEAP_MIXED)
		return t->of[UINT64_C(64) * word + bit];
	return t->slots[word].taken >> bit & 1 ? type : 0;
}

// go_typing_end says in of_region which regions are of one type.
void go_typing_end(struct go_typing *t, uint32_t *of_region);

// go_step_of returns the step of an item, which is no WALK_ARRAY.
struct go_step go_step_of(struct go_typing *t, const struct walk_item *item);

// go_brief_make fills the brief of a type.
void go_brief_make(struct go_typing *t, go_typeid type);
static inline const struct go_brief *go_brief_of(struct go_typing *t,
						 go_typeid type)
{
	if (!t->brief[type].made)
		go_brief_make(t, type);
	return &t->brief[type];
}

// go_typing_elements returns how many values of a type number lie in len bytes:
// as scan_task.n.
static inline uint64_t go_typing_elements(const struct go_brief *b,
					  uint32_t type, uint64_t len)
{
	if (b->special)
		return len;
	return (type & GO_TYPE_ARRAY) && b->size ? len / b->size : 1;
}

// go_typing_put puts a claim into the batch; at 0 is none.
static inline void go_typing_put(struct go_typing *t, taddr at,
				 struct go_claim claim)
{
	struct go_batch *b = t->batch;
	uint32_t n = b->n;
	b->at[n] = at;
	b->claim[n] = claim;
	n += at != 0;
	b->n = n;
	if (n >= GO_CLAIMS)
		go_typing_flush(t);
}

// go_typing_claim says that n values of a type lie at an address, 0 for one.
// 0 for at or type is no claim.
static inline void go_typing_claim(struct go_typing *t, taddr at,
				   go_typeid type, uint64_t n)
{
	uint32_t some = n > GO_CLAIM_MAX ? GO_CLAIM_MAX : (uint32_t)(n + !n);
	go_typing_put(t, type ? at : 0,
		      (struct go_claim){ type << 1 | (n ? GO_TYPE_ARRAY : 0),
					 some & GO_CLAIM_MAX, false });
}

// go_typing_settle decides about a claim that needs a closer look: c says what
// lies at an address in the allocated object where aim leads.
void go_typing_settle(struct go_typing *t, taddr at, struct go_claim c,
		      const struct heap_aim *aim);

// go_typing_wait queues the plain object where aim leads for scanning.
void go_typing_wait(struct go_typing *t, const struct heap_aim *aim);

// go_typing_visit scans what waits in the region that waits longest.
void go_typing_visit(struct go_typing *t);

// go_typing_queue puts a region into the ring of those that are visited.
static inline void go_typing_queue(struct go_typing *t, uint32_t region)
{
	t->queue[t->head & t->queue_mask] = region;
	t->head += !t->queued[region];
	t->queued[region] = true;
}

// go_known_of returns where the type of a word is or will be remembered.
static inline struct go_known *go_known_of(struct go_typing *t, bool pair,
					   taddr word)
{
	uint64_t h = word * UINT64_C(0x9E3779B97F4A7C15);
	return &t->known[pair][h >> (64 - GO_KNOWN_LOG)];
}

// go_typing_interface claims what an interface's two words say: the dynamic
// type of `word` (an itab when is_itab, else a type) for the data word, which
// lies at data_mem.
void go_typing_interface(struct go_typing *t, taddr word, bool is_itab,
			 const uint8_t *data_mem);

// go_typing_add queues a task.
void go_typing_add(struct go_typing *t, const struct scan_task *task);

// go_typing_scan queues n values of a type at mem (address at) for scanning,
// which are not all of an object.
void go_typing_scan(struct go_typing *t, const uint8_t *mem, taddr at,
		    go_typeid type, uint64_t n);

// go_typing_word claims what the word at byte offset off of the value of a type
// at mem points to. It returns whether the type has a pointer there.
bool go_typing_word(struct go_typing *t, go_typeid type, const uint8_t *mem,
		    uint64_t off);

// go_typing_drain follows everything queued until nothing is left.
void go_typing_drain(struct go_typing *t);

// go_typing_pair is go_typing_interface for two words that may be an
// interface: word is believed only if it is a type or an itab of a module.
// It returns whether they were one.
bool go_typing_pair(struct go_typing *t, taddr word, const uint8_t *data_mem);

// go_object_data returns where an object's values begin: behind its type
// header, if it has one, and how long they are.
uint64_t go_object_data(const struct go_span *span, uint64_t *ret_len);

// go_type_objects is heap_reader.type_objects.
HC_MUST enum hc go_type_objects(struct go_process *process,
				const struct heap_types *types,
				struct hc_err *err);
