// maptree.c: the statistics tree of a core whose heap cannot be read: what is
// mapped, by file.
#include "cli/stats.h"

#include <string.h>

// struct maptree is the tree being made. Shape: files, anonymous and reserved
// are the inner nodes.
struct maptree {
	struct session *s;
	struct mem_tree *tree;
	uint32_t files, anonymous, reserved;
};

// file_node finds the node of a file, or makes it.
static enum hc file_node(struct maptree *m, const char *path, uint32_t *ret)
{
	struct mem_tree *tree = m->tree;
	for (uint32_t i = tree->at[m->files].first_child; i;
	     i = tree->at[i].next) {
		if (strcmp(tree->at[i].name, path) == 0) {
			*ret = i;
			return HC_OK;
		}
	}
	return mem_tree_add(&m->s->pool, tree, m->files, path, ret,
			    &m->s->err);
}

static enum hc add_segment(struct maptree *m, const struct core_segment *seg)
{
	uint32_t node = seg->perm ? m->anonymous : m->reserved;
	if (seg->file)
		HC_TRY(file_node(m, seg->file, &node));
	m->tree->at[node].bytes += seg->len;
	m->tree->at[node].saved_bytes += seg->saved;
	return HC_OK;
}

enum hc maptree_build(struct session *s, struct mem_tree *ret)
{
	size_t n;
	uint32_t root;
	struct pool *pool = &s->pool;
	struct maptree m = { .s = s, .tree = ret };
	const struct core_segment *seg = core_segments(s->core, &n);
	HC_TRY(mem_tree_add(pool, ret, 0, "all", &root, &s->err));
	HC_TRY(mem_tree_add(pool, ret, root, "files", &m.files, &s->err));
	HC_TRY(mem_tree_add(pool, ret, root, "anonymous memory", &m.anonymous,
			    &s->err));
	HC_TRY(mem_tree_add(pool, ret, root, "reserved addresses",
			    &m.reserved, &s->err));
	for (size_t i = 0; i < n; i++)
		HC_TRY(add_segment(&m, &seg[i]));
	mem_tree_sum(ret);
	return HC_OK;
}
