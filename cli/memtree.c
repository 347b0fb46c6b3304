// memtree.c: see memtree.h.
//
// A tree in an array is walked without recursion: down to the first child,
// else to the next sibling, else up through a stack of parents.
#include "cli/memtree.h"

#include <stdio.h>

#define TREE_DEPTH 24
#define NAME_COLUMN_MAX 48

// struct walk is a place in the tree. Shape: path[depth] is the node.
struct walk {
	const struct mem_tree *tree;
	uint32_t path[TREE_DEPTH];
	unsigned depth;
};

static const struct mem_node *walk_node(const struct walk *w)
{
	return &w->tree->at[w->path[w->depth]];
}

// walk_goes_down says whether the next node is a child of this one.
static bool walk_goes_down(const struct walk *w)
{
	return walk_node(w)->first_child && w->depth + 1 < TREE_DEPTH;
}

// walk_next goes on in the order of print and returns how many nodes were
// left behind (closed): 0 when it went down, n + 1 when it went up n times
// and on to a sibling; at the end depth + 1.
static unsigned walk_next(struct walk *w, bool *end)
{
	const struct mem_node *node = walk_node(w);
	*end = false;
	if (walk_goes_down(w)) {
		w->path[++w->depth] = node->first_child;
		return 0;
	}
	for (unsigned closed = 1;; closed++) {
		node = walk_node(w);
		if (node->next && w->depth > 0) {
			w->path[w->depth] = node->next;
			return closed;
		}
		if (w->depth == 0) {
			*end = true;
			return closed;
		}
		w->depth--;
	}
}

static bool is_shown(const struct mem_node *node)
{
	return node->bytes > 0 || node->saved_bytes > 0;
}

static size_t name_column(const struct mem_tree *tree)
{
	size_t width = 0;
	struct walk w = { .tree = tree };
	for (bool end = false; !end; walk_next(&w, &end)) {
		size_t len = 2 * w.depth + out_width(walk_node(&w)->name);
		if (is_shown(walk_node(&w)) && len > width)
			width = len;
	}
	return width < NAME_COLUMN_MAX ? width : NAME_COLUMN_MAX;
}

static bool saved_differs(const struct mem_tree *tree)
{
	for (uint64_t i = 0; i < tree->n; i++)
		if (tree->at[i].bytes != tree->at[i].saved_bytes)
			return true;
	return false;
}

// figures_text prints one figure and its share of the root's.
static void figures_text(struct out *out, uint64_t bytes, uint64_t all)
{
	out_printf(out, " %12s %7s", word_size(bytes, out->exact).at,
		   word_percent(bytes, all).at);
}

void memtree_text(struct out *out, const struct mem_tree *tree)
{
	if (tree->n == 0)
		return;
	size_t column = name_column(tree);
	bool saved = saved_differs(tree);
	char heading[128];
	snprintf(heading, sizeof(heading), "%-*s %12s %7s%s", (int)column,
		 "MEMORY", saved ? "mapped" : "bytes", "share",
		 saved ? "  in the core   share" : "");
	out_heading(out, heading);
	struct walk w = { .tree = tree };
	for (bool end = false; !end; walk_next(&w, &end)) {
		const struct mem_node *node = walk_node(&w);
		if (!is_shown(node))
			continue;
		size_t len = 2 * w.depth + out_width(node->name);
		out_pad(out, 2 * (size_t)w.depth);
		out_name(out, node->name);
		out_pad(out, len < column ? column - len : 0);
		figures_text(out, node->bytes, tree->at[0].bytes);
		if (saved)
			figures_text(out, node->saved_bytes,
				     tree->at[0].saved_bytes);
		out_text(out, "\n");
	}
}

void memtree_json(struct json *j, const struct mem_tree *tree)
{
	if (tree->n == 0) {
		json_null(j, "memory");
		return;
	}
	struct walk w = { .tree = tree };
	for (bool end = false; !end;) {
		const struct mem_node *node = walk_node(&w);
		json_open(j, w.depth ? NULL : "memory", '{');
		json_text(j, "name", node->name);
		json_u64(j, "bytes", node->bytes);
		json_u64(j, "saved_bytes", node->saved_bytes);
		if (walk_goes_down(&w))
			json_open(j, "children", '[');
		unsigned closed = walk_next(&w, &end);
		for (unsigned i = 0; i < closed; i++) {
			if (i > 0)
				json_close(j, ']');
			json_close(j, '}');
		}
	}
}

bool memtree_check(const struct mem_tree *tree, struct findings *findings)
{
	bool sound = true;
	for (uint64_t i = 0; i < tree->n; i++) {
		const struct mem_node *node = &tree->at[i];
		uint64_t bytes = 0, saved = 0;
		for (uint32_t c = node->first_child; c; c = tree->at[c].next) {
			bytes += tree->at[c].bytes;
			saved += tree->at[c].saved_bytes;
		}
		if (!node->first_child ||
		    (bytes == node->bytes && saved == node->saved_bytes))
			continue;
		sound = false;
		findings_add(findings, "sums", 0,
			     "the parts of '%s' add up to %" PRIu64 " bytes, "
			     "%" PRIu64 " saved, not %" PRIu64 " and %" PRIu64,
			     node->name, bytes, saved, node->bytes,
			     node->saved_bytes);
	}
	return sound;
}
