// typing.h: giving every object the best-supported type.
//
// Evidence is followed from the strongest down: type headers of large objects,
// then whatever has a type of its own (globals, interfaces, runtime records),
// and from each typed object through its fields to the next, until nothing
// changes. Where two claims meet, the one that covers more of the object wins.
#pragma once

#include "libheap/go/edges.h"
#include "libheap/go/types.h"
#include "libheap/go/walk.h"

// Numbers in the graph are twice the type's id, plus 1 for an array of it.
#define GO_TYPE_ARRAY 1u

// struct go_claim says what should lie at an address.
// Shape: n elements of type; n is 0 for one that the pointer's type says is a
//        single value, else a slice's capacity.
struct go_claim {
	taddr at;
	uint64_t n;
	uint64_t index; // of the object, if it is allocated (heap_aim)
	uint32_t region;
	go_typeid type;
};

// struct go_lot is what a claim needs to know of the region that it meets, in
// half a cache line. Units: size in bytes of a slot. Shape: plain says that
// objects begin at the slot and fill it, without a header or a limit.
struct go_lot {
	const uint8_t *mem; // of the span, NULL when not in one run
	taddr base;
	uint64_t first;     // of the region's numbers in the per-slot arrays
	uint32_t size;      // when plain
	bool plain, noscan;
};

// struct go_typing is one run; typing.c owns it.
struct go_typing {
	struct go_process *process;
	struct go_lot *lots; // by region
	struct go_types *types;
	struct walks *walks;
	struct pool *pool;
	const uint64_t *allocated;
	uint32_t *of;      // per slot: 2 * id + array bit
	uint64_t *guess;   // per slot: only an interior pointer says so
	const struct go_shapes *shapes;
	struct go_stackvars *stackvars;
	struct pool scratch; // what debug information says of functions
	taddr types_bias;  // what to add to addresses of debug information
	uint64_t conflicts, rejected;
	uint32_t head, tail; // of the ring
	struct go_claim *ring;
	struct { VEC(struct scan_task); } stack;
	struct scan_task *near; // a few tasks whose memory is on the way
	uint32_t near_head, near_tail;
	bool short_of_memory;
};

// struct scan_task is a run of values whose pointers are to be followed.
struct scan_task {
	const uint8_t *mem;
	taddr at;
	uint64_t n;
	go_typeid type;
};

// go_typing_open makes the queues of an otherwise filled *t. Fails: NOMEM.
HC_MUST enum hc go_typing_open(struct go_typing *t, struct hc_err *err);

// go_typing_claim puts a claim into the queue.
void go_typing_claim(struct go_typing *t, taddr at, go_typeid type, uint64_t n);

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
