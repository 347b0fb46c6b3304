// moar.h: heaps in the words of MoarVM's snapshots, whatever their version.
//
// Source: MoarVM, src/profiler/heapsnapshot.{c,h}; the readers
// App::MoarVM::HeapAnalyzer 0.2 and timo's of 2020-07.
#pragma once

#include "libheap/dump/export.h"
#include "libheap/dump/wire.h"

enum moar_kind {
	MOAR_OBJECT = 1,
	MOAR_FRAME = 4,
	MOAR_PERM_ROOTS = 5,
	MOAR_INSTANCE_ROOTS = 6,
	MOAR_THREAD_ROOTS = 8,
	MOAR_ROOT = 9,
	MOAR_CALL_STACK_ROOTS = 11,
};

// struct moar_type and moar_frame are rows of the tables of the file.
// Units: numbers of strings; count and bytes are of the snapshot under way.
struct moar_type {
	uint64_t repr, name;
	uint64_t count, bytes;
};
struct moar_frame {
	uint64_t name, cuid, file;
	uint32_t line;
	uint64_t count, bytes;
};

// struct moar_node is one collectable.
struct moar_node {
	enum moar_kind kind;
	uint32_t index; // of its type or frame
	uint64_t size, first_ref, n_refs;
};

// struct moar_file is what the snapshots of a file share.
// Shape: of the tables' keys, number i is that of row i. names is rewound.
// Owns:  own, which the tables and their strings are in.
struct moar_file {
	struct wire *w;
	struct pool own, *names;
	struct strings strings, type_keys, frame_keys;
	struct { VEC(struct moar_type); } types;
	struct { VEC(struct moar_frame); } frames;
};

// struct moar is one snapshot of the file.
// Shape: number counts from 0.
struct moar {
	struct moar_file *file;
	unsigned number;
	struct export e;
	uint32_t *count;       // of edges, by object
	uint64_t n_edges;      // of objects
	uint64_t n_nodes, n_refs, first_ref;
	uint32_t *type_index;  // by type number: 1 + index
	uint32_t *frame_index; // by head
	void (*node)(void *ctx, const struct moar_node *node);
	void (*ref)(void *ctx, struct word_name name, uint64_t to);
	void *ctx;
};

// moar_open begins a file, moar_close lets go of it. Owns: pool; names too, but
// rewound. Fails: NOMEM; LIMIT when there are too many heaps.
HC_MUST enum hc moar_open(const struct dump_heaps *heaps,
			  const struct dump_sink *sink, struct pool *pool,
			  struct pool *names, struct moar_file *ret,
			  struct hc_err *err);
void moar_close(struct moar_file *file);

// moar_each makes a snapshot of each heap, one after another, and calls fn with
// it; what fn takes from pool is gone afterwards.
// Fails: as fn, export_open and heaps->open; NOMEM.
typedef enum hc moar_fn(void *ctx, struct moar *m, struct hc_err *err);
HC_MUST enum hc moar_each(struct moar_file *file,
			  const struct dump_heaps *heaps, struct pool *pool,
			  moar_fn *fn, void *ctx, struct hc_err *err);

// moar_nodes calls m->node for each collectable, moar_refs m->ref for each
// reference, in the same order always. The root is the first collectable.
void moar_nodes(struct moar *m);
void moar_refs(struct moar *m);

// moar_small and moar_rest cut a size in two: readers keep the first part in
// 16 bits with a sign.
static inline uint16_t moar_small(uint64_t size)
{
	return size <= INT16_MAX ? (uint16_t)size : 0;
}
static inline uint64_t moar_rest(uint64_t size)
{
	return size <= INT16_MAX ? 0 : size;
}

// moar_string_len cuts a string to what readers can take: 4,096 bytes, at the
// end of a character.
uint64_t moar_string_len(const char *text);
