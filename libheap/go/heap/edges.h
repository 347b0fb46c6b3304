// edges.h: the pointer words of Go objects, as the collector of each version
// knows them.
#pragma once

#include "libheap/go/heap/spans.h"

// go_edges_open prepares the pointer maps. Call it after go_spans_read.
// Fails: NOMEM.
HC_MUST enum hc go_edges_open(struct go_process *process, struct hc_err *err);

// go_edges_close lets go of what go_edges_open made.
void go_edges_close(struct go_process *process);

// go_edges puts the pointer words of the slots whose bits are set in slots
// into sink; see heap_reader.edges. Safe from several threads.
void go_edges(struct go_process *process, uint32_t region,
	      const uint64_t *slots, struct edge_sink *sink);

// go_object_words does the same for one object.
void go_object_words(struct go_process *process, uint32_t region,
		     uint32_t slot, struct edge_sink *sink);

// go_object_mask returns the pointer mask of an object of at most 64 words
// (bit i is word i) where the span or arena keeps one, else 0.
uint64_t go_object_mask(const struct go_process *process, uint32_t region,
			uint32_t slot);

// go_edges_mask sets *ret to the pointer mask that all slots of a region have,
// or returns false.
bool go_edges_mask(struct go_process *process, uint32_t region, uint64_t *ret);

// go_edges_prefetch asks for the cache line of a region's pointer map.
void go_edges_prefetch(struct go_process *process, uint32_t region);

// go_edges_report notes the damage that scanning met (types that are none)
// as findings.
void go_edges_report(struct go_process *process);
