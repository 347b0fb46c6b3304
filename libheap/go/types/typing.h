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
};

// struct go_claim is n elements of a type, as a number of the graph. n is 1
// for what the pointer's type says is a single value, else a slice's capacity,
// or as much of it as 32 bits hold.
struct go_claim {
	uint32_t type, n;
};

// struct go_batch is claims of what lies at addresses.
struct go_batch {
	uint32_t n;
	taddr at[GO_CLAIMS];
	struct go_claim claim[GO_CLAIMS];
};

// struct go_lot is what a claim needs to know of the region that it meets.
// Shape: mem is NULL unless objects begin at their slot and fill it, and the
//        span is in one run of memory.
struct go_lot {
	const uint8_t *mem;
	taddr base;
	uint32_t size; // of a slot
};

// struct go_brief is what a claim needs to know of a type.
// Shape: quick is false when claims take a closer look; special types
//        have no items.
struct go_brief {
	const struct walk_item *items;
	uint64_t size;
	uint32_t n_items;
	uint8_t kind; // enum go_kind
	bool made : 1, quick : 1, special : 1, pointers : 1;
};

// struct scan_task is a run of values whose pointers are to be followed.
// Shape: n is a length in bytes for special types.
struct scan_task {
	const uint8_t *mem;
	taddr at;
	uint64_t n;
	go_typeid type;
};

// struct go_visit is a region whose waiting objects are being taken.
// Shape: bits are those left of bitmap word `word`; to end there are more words.
struct go_visit {
	uint32_t region;
	uint64_t word, end, bits;
};

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
	uint32_t *of;      // per slot: 2 * id + array bit
	uint64_t *guess;   // per slot: only an interior pointer says so
	const struct go_shapes *shapes;
	struct go_stackvars *stackvars;
	struct pool scratch; // what debug information says of functions
	taddr types_bias;  // what to add to addresses of debug information
	uint64_t conflicts, rejected;
	struct go_batch *batch, *aimed; // being filled; its lines on the way
	struct heap_aim *aims, *aims_next; // of aimed; room for the other's
	struct go_brief *brief; // by type
	struct scan_task *near; // a few tasks whose memory is on the way
	uint32_t near_head, near_tail;
	// Plain objects that wait have a bit, and their regions are in a ring,
	// each once, so that one visit takes many objects of the same pages.
	uint64_t *pending;
	bool *queued;
	uint32_t *queue, queue_mask, head, tail;
	struct go_visit visit;
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

// go_brief_make fills the brief of a type.
void go_brief_make(struct go_typing *t, go_typeid type);
static inline const struct go_brief *go_brief_of(struct go_typing *t,
						 go_typeid type)
{
	if (!t->brief[type].made)
		go_brief_make(t, type);
	return &t->brief[type];
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
	if (n == GO_CLAIMS)
		go_typing_flush(t);
}

// go_typing_claim says that n values of a type lie at an address, 0 for one.
// 0 for at or type is no claim.
static inline void go_typing_claim(struct go_typing *t, taddr at,
				   go_typeid type, uint64_t n)
{
	uint32_t some = n > UINT32_MAX ? UINT32_MAX : (uint32_t)(n + !n);
	go_typing_put(t, type ? at : 0,
		      (struct go_claim){ type << 1 | (n ? GO_TYPE_ARRAY : 0),
					 some });
}

// go_typing_settle decides about a claim that needs a closer look: c says what
// lies at an address in the allocated object where aim leads.
void go_typing_settle(struct go_typing *t, taddr at, struct go_claim c,
		      const struct heap_aim *aim);

// go_typing_scan_object queues the plain object where aim leads for scanning.
void go_typing_scan_object(struct go_typing *t, const struct heap_aim *aim);

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

// go_typing_scan queues n values of a type at mem (address at) for scanning.
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
HC_MUST enum hc go_type_objects(struct go_process *process, uint32_t *of,
				struct hc_err *err);
