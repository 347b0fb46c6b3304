// export.h: the live heap as other formats want it: nodes with dense numbers,
// what is above the objects made into nodes too, names as numbers.
#pragma once

#include "libheap/dump/dump.h"
#include "libheap/dump/strings.h"

// A head is a node that is no object: the root, a group of roots, a goroutine,
// a frame.
enum head_kind {
	HEAD_ROOT,
	HEAD_ALL,     // "(GC roots)", between root and groups if wanted
	HEAD_GLOBALS,
	HEAD_OWNERS,
	HEAD_SPECIALS, // finalizers, cleanups, weak handles
	HEAD_RUNTIME,
	HEAD_OWNER,
	HEAD_FRAME,
};

// struct head is one. Units: name and file are numbers of strings; size is a
// frame's bytes. Shape: its edges are first_edge .. first_edge + n_edges.
struct head {
	enum head_kind kind;
	uint32_t line;
	uint64_t name, file, size;
	taddr pc;
	uint64_t first_edge, n_edges;
};

// struct word_name is what an edge is called: a string's number, or an index.
struct word_name {
	bool is_index;
	uint64_t value;
};

// struct head_edge leads from a head to a node: a head, or n_heads + object.
struct head_edge {
	uint32_t from;
	uint64_t to;
	struct word_name name;
};

// struct export is the heap being exported.
// Units: objects are live ones, numbered from 0 in address order; before[w]
//        counts those in the words of the live bitmap below w.
struct export {
	struct heap *heap;
	const struct heap_reader *reader;
	void *self;
	struct core *core;
	struct pool *pool, *names;
	const struct heap_region *regions;
	size_t n_regions;
	const uint64_t *live;
	uint64_t *before;
	uint64_t n_objects, n_bytes;
	struct strings *strings;
	uint32_t n_types;
	uint64_t *type_name; // of each type: 1 + number of its string, 0: not yet
	struct { VEC(struct head); } heads;
	struct { VEC(struct head_edge); } edges; // of heads, by head
	struct cached_name *cache;
	bool nomem;
	struct hc_err *err;
};

// export_open marks, types and numbers the heap. Names go into strings, or with
// NULL into a table of its own.
// Owns:  pool; names too, but rewound. Fails: as heap_mark; NOMEM.
HC_MUST enum hc export_open(struct heap *heap, struct strings *strings,
			    struct pool *pool, struct pool *names,
			    struct export *ret, struct hc_err *err);

// export_heads makes the nodes above the objects and their edges.
// Fails: as the reader; NOMEM.
HC_MUST enum hc export_heads(struct export *e, bool with_all);

// export_number returns the number of a live object.
uint64_t export_number(const struct export *e, struct heap_ref ref);

// export_objects calls fn for each live object in order.
typedef void export_object_fn(void *ctx, uint64_t number, struct heap_ref ref);
void export_objects(const struct export *e, export_object_fn *fn, void *ctx);

// struct export_edge is a pointer between live objects.
struct export_edge {
	uint64_t from, to; // numbers
	struct heap_ref source, target;
	uint64_t offset;
};

// export_edges calls fn for each of them, by source in order.
typedef void export_edge_fn(void *ctx, const struct export_edge *edge);
void export_edges(const struct export *e, export_edge_fn *fn, void *ctx);

// export_counts returns how many edges each object has. Fails: NOMEM.
HC_MUST enum hc export_counts(struct export *e, uint32_t **ret,
			      uint64_t *ret_all);

// export_type returns the text of an object's type, export_type_string the
// number of its string.
const char *export_type(struct export *e, uint32_t type);
uint64_t export_type_string(struct export *e, uint32_t type);

// export_word returns what a word of an object is called. An index in the
// middle of a name is left out ("[].key"), so that names stay few.
struct word_name export_word(struct export *e, struct heap_ref ref,
			     uint64_t offset);
