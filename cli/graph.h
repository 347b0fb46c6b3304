// graph.h: part of the object graph, on its way to a file format.
//
// What is drawn is a set of objects, as a bitmap over slots; nodes, roots and
// edges are found again and written one by one, so that no more than a batch
// of edges is ever held.
#pragma once

#include "cli/session.h"

// Above so many nodes a drawing says nothing to anybody.
#define GRAPH_DRAWN_MAX 2000

struct graph;

// struct graph_format writes one format. Nodes come first, then roots, then
// edges; each of the three begins with section.
struct graph_format {
	const char *name;
	void (*begin)(struct graph *g);
	void (*section)(struct graph *g, const char *name);
	void (*node)(struct graph *g, taddr at, uint64_t size,
		     const char *type);
	// root is a word outside the heap that points at object to.
	void (*root)(struct graph *g, const struct heap_root *root,
		     const struct heap_root_text *text, taddr to);
	// field is what the word at offset is called, or "".
	void (*edge)(struct graph *g, taddr from, uint64_t offset,
		     const char *field, taddr to);
	void (*end)(struct graph *g);
};

extern const struct graph_format graph_dot, graph_json, graph_graphml;

// struct graph is one graph being written.
// Shape: pick has heap_words words; note, if any, tells the reader of the file
//        what was left out.
struct graph {
	struct session *s;
	struct out *out;
	struct json json; // of graph_json
	const struct graph_format *format;
	const uint64_t *pick;
	bool roots; // write the roots of picked objects too
	const char *note;
	uint64_t n_roots; // written so far
	enum hc failed;
};

// graph_write writes the picked objects. Fails: as the reader's root_text;
// NOMEM.
HC_MUST enum hc graph_write(struct graph *g);

// graph_words returns how many words a bitmap over all slots has.
uint64_t graph_words(const struct heap *heap);

// graph_count counts the bits of a bitmap over all slots.
uint64_t graph_count(const uint64_t *map, uint64_t n_words);

// graph_from sets *ret to the objects that lie at most depth steps from the
// object, at most max of them, the nearest ones; graph_to to those that lead
// to it in as many steps. *ret_cut says that max left some out.
// Owns: the pool. Fails: NOMEM.
HC_MUST enum hc graph_from(struct session *s, struct heap_ref object,
			   uint64_t depth, uint64_t max, uint64_t **ret,
			   bool *ret_cut);
HC_MUST enum hc graph_to(struct session *s, struct heap_ref object,
			 uint64_t depth, uint64_t max, uint64_t **ret,
			 bool *ret_cut);

// struct graph_filter tells most addresses that lie in none of some objects,
// before they are looked up: a bit for each page, pages folded together.
#define GRAPH_FILTER_BITS (1u << 20)
#define GRAPH_FILTER_SHIFT 13
struct graph_filter {
	uint64_t bits[GRAPH_FILTER_BITS / 64];
};

// graph_filter_add lets the addresses of an object through.
void graph_filter_add(struct graph_filter *filter, taddr at, uint64_t size);

// graph_filter_set makes the filter let through the objects of a set, or
// everything when these are too many to be worth it.
void graph_filter_set(struct graph_filter *filter, const struct heap *heap,
		      const uint64_t *pick);

// struct graph_scan hears the edges of one region after another.
// Shape: region is the one being scanned; without a filter every edge is
//        heard, with one at least those into its objects.
struct graph_scan {
	const struct heap *heap;
	const struct graph_filter *filter; // may be NULL
	uint32_t region;
	void (*edge)(void *ctx, struct heap_ref from, uint64_t offset,
		     struct heap_ref to);
	void *ctx;
};

// graph_scan_region calls scan->edge for each pointer that leads to an object,
// of the region's objects whose bits are set in slots (NULL: all allocated).
void graph_scan_region(struct graph_scan *scan, uint32_t region,
		       const uint64_t *slots);
