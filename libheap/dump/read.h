// read.h: the parts of a file in our own format, each read by one function.
#pragma once

#include "libheap/dump/unpack.h"

#include <pthread.h>

// struct dump_type and dump_layout are rows of TYPES and LAYOUTS.
// Shape: pieces are the bytes of the layout's labels.
struct dump_type {
	uint32_t number;
	const char *name, *package;
};
struct dump_layout {
	uint64_t slot;
	uint32_t type, flags;
	const char *name;
	uint64_t piece, n_pieces;
};

// struct dump_piece names one word, or those of an array's elements.
// Shape: n is 0 for one word; parts has n_words pairs of strings.
struct dump_piece {
	uint64_t off, stride, n, index, step, n_words, parts;
};

// DUMP_WHOLE in heap_root.detail says that the root stands for its holder; the
// rest is its number in the dump.
#define DUMP_WHOLE (UINT64_C(1) << 63)

// struct dump_root is a root; has_whole says that the reader told its holder:
// number, and kind, at and text of whole.
struct dump_root {
	struct heap_root root;
	struct heap_root_text text;
	bool has_whole;
	uint64_t number;
	struct heap_root whole;
	struct heap_root_text whole_text;
};
struct dump_weak {
	taddr at, target;
};
struct dump_owner {
	struct heap_owner owner;
	uint64_t frames; // byte offset in the section
};

// struct dump_edges is what the pointers are made of, read when first asked.
// Shape: start[r] .. start[r + 1] are region r's bytes; region_of is of each
//        64 slots of the file's numbers; shape s is n offsets at shape[s].
struct dump_edges {
	bool tried, good;
	uint64_t *start;
	uint32_t *region_of;
	uint64_t n_words;
	struct bytes bytes;
	uint64_t *offsets, *shape;
	uint32_t n_shapes;
};

// struct dump is an open file. Owns: unpack and pools, until dump_done.
struct dump {
	struct unpack file;
	struct pool *pool;
	struct pool late; // of what is read by whichever thread comes first
	pthread_mutex_t lock;
	struct core *core;
	struct heap *heap;
	struct bytes strings;
	const char **uses;    // of each segment
	const char **symbols; // of each thread
	struct heap_identity identity;
	struct heap_counters counters;
	struct mem_tree memory;
	uint64_t *first; // see write.h
	struct dump_edges edges;
	struct { VEC(struct dump_type); } types;
	uint32_t n_types;  // numbers there are
	uint32_t *type_at; // of each number: its place in types plus 1
	struct { VEC(struct dump_layout); } layouts;
	struct { VEC(struct dump_piece); } pieces;
	struct { VEC(const char *); } parts;
	struct { VEC(struct dump_root); } roots;
	struct { VEC(struct dump_owner); } owners;
	uint32_t *by_index; // places in owners, by heap_owner.index
	struct bytes frames;
	struct heap_profile profile;
	struct { VEC(struct heap_alloc_site); } sites;
	struct { VEC(struct heap_frame); } site_frames;
	struct { VEC(struct dump_weak); } sampled; // object, site
	struct { VEC(struct heap_label); } labels;
	bool has_names, has_roots, has_owners, has_profile;
};

// struct fields takes numbers and strings off a section. The first failure
// stays; everything after it is 0.
struct fields {
	const struct dump *dump;
	struct bytes at;
	enum dump_section section;
	enum hc failed;
	struct hc_err err;
};

// dump_open_bytes is dump_open of a file that is in memory; path is only its
// name. Owns: the bytes stay the caller's, until the heap is closed.
HC_MUST enum hc dump_open_bytes(struct bytes file, const char *path,
				uint32_t number, struct pool *pool,
				struct core **ret, struct hc_err *err);

// fields_open unpacks a section into pool.
HC_MUST enum hc fields_open(const struct dump *d, enum dump_section section,
			    struct pool *pool, struct fields *ret,
			    struct hc_err *err);

// fields_u takes a number, fields_u32 one of 32 bits, fields_text a string,
// fields_count a number of items of at least min bytes that must still fit.
uint64_t fields_u(struct fields *f);
uint32_t fields_u32(struct fields *f);
const char *fields_text(struct fields *f);
uint64_t fields_count(struct fields *f, uint64_t min);

// fields_end fails with the first failure there was. fields_bad is one.
HC_MUST enum hc fields_end(struct fields *f, struct hc_err *err);
void fields_bad(struct fields *f, const char *what);

// Each reads what its name says. Fails: CORRUPT; NOMEM.
HC_MUST enum hc read_core(struct dump *d, const char *path, struct pool *pool,
			  struct hc_err *err);
HC_MUST enum hc read_identity(struct dump *d, struct hc_err *err);
HC_MUST enum hc read_regions(struct dump *d, struct heap *heap,
			     struct hc_err *err);
HC_MUST enum hc read_live(struct dump *d, uint64_t *live, struct hc_err *err);
HC_MUST enum hc read_objects(struct dump *d, uint32_t *types,
			     struct hc_err *err);
HC_MUST enum hc read_names(struct dump *d, struct hc_err *err);
HC_MUST enum hc read_roots(struct dump *d, struct hc_err *err);
HC_MUST enum hc read_owners(struct dump *d, struct hc_err *err);

HC_MUST enum hc read_profile(struct dump *d, struct hc_err *err);
HC_MUST enum hc read_suspects(struct dump *d, uint64_t least,
			      heap_suspect_fn *fn, void *ctx,
			      struct hc_err *err);

// read_frame takes a frame off a chain; kind is what it begins with, *sp that
// of the frame before.
void read_frame(struct fields *f, uint64_t kind, taddr *sp,
		struct heap_frame *ret);

// read_edges is heap_reader.edges.
void read_edges(struct dump *d, uint32_t region, const uint64_t *slots,
		struct edge_sink *sink);

// read_label and read_object_type are those of heap_reader.
const char *read_label(struct dump *d, struct heap_ref ref, uint64_t offset,
		       struct pool *pool);
const char *read_object_type(struct dump *d, struct heap_ref ref);
