// heap.h: a dead heap as a graph, and the questions one can ask of it. The
// public header of libheap; it knows no language runtime.
//
// A reader (libheap/go is one) tells what a runtime left in memory: regions of
// equal slots, which slots are allocated, the pointers in them, the roots.
// Everything else here is made from that: what is reachable, why, and sums.
#pragma once

#include "libheap/keeper.h"
#include "libheap/object.h"
#include "libheap/reader.h"
#include "libheap/suspect.h"

// ---- opening -------------------------------------------------------------------

// heap_open finds the reader among n that knows the core and opens it.
// Owns:  *ret and all it holds live in pool until heap_close.
// Fails: UNSUPPORTED when no reader knows it; what the reader's open fails as.
HC_MUST enum hc heap_open(struct core *core,
			  const struct heap_reader *const *readers, size_t n,
			  const struct heap_options *options, struct pool *pool,
			  struct heap **ret, struct hc_err *err);
void heap_close(struct heap *heap);

// heap_reader_of and heap_self return the reader and its state, for the calls
// above that the graph has no part in; heap_core the core.
const struct heap_reader *heap_reader_of(const struct heap *heap);
void *heap_self(const struct heap *heap);
struct core *heap_core(const struct heap *heap);

// ---- questions -----------------------------------------------------------------

// heap_type gives objects their types, once; it does what heap_mark does too.
// Fails: UNSUPPORTED when the reader knows no types; NOMEM.
HC_MUST enum hc heap_type(struct heap *heap, struct hc_err *err);

// heap_types returns the types of all objects, NULL before heap_type.
const struct heap_types *heap_types(const struct heap *heap);

// heap_type_of returns the type number of an object, 0 before heap_type.
uint32_t heap_type_of(const struct heap *heap, struct heap_ref ref);

// struct heap_count counts objects and the bytes of their slots.
struct heap_count {
	uint64_t objects, bytes;
};

// heap_type_counts adds to count[number] the objects of each type number below
// n whose bits are set in slots and not in except (NULL: in no object), of
// slots of at least min_size bytes. Before heap_type all are of type 0.
void heap_type_counts(const struct heap *heap, const uint64_t *slots,
		      const uint64_t *except, uint64_t min_size,
		      struct heap_count *count, uint32_t n);

// heap_mark marks everything reachable from the roots. Idempotent.
// Fails: NOMEM.
HC_MUST enum hc heap_mark(struct heap *heap, struct hc_err *err);

// struct heap_totals counts objects after heap_mark.
// Shape: live + garbage + unswept = allocated; unswept are those of heap_dead
//        that are not live.
struct heap_totals {
	uint64_t live_objects, live_bytes;
	uint64_t garbage_objects, garbage_bytes;
	uint64_t unswept_objects, unswept_bytes;
	uint64_t free_slots, free_bytes;
};

// heap_totals counts after heap_mark.
struct heap_totals heap_totals(const struct heap *heap);

// heap_edges_followed returns how many pointers into pages of regions heap_mark
// looked at (-v).
uint64_t heap_edges_followed(const struct heap *heap);

// heap_scan puts all pointers of the objects of one region whose bits are set
// in slots (NULL: of all allocated ones) into sink.
void heap_scan(const struct heap *heap, uint32_t region, const uint64_t *slots,
	       struct edge_sink *sink);

// struct heap_step is one object on a path; offset leads to the next step.
struct heap_step {
	struct heap_ref object;
	uint64_t offset;
};

// struct heap_path leads from a root to the object asked for (its last step).
struct heap_path {
	struct heap_root root;
	struct heap_step *steps;
	size_t n_steps;
};

// heap_paths finds up to max distinct paths from roots to the object: the
// shortest first, no two sharing root word and all steps. With all_roots it
// finds one shortest path from every root word that reaches it (up to max).
// Fails: NONE when the object is not reachable; NOMEM.
HC_MUST enum hc heap_paths(struct heap *heap, struct heap_ref object,
			   size_t max, bool all_roots, struct pool *pool,
			   struct heap_path **ret, size_t *ret_n,
			   struct hc_err *err);

// struct heap_met is one object of a search through everything alive.
// Shape: from is the index of the object that leads to it; of the first ones,
//        how many calls of heap_reader.roots came before its root's.
struct heap_met {
	struct heap_ref object;
	uint32_t from;
};

// heap_reach lists what the roots reach, nearest first, so that following
// `from` is a shortest path; roots reach the first *ret_first themselves.
// Owns: *ret is in pool, as is all that it worked with. Fails: NOMEM.
HC_MUST enum hc heap_reach(struct heap *heap, struct pool *pool,
			   struct heap_met **ret, size_t *ret_n,
			   size_t *ret_first, struct hc_err *err);

// struct heap_referrer is one word of an object that points into another.
struct heap_referrer {
	struct heap_ref from;
	uint64_t offset;
	struct heap_ref to;
};

// heap_referrers finds the words in allocated objects (garbage too) that
// point to the object, up to max, in address order; *ret_n counts those
// returned and *ret_all all there are. Fails: NOMEM.
HC_MUST enum hc heap_referrers(struct heap *heap, struct heap_ref object,
			       size_t max, struct pool *pool,
			       struct heap_referrer **ret, size_t *ret_n,
			       uint64_t *ret_all, struct hc_err *err);
