// graph_types.h: the graph of types: one node for all live objects of a type,
// or of all types of a package.
#pragma once

#include "cli/graph.h"

// A drawing of more nodes says nothing; the smaller ones become one.
#define GRAPH_TYPES_MAX 100

// struct type_node is one node.
struct type_node {
	const char *name;
	struct heap_count count;
};

// struct type_edge is how many words of one node's objects lead to another's.
struct type_edge {
	uint32_t from, to;
	uint64_t count;
};

// struct type_graph is the answer. Shape: nodes have most bytes first; roots
// holds HEAP_N_ROOT_KINDS counts for each node; edges go by from, then to.
struct type_graph {
	struct session *s;
	const char *note; // may be NULL
	bool by_package;
	struct type_node *nodes;
	uint32_t n_nodes;
	uint64_t *roots;
	struct type_edge *edges;
	uint64_t n_edges;
};

// graph_types_find makes the graph, of at most max nodes.
// Fails: as types_open; NOMEM.
HC_MUST enum hc graph_types_find(struct session *s, bool by_package,
				 uint64_t max, struct type_graph *ret);

// graph_types_write writes it in the format that format is for objects.
void graph_types_write(const struct type_graph *g,
		       const struct graph_format *format);
