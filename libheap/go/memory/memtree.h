// memtree.h: every byte of every mapping, in exactly one leaf.
#pragma once

#include "libheap/go/memory/use.h"
#include "libheap/go/heap/spans.h"

// go_memory builds the statistics tree; see heap_reader.memory.
// Shape: the root's bytes are all segments' lengths and its saved_bytes all
//        that the core file holds of them.
// Fails: NOMEM.
HC_MUST enum hc go_memory(struct go_process *process, bool marked,
			  struct pool *pool, struct mem_tree *ret,
			  struct hc_err *err);

// go_use_name returns the leaf's name in the tree.
const char *go_use_name(enum go_use use);

// go_memory_use says what the bytes at `at` are used for, NULL when unknown;
// see heap_reader.use.
const char *go_memory_use(struct go_process *process, taddr at, uint64_t len);

// struct go_span_bytes is a span's bytes by use. Units: bytes.
struct go_span_bytes {
	uint64_t live, garbage, dead, free, tail, metadata;
};

// go_span_count adds up the part [low, high) of a heap span. Not marked, all
// that is allocated and not dead counts as garbage.
void go_span_count(const struct go_process *process, const struct go_span *span,
		   taddr low, taddr high, struct go_span_bytes *ret);
