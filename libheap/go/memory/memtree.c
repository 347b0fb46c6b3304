// memtree.c: see memtree.h.
//
// Claims in layers (goroutine stacks, the collector's spans, all spans, free
// pages, arenas; the runtime's pieces and runs; the executable's data) are
// walked along the segments; what nobody claims belongs to the mapping.
#include "libheap/go/memory/memtree.h"

#include "libheap/go/heap/arenas.h"
#include "libheap/go/memory/freepages.h"
#include "libheap/go/memory/mapuse.h"
#include "libheap/go/memory/offheap.h"
#include "libheap/go/memory/stacks.h"

enum { L_STACKS, L_WORK, L_SPANS, L_FREE, L_PIECES, L_ARENAS, L_RUNS, L_DATA,
       N_LAYERS };

struct tree_build {
	struct go_process *process;
	bool marked;
	struct mem_tree *tree;
	uint32_t group[GO_N_GROUPS];
	uint32_t leaf[GO_N_USES];
	struct go_mapuse *maps;
	uint32_t *object_leaf; // per module, 0: none yet
	struct claims layers[N_LAYERS];
	// Of the segment being walked:
	const struct core_segment *segment;
	uint64_t rest, rest_saved; // that nobody claims
	bool claimed;              // somebody claims some of it
};

const char *go_use_name(enum go_use use)
{
	static const char *const names[] = {
#define X(id, group, name) name,
		GO_USES(X)
#undef X
	};
	return names[use];
}

