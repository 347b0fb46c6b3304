// csr.h: the edges of the graph, forwards, by number: compressed rows.
//
// Objects come first (nodes.h), then holders, then the one root of all, which
// has every holder below it. One pass over the heap; what belongs to a single
// word (a folded leaf) is added to its owner as it is met.
#pragma once

#include "libheap/holders.h"

// struct csr is the graph of dominators.
// Units: bytes and objects of a node with its folded leaves, at least its own.
// Shape: the targets of node v are to[start[v] .. start[v + 1]] for v below
//        nodes.n_scan, to[head[v - n_objects] ..] from n_objects on; leaves
//        between have none. root is the last node.
struct csr {
	const struct heap *heap;
	struct nodes nodes;
	uint32_t n_objects, n_holders, n, root;
	uint64_t *start, *head;
	uint32_t *to;
	uint64_t n_edges, room;
	struct pool rows; // of to
	uint64_t *bytes;
	uint32_t *objects;
	struct heap_root *holder;
};

// csr_open makes the graph of what is live, or, with garbage, of what is
// allocated and not: its root then has the objects that no other points to
// below it, and one of each ring.
// Owns:  start and head are in work, to in a pool of its own until csr_close,
//        the others in pool.
// Fails: LIMIT; NOMEM; CORRUPT when the reader contradicts itself.
HC_MUST enum hc csr_open(struct heap *heap, bool garbage, struct pool *pool,
			 struct pool *work, struct csr *ret,
			 struct hc_err *err);
void csr_close(struct csr *csr);

// csr_from and csr_end bound the edges of node v in to[].
static inline uint64_t csr_from(const struct csr *csr, uint32_t v)
{
	if (v < csr->nodes.n_scan)
		return csr->start[v];
	return v < csr->n_objects ? 0 : csr->head[v - csr->n_objects];
}
static inline uint64_t csr_end(const struct csr *csr, uint32_t v)
{
	if (v < csr->nodes.n_scan)
		return csr->start[v + 1];
	return v < csr->n_objects ? 0 : csr->head[v - csr->n_objects + 1];
}

// csr_room makes sure that more edges fit behind to[n_edges], which grows in
// place. Returns false when the memory does not allow it.
bool csr_room(struct csr *csr, uint64_t more);
