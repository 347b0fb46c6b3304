// stats.h: what `stats` found, on its way to text or JSON.
#pragma once

#include "cli/histogram.h"

// struct stats is the answer. Shape: without has_heap only the memory tree,
// made of mappings, and n_threads are set.
struct stats {
	bool has_heap;
	struct heap_identity identity;
	struct heap_totals totals;
	struct heap_counters counters;
	bool has_counters;
	struct mem_tree memory; // empty when the reader has none
	size_t n_threads;
	bool has_types; // --types
	struct histogram types;
};

// stats_text prints the page for people.
void stats_text(struct session *s, const struct stats *stats);

// maptree_build makes a tree of what is mapped, by file, for cores whose heap
// cannot be read; it says nothing of what the memory is used for.
// Fails: NOMEM.
HC_MUST enum hc maptree_build(struct session *s, struct mem_tree *ret);