// tree_nodes makes the fixed nodes, groups before leaves.
static HC_MUST enum hc tree_nodes(struct tree_build *b, struct pool *pool,
				  struct hc_err *err)
{
	HC_TRY(mem_tree_add(pool, b->tree, 0, "all", &b->group[0], err));
#define X(id, parent, name)                                               \
	HC_TRY(mem_tree_add(pool, b->tree, b->group[GO_GROUP_##parent],   \
			    name, &b->group[GO_GROUP_##id], err));
	GO_USE_GROUPS(X)
#undef X
	// Marked, "allocated" is split into live and garbage.
#define X(id, grp, name)                                                  \
	if (b->marked ? GO_USE_##id != GO_USE_ALLOCATED :                 \
			GO_USE_##id != GO_USE_LIVE &&                     \
				GO_USE_##id != GO_USE_GARBAGE)            \
		HC_TRY(mem_tree_add(pool, b->tree, b->group[GO_GROUP_##grp], \
				    name, &b->leaf[GO_USE_##id], err));
	GO_USES(X)
#undef X
	size_t n;
	const struct core_module *m = core_modules(b->process->core, &n);
	b->object_leaf = pool_new(pool, uint32_t, n + 1);
	if (!b->object_leaf)
		return hc_nomem(err);
	for (size_t i = 0; i < n; i++)
		if (!m[i].is_exe)
			HC_TRY(mem_tree_add(pool, b->tree,
					    b->group[GO_GROUP_OBJECTS],
					    m[i].path, &b->object_leaf[i],
					    err));
	return HC_OK;
}

static void leaf_add(struct tree_build *b, uint32_t node, uint64_t bytes,
		     uint64_t saved)
{
	b->tree->at[node].bytes += bytes;
	b->tree->at[node].saved_bytes += saved;
}

// span_add adds a piece of a heap span to the leaves of its uses.
static void span_add(struct tree_build *b, const struct go_span *span,
		     taddr low, taddr high, taddr saved_end)
{
	struct go_span_bytes all = { 0 }, kept = { 0 };
	go_span_count(b->process, span, low, high, &all);
	if (saved_end >= high)
		kept = all;
	else
		go_span_count(b->process, span, low, saved_end, &kept);
	enum go_use garbage = b->marked ? GO_USE_GARBAGE : GO_USE_ALLOCATED;
	if (b->marked)
		leaf_add(b, b->leaf[GO_USE_LIVE], all.live, kept.live);
	leaf_add(b, b->leaf[garbage], all.garbage, kept.garbage);
	leaf_add(b, b->leaf[GO_USE_DEAD], all.dead, kept.dead);
	leaf_add(b, b->leaf[GO_USE_FREE_SLOTS], all.free, kept.free);
	leaf_add(b, b->leaf[GO_USE_TAIL], all.tail, kept.tail);
	leaf_add(b, b->leaf[GO_USE_METADATA], all.metadata, kept.metadata);
}

// piece_add takes one piece of the segment being walked.
static void piece_add(void *ctx, taddr base, uint64_t len,
		      const struct claim *claim)
{
	struct tree_build *b = ctx;
	taddr saved_end = b->segment->base + b->segment->saved;
	uint64_t saved = saved_end <= base	 ? 0 :
			 saved_end - base >= len ? len :
						   saved_end - base;
	if (!claim) {
		b->rest += len;
		b->rest_saved += saved;
		return;
	}
	// What surrounds a thread's stack is the system's as well.
	b->claimed |= claim->use != GO_USE_THREAD_STACKS;
	if (claim->use == GO_USE_SPAN)
		span_add(b, &b->process->spans->at[claim->item], base,
			 base + len, saved_end < base ? base : saved_end);
	else
		leaf_add(b, b->leaf[claim->use], len, saved);
}

// segment_add walks one segment.
static void segment_add(struct tree_build *b, uint64_t *next,
			const struct core_segment *segment)
{
	b->segment = segment;
	b->rest = b->rest_saved = 0;
	b->claimed = false;
	claims_walk(b->layers, N_LAYERS, next, segment->base, segment->len,
		    piece_add, b);
	if (!b->rest)
		return;
	size_t module;
	enum go_use use = go_mapuse_of(b->maps, segment, b->claimed, &module);
	uint32_t node = module == SIZE_MAX ? b->leaf[use] :
					     b->object_leaf[module];
	leaf_add(b, node, b->rest, b->rest_saved);
}

// claim_spans claims heap spans and the stack spans below them.
static bool claim_spans(struct tree_build *b, struct pool *pool)
{
	const struct go_spans *spans = b->process->spans;
	for (size_t i = 0; i < spans->n; i++) {
		const struct go_span *s = &spans->at[i];
		bool heap = s->state == GO_SPAN_HEAP;
		if (!claims_add(pool, &b->layers[L_SPANS], s->base,
				go_span_len(s),
				heap ? (uint32_t)GO_USE_SPAN :
				       (uint32_t)GO_USE_STACK_FREE,
				(uint32_t)i))
			return false;
	}
	return true;
}

// claim_free claims the free pages, and the arenas for what is not used yet.
static HC_MUST enum hc claim_free(struct tree_build *b, struct pool *pool,
				  struct hc_err *err)
{
	struct go_process *process = b->process;
	const struct go_arenas *a = process->arenas;
	struct go_free_pages f = { 0 };
	struct hc_err why;
	enum hc got = go_free_pages_read(process, pool, &f, &why);
	if (got)
		findings_add_err(process->findings, "bad page bitmap", &why);
	for (uint64_t i = 0; i < f.n; i++)
		if (!claims_add(pool, &b->layers[L_FREE], f.at[i].base,
				f.at[i].len,
				f.at[i].scavenged ? GO_USE_FREE_RELEASED :
						    GO_USE_FREE_RETAINED,
				0))
			return hc_nomem(err);
	for (size_t i = 0; i < a->n; i++)
		if (!claims_add(pool, &b->layers[L_ARENAS], a->at[i].base,
				a->len, GO_USE_RESERVED, 0))
			return hc_nomem(err);
	claims_settle(&b->layers[L_ARENAS]);
	return HC_OK;
}

// claim_data claims the executable's data and bss.
static bool claim_data(struct tree_build *b, struct pool *pool)
{
	if (!b->process->n_modules)
		return true;
	const struct go_module *m = &b->process->modules[0];
	struct claims *layer = &b->layers[L_DATA];
	bool ok = claims_add(pool, layer, m->noptrdata,
			     m->enoptrdata - m->noptrdata, GO_USE_DATA, 0) &&
		  claims_add(pool, layer, m->data, m->edata - m->data,
			     GO_USE_DATA, 0) &&
		  claims_add(pool, layer, m->bss, m->ebss - m->bss,
			     GO_USE_BSS, 0) &&
		  claims_add(pool, layer, m->noptrbss,
			     m->enoptrbss - m->noptrbss, GO_USE_BSS, 0);
	claims_settle(layer);
	return ok;
}

// tree_claims fills all layers.
static HC_MUST enum hc tree_claims(struct tree_build *b, struct pool *pool,
				   struct hc_err *err)
{
	struct go_offheap off;
	HC_TRY(go_stacks_find(b->process, pool, &b->layers[L_STACKS], err));
	HC_TRY(go_work_spans_find(b->process, pool, &b->layers[L_WORK], err));
	HC_TRY(go_offheap_find(b->process, pool, &off, err));
	b->layers[L_PIECES] = off.pieces;
	b->layers[L_RUNS] = off.runs;
	HC_TRY(claim_free(b, pool, err));
	if (!claim_spans(b, pool) || !claim_data(b, pool))
		return hc_nomem(err);
	return HC_OK;
}

enum hc go_memory(struct go_process *process, bool marked, struct pool *pool,
		  struct mem_tree *ret, struct hc_err *err)
{
	struct mem_tree tree = { 0 };
	struct tree_build b = { .process = process, .marked = marked,
				.tree = &tree };
	uint64_t next[N_LAYERS] = { 0 };
	size_t n;
	const struct core_segment *seg = core_segments(process->core, &n);

	HC_TRY(tree_nodes(&b, pool, err));
	char *mark = pool_mark(pool);
	HC_TRY(go_mapuse_open(process, pool, &b.maps, err));
	HC_TRY(tree_claims(&b, pool, err));
	for (size_t i = 0; i < n; i++)
		segment_add(&b, next, &seg[i]);
	pool_rewind(pool, mark);
	mem_tree_sum(&tree);
	*ret = tree;
	return HC_OK;
}
