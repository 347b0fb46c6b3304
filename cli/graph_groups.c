// graph_groups.c: a heap too large to draw, as one node for all objects of a
// size, with and without pointers apart.
//
// Sizes are exact as long as there are few different ones; else, and for
// large objects, they are rounded up to a power of two.
#include "cli/graph.h"


#define GROUPS_MAX 192
#define EXACT_MAX 32768

// struct group is one node. Shape: key is the size, and 1 with pointers.
struct group {
	uint64_t key, objects, bytes;
};

struct groups {
	struct session *s;
	const struct heap_region *regions;
	struct group *at;
	uint32_t n;
	uint32_t *of_region;
	uint64_t *edges; // n * n counts
	uint64_t *roots; // HEAP_N_ROOT_KINDS * n counts
	bool rounds; // all sizes to powers of two
};

static uint64_t key_of(const struct groups *g, const struct heap_region *r)
{
	uint64_t size = r->slot;
	if ((g->rounds || size > EXACT_MAX) && size & (size - 1))
		size = size >> 63 ? UINT64_C(1) << 63 :
				    UINT64_C(2) << (63 - __builtin_clzll(size));
	return size << 1 | !(r->flags & HEAP_NOSCAN);
}

static uint32_t find_group(const struct groups *g, uint64_t key)
{
	uint32_t i = 0;
	while (i < g->n && g->at[i].key != key)
		i++;
	return i;
}

// sort_regions gives each region its group; false when there are too many.
static bool sort_regions(struct groups *g, size_t n_regions)
{
	g->n = 0;
	for (size_t i = 0; i < n_regions; i++) {
		uint64_t key = key_of(g, &g->regions[i]);
		uint32_t k = find_group(g, key);
		if (k == GROUPS_MAX)
			return false;
		if (k == g->n)
			g->at[g->n++] = (struct group){ .key = key };
		g->of_region[i] = k;
	}
	return true;
}

static void count_objects(struct groups *g, size_t n_regions)
{
	const uint64_t *live = heap_live(g->s->heap);
	for (size_t i = 0; i < n_regions; i++) {
		const struct heap_region *r = &g->regions[i];
		struct group *group = &g->at[g->of_region[i]];
		uint64_t n = graph_count(live + r->first_word,
					 ((uint64_t)r->n_slots + 63) / 64);
		group->objects += n;
		group->bytes += n * r->slot;
	}
}

static void on_edge(void *ctx, struct heap_ref from, uint64_t offset,
		    struct heap_ref to)
{
	struct groups *g = ctx;
	(void)offset;
	g->edges[g->of_region[from.region] * g->n + g->of_region[to.region]]++;
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct groups *g = ctx;
	struct heap_ref to;
	if (root->kind < HEAP_N_ROOT_KINDS &&
	    heap_find(g->s->heap, root->target, &to) == HC_OK)
		g->roots[root->kind * g->n + g->of_region[to.region]]++;
}

static void write_groups(const struct groups *g)
{
	struct out *out = g->s->out;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct group *group = &g->at[i];
		uint64_t size = group->key >> 1;
		bool about = g->rounds || size > EXACT_MAX;
		if (group->objects == 0)
			continue;
		out_printf(out, "\tg%" PRIu32 " [label=\"%s%s%s\\n%s objects"
			   "\\n%s\"];\n", i, about ? "up to " : "",
			   word_size(size, out->exact).at,
			   group->key & 1 ? "" : ", no pointers",
			   word_count(group->objects).at,
			   word_size(group->bytes, out->exact).at);
	}
}

static void write_counts(const struct groups *g)
{
	struct out *out = g->s->out;
	for (unsigned kind = 0; kind < HEAP_N_ROOT_KINDS; kind++) {
		const char *name =
			heap_root_kind_name((enum heap_root_kind)kind);
		bool named = false;
		for (uint32_t i = 0; i < g->n; i++) {
			uint64_t n = g->roots[kind * g->n + i];
			if (n == 0)
				continue;
			if (!named)
				out_printf(out, "\tr%u [shape=hexagon, label="
					   "\"%s\"];\n", kind, name);
			named = true;
			out_printf(out, "\tr%u -> g%" PRIu32 " [label=\"%s\"]"
				   ";\n", kind, i, word_count(n).at);
		}
	}
	for (uint32_t i = 0; i < g->n; i++) {
		for (uint32_t k = 0; k < g->n; k++) {
			uint64_t n = g->edges[i * g->n + k];
			if (n > 0)
				out_printf(out, "\tg%" PRIu32 " -> g%" PRIu32
					   " [label=\"%s\"];\n", i, k,
					   word_count(n).at);
		}
	}
}

static enum hc groups_begin(struct groups *g, size_t n)
{
	struct pool *pool = &g->s->pool;
	g->at = pool_new(pool, struct group, GROUPS_MAX + 1);
	g->of_region = pool_new(pool, uint32_t, n + 1);
	if (!g->at || !g->of_region)
		return hc_nomem(&g->s->err);
	if (!sort_regions(g, n)) {
		g->rounds = true;
		(void)sort_regions(g, n); // at most 2 * 64 groups
	}
	g->edges = pool_new(pool, uint64_t, (uint64_t)g->n * g->n + 1);
	g->roots = pool_new(pool, uint64_t,
			    (uint64_t)HEAP_N_ROOT_KINDS * g->n + 1);
	return g->edges && g->roots ? HC_OK : hc_nomem(&g->s->err);
}

enum hc graph_groups(struct session *s, const char *note)
{
	size_t n;
	struct groups g = { .s = s, .regions = heap_regions(s->heap, &n) };
	struct graph_scan scan = { .heap = s->heap, .edge = on_edge,
				   .ctx = &g };
	const uint64_t *live = heap_live(s->heap);
	HC_TRY(groups_begin(&g, n));
	count_objects(&g, n);
	for (size_t i = 0; i < n; i++)
		if (!(g.regions[i].flags & HEAP_NOSCAN))
			graph_scan_region(&scan, (uint32_t)i,
					  live + g.regions[i].first_word);
	s->reader->roots(s->self, on_root, &g);
	out_printf(s->out, "digraph heap {\n\t// %s\n"
		   "\tnode [shape=box, fontname=monospace];\n", note);
	write_groups(&g);
	write_counts(&g);
	out_text(s->out, "}\n");
	return HC_OK;
}
