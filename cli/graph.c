// graph.c: see graph.h.
#include "cli/graph.h"

#include "cli/types.h"

#define BATCH 256

uint64_t graph_words(const struct heap *heap)
{
	size_t n;
	const struct heap_region *r = heap_regions(heap, &n);
	if (n == 0)
		return 0;
	return r[n - 1].first_word + ((uint64_t)r[n - 1].n_slots + 63) / 64;
}

uint64_t graph_count(const uint64_t *map, uint64_t n_words)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < n_words; i++)
		n += (uint64_t)__builtin_popcountll(map[i]);
	return n;
}

// may_pass says whether an address may be in an object that matters.
static bool may_pass(const struct graph_filter *filter, taddr at)
{
	uint64_t bit = (at >> GRAPH_FILTER_SHIFT) % GRAPH_FILTER_BITS;
	return !filter || filter->bits[bit / 64] >> (bit % 64) & 1;
}

static void on_batch(struct edge_sink *sink)
{
	struct graph_scan *scan = sink->ctx;
	for (uint32_t i = 0; i < sink->n; i++) {
		struct heap_ref to;
		if (!may_pass(scan->filter, sink->target[i]) ||
		    heap_find(scan->heap, sink->target[i], &to))
			continue;
		struct heap_ref from = { scan->region, sink->source[i].slot };
		scan->edge(scan->ctx, from, sink->source[i].offset, to);
	}
	sink->n = 0;
}

void graph_scan_region(struct graph_scan *scan, uint32_t region,
		       const uint64_t *slots)
{
	taddr target[BATCH];
	struct edge_source source[BATCH];
	struct edge_sink sink = { target, source, 0, BATCH, on_batch, scan };
	scan->region = region;
	heap_scan(scan->heap, region, slots, &sink);
	if (sink.n > 0)
		on_batch(&sink);
}

static bool is_picked(const struct graph *g, struct heap_ref ref)
{
	size_t n;
	return heap_bit(g->pick, &heap_regions(g->s->heap, &n)[ref.region],
			ref.slot);
}

static bool has_picked(const struct graph *g, const struct heap_region *r)
{
	for (uint32_t w = 0; w < (r->n_slots + 63) / 64; w++)
		if (g->pick[r->first_word + w])
			return true;
	return false;
}

static void write_node(struct graph *g, struct heap_ref ref)
{
	struct session *s = g->s;
	char *mark = pool_mark(&s->scratch);
	g->format->node(g, heap_ref_at(s->heap, ref),
			heap_ref_size(s->heap, ref), type_of_object(s, ref));
	pool_rewind(&s->scratch, mark);
}

static void write_nodes(struct graph *g)
{
	size_t n;
	const struct heap_region *r = heap_regions(g->s->heap, &n);
	g->format->section(g, "nodes");
	for (size_t i = 0; i < n && !out_stopped(g->out); i++) {
		for (uint32_t first = 0; first < r[i].n_slots; first += 64) {
			uint64_t bits = g->pick[r[i].first_word + first / 64];
			for (; bits; bits &= bits - 1) {
				uint32_t slot = first +
					(uint32_t)__builtin_ctzll(bits);
				write_node(g, (struct heap_ref){ (uint32_t)i,
								 slot });
			}
		}
	}
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct graph *g = ctx;
	struct session *s = g->s;
	struct heap_ref to;
	struct heap_root_text text = { 0 };
	if (g->failed || out_stopped(g->out) ||
	    heap_find(s->heap, root->target, &to) || !is_picked(g, to))
		return;
	char *mark = pool_mark(&s->scratch);
	g->failed = s->reader->root_text(s->self, root, &s->scratch, &text,
					 &s->err);
	if (!g->failed)
		g->format->root(g, root, &text, heap_ref_at(s->heap, to));
	g->n_roots++;
	pool_rewind(&s->scratch, mark);
}

static void on_edge(void *ctx, struct heap_ref from, uint64_t offset,
		    struct heap_ref to)
{
	struct graph *g = ctx;
	struct session *s = g->s;
	if (!is_picked(g, to))
		return;
	char *mark = pool_mark(&s->scratch);
	g->format->edge(g, heap_ref_at(s->heap, from), offset,
			label_of(s, from, offset), heap_ref_at(s->heap, to));
	pool_rewind(&s->scratch, mark);
}

static enum hc write_edges(struct graph *g)
{
	size_t n;
	struct graph_filter *filter =
		pool_new(&g->s->pool, struct graph_filter, 1);
	if (!filter)
		return hc_nomem(&g->s->err);
	graph_filter_set(filter, g->s->heap, g->pick);
	struct graph_scan scan = { .heap = g->s->heap, .filter = filter,
				   .edge = on_edge, .ctx = g };
	const struct heap_region *r = heap_regions(g->s->heap, &n);
	g->format->section(g, "edges");
	for (size_t i = 0; i < n && !out_stopped(g->out); i++)
		if (!(r[i].flags & HEAP_NOSCAN) && has_picked(g, &r[i]))
			graph_scan_region(&scan, (uint32_t)i,
					  g->pick + r[i].first_word);
	return HC_OK;
}

enum hc graph_write(struct graph *g)
{
	g->format->begin(g);
	write_nodes(g);
	g->format->section(g, "roots");
	if (g->roots)
		g->s->reader->roots(g->s->self, on_root, g);
	if (g->failed)
		return HC_FAIL;
	HC_TRY(write_edges(g));
	g->format->end(g);
	return HC_OK;
}
