// stacks.h: stacks, one frame at a time or merged into a tree.
#pragma once

#include "cli/owners.h"

// stack_frame_text and stack_frame_json write one frame.
void stack_frame_text(struct out *out, const struct heap_frame *frame);
void stack_frame_json(struct json *j, const struct heap_frame *frame);

// stack_json writes "stack": frames of {"function", "file", "line",
// "inlined"}.
void stack_json(struct json *j, const struct heap_frame *frames, uint32_t n);

// stacks_group prints the wanted goroutines merged by equal stacks: for
// people as a tree from the outermost call inwards, with counts; as JSON one
// group for each different stack; with --folded a line for each.
// Fails: NOMEM.
HC_MUST enum hc stacks_group(struct session *s, struct owners *owners);
