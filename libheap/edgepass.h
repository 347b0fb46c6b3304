// edgepass.h: the one pass that reads all edges into rows, by several threads.
//
// Each takes regions in a row, so its rows follow those of the one before.
#pragma once

#include "libheap/csr.h"

// A target that may be folded is kept as its index in slot bitmaps.
#define EDGE_LEAF (UINT32_C(1) << 31)

enum { EDGE_BATCH = 128, EDGE_PARTS = 8,
       EDGE_WORTH = 1 << 16 }; // nodes worth a thread more

// struct edge_part is what one thread reads.
// Shape: rows of the nodes first .. end; to[start[v] ..] are those of v, up to
//        start[v + 1], or n for the last.
struct edge_part {
	const struct csr *csr;
	uint32_t first_region, end_region, first, end;
	bool garbage;

	uint32_t *to;
	uint64_t n, room;
	struct node_seen *seen;
	struct pool own; // of `to`

	// The object that is being read.
	uint32_t first_word, slot, number;
	bool full, disordered;
	struct edge_sink sink;
	taddr target[EDGE_BATCH];
	struct edge_source source[EDGE_BATCH];
	struct page_hit hit[EDGE_BATCH];
};

// edge_parts_run reads the rows of all nodes with pointers, in *ret_n parts
// that lie in work, and puts what all of them saw into part[0].seen.
// Owns:  *ret is in work, each part's `to` in its own pool: edge_parts_close.
// Fails: CORRUPT when the reader gives objects out of order; NOMEM.
HC_MUST enum hc edge_parts_run(struct csr *csr, bool garbage,
			       struct pool *work, struct edge_part **ret,
			       unsigned *ret_n, struct hc_err *err);
void edge_parts_close(struct edge_part *parts, unsigned n);

// edge_see notes that one more word points to an object.
static inline void edge_see(struct node_seen *seen, struct page_hit hit)
{
	uint64_t bit = UINT64_C(1) << hit.bit;
	seen[hit.word].twice |= seen[hit.word].once & bit;
	seen[hit.word].once |= bit;
}
