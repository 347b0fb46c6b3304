// stats.h: what `stats` found, on its way to text or JSON.
#pragma once

#include "cli/session.h"

struct stats {
	struct heap_identity identity;
	struct heap_totals totals;
	struct heap_counters counters;
	bool has_counters;
	struct mem_tree memory; // empty when the reader has none
	uint64_t n_threads;
};

// stats_text prints the page for people.
void stats_text(struct session *s, const struct stats *stats);
