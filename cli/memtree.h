// memtree.h: the statistics tree on paper and in JSON.
#pragma once

#include "cli/session.h"

// memtree_text prints the tree: name, bytes, share, and beside them what the
// core saved if that differs anywhere: much of what a Go process maps is only
// reserved. Nodes without bytes are left out.
void memtree_text(struct out *out, const struct mem_tree *tree);

// memtree_json writes the tree as nested objects under key "memory", every
// node of it.
void memtree_json(struct json *j, const struct mem_tree *tree);

// memtree_check says whether each parent is the sum of its children, in both
// figures; it notes a finding for each one that is not.
bool memtree_check(const struct mem_tree *tree, struct findings *findings);
