// stacktree.h: many stacks as one tree, the outermost call at its root.
#pragma once

#include "cli/session.h"

// A deeper stack keeps its innermost and its outermost frames.
#define STACK_END 256

// STACK_VALUES is how many numbers a stack may carry; the first is the one
// that counts most.
#define STACK_VALUES 4

// struct stack_frame is one call as the tree knows it; equal frames have
// equal strings, so they compare by address.
struct stack_frame {
	const char *function, *file;
	uint32_t line;
	bool inlined;
};

// struct stack_node is one frame below the same outer frames.
// Units: value sums up the stacks that go through it, ended those whose
//        innermost frame it is; they stay at the largest number there is.
// Shape: children are n_children nodes from order[first_child] on, those of
//        the largest value first. The root (node 0) is no frame.
struct stack_node {
	struct stack_frame frame;
	uint64_t value[STACK_VALUES], ended[STACK_VALUES];
	uint64_t n_ended; // stacks
	uint32_t parent, first_child, n_children, depth;
};

// struct stack_member is one stack (id: whose it is) and where it ends.
struct stack_member {
	uint32_t node;
	uint64_t id;
};

// struct stacktree is the tree. A stack's innermost node may be something in
// brackets, a frame without a file: a goroutine's state, an object's size.
struct stacktree {
	struct { VEC(struct stack_node); } nodes;
	struct { VEC(struct stack_member); } members; // sorted by node
	uint32_t *order;
	uint64_t n_stacks; // different ones
};

// stacktree_begin starts an empty tree. Owns: the session's pool, for all of
// it. Fails: NOMEM.
struct stack_builder;
HC_MUST enum hc stacktree_begin(struct session *s, struct stacktree *tree,
				struct stack_builder **ret);

// stack_push adds one frame to the stack under way, innermost first; stack_end
// puts that stack into the tree. Both return false when memory is short.
bool stack_push(struct stack_builder *b, const char *function,
		const char *file, uint32_t line, bool inlined);
bool stack_end(struct stack_builder *b, const uint64_t value[STACK_VALUES],
	       uint64_t id);

// stacktree_finish sorts the tree. Fails: NOMEM, also of what came before.
HC_MUST enum hc stacktree_finish(struct stack_builder *b);

// stacktree_text prints the tree, the outermost calls first: of its nodes the
// max ones of the largest values, the others counted. numbers prints the
// columns before a node, blank where it has no node of its own (NULL).
// Fails: NOMEM.
typedef void stack_numbers_fn(struct out *out, const struct stack_node *node);
HC_MUST enum hc stacktree_text(struct session *s, const struct stacktree *tree,
			       uint64_t max, stack_numbers_fn *numbers);

// stacktree_folded prints a line "outer;inner value" for each stack, with the
// value of that index, as programs that draw flame graphs read it; stacks of
// value 0 are left out.
// Fails: NOMEM.
HC_MUST enum hc stacktree_folded(struct session *s,
				 const struct stacktree *tree, unsigned value);

// stack_place_text prints one frame.
void stack_place_text(struct out *out, const char *function, const char *file,
		      uint32_t line, bool inlined);
