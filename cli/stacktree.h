// stacktree.h: many stacks as one tree, the outermost call at its root.
#pragma once

#include "cli/owners.h"

// A deeper stack keeps its innermost and its outermost frames.
#define STACK_END 256

// struct stack_frame is one call as the tree knows it; equal frames have
// equal strings, so they compare by address.
struct stack_frame {
	const char *function, *file;
	uint32_t line;
	bool inlined;
};

// struct stack_node is one frame below the same outer frames.
// Shape: children are n_children nodes from order[first_child] on, the most
//        frequent first. The root (node 0) is no frame.
struct stack_node {
	struct stack_frame frame;
	uint64_t count;  // stacks that go through it
	uint64_t ended;  // stacks whose innermost frame it is
	uint32_t parent, first_child, n_children, depth;
};

// struct stack_member is one goroutine and the node where its stack ends.
struct stack_member {
	uint32_t node;
	uint64_t id;
};

// struct stacktree is the tree. The innermost node of a stack is its state in
// brackets, a frame without a file.
struct stacktree {
	struct { VEC(struct stack_node); } nodes;
	struct { VEC(struct stack_member); } members; // sorted by node
	uint32_t *order;
	uint64_t n_stacks; // different ones
};

// stacktree_build merges the stacks of all wanted owners. Owns: the pool.
// Fails: NOMEM.
HC_MUST enum hc stacktree_build(struct session *s, struct owners *owners,
				struct stacktree *ret);
