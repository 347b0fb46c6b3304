// suspect.h: what may hold memory by mistake. Part of heap.h.
#pragma once

#include "libheap/keeper.h"

// struct heap_suspect is one thing to look at.
// Units: bytes are what is at stake, percent of live bytes decides what counts.
// Shape: kind is "holder" (a keeper with much below it), "type" (many objects
//        of one type, wherever they are), "owners" (many with the same
//        stack), or the reader's own; text is the reader's, or what the
//        owners wait for, else NULL. point is where what keeper holds
//        accumulates: its bytes are shared by many below it; of these, count
//        objects of that type keep type_bytes. owner is one of the owners.
// Owns:  texts are in the pool of heap_suspects.
struct heap_suspect {
	const char *kind, *text;
	uint64_t bytes, count;
	bool has_keeper, has_point;
	struct heap_keeper keeper, point;
	uint32_t type;
	uint64_t type_bytes;
	uint32_t owner;
	uint64_t waiting; // owners that wait for something that keeper holds
};

// struct heap_suspects is a list of them, with what the analyses share.
struct heap_suspects {
	VEC(struct heap_suspect);
	struct heap *heap;
	struct heap_retained *retained;
	struct pool *pool;
	uint64_t live, least; // bytes: of all, and what is worth a mention
	uint64_t *explained;  // bytes of each type that are below a holder
	uint32_t n_types;
};

// heap_suspects runs every analysis: holders, types and owners, what is largest
// first, then what the reader sees in them. Marking,
// typing (where the reader can) and heap_retain come first by themselves.
// Units: percent of live bytes from which on something is mentioned.
// Owns:  *ret->at is in pool. Fails: as heap_retain; NOMEM.
HC_MUST enum hc heap_suspects(struct heap *heap, unsigned percent,
			      struct pool *pool, struct heap_suspects *ret,
			      struct hc_err *err);

// The analyses, each in a file of its own; each adds to the list.
// Fails: NOMEM.
HC_MUST enum hc suspects_holders(struct heap_suspects *s, struct hc_err *err);
HC_MUST enum hc suspects_types(struct heap_suspects *s, struct hc_err *err);
HC_MUST enum hc suspects_owners(struct heap_suspects *s, struct hc_err *err);
HC_MUST enum hc suspects_waiting(struct heap_suspects *s, struct hc_err *err);
HC_MUST enum hc suspects_reader(struct heap_suspects *s, struct hc_err *err);

// suspects_add adds one; NULL when there is no memory.
struct heap_suspect *suspects_add(struct heap_suspects *s, const char *kind,
				  uint64_t bytes, uint64_t count);
