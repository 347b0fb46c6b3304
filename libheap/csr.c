// csr.c: see csr.h. One pass reads the edges, a second one, in place, numbers
// the leaves that stayed and folds the others.
#include "libheap/csr.h"

#include "libheap/garbage.h"

// A target that may be folded is kept as its index in slot bitmaps.
#define LEAF (UINT32_C(1) << 31)

enum { BATCH = 128, MORE = 1 << 18 };

// struct pass is the pass over the edges of all objects with pointers.
// Shape: number is that of the object being read, slot its slot.
struct pass {
	struct csr *csr;
	const struct heap *heap;
	struct node_seen *seen;
	struct pool *work;
	uint32_t first_word, slot, number;
	bool garbage, full, disordered;
	struct edge_sink sink;
	taddr target[BATCH];
	struct edge_source source[BATCH];
	struct page_hit hit[BATCH];
};

bool csr_room(struct csr *csr, uint64_t more, struct pool *work)
{
	if (csr->to && csr->room - csr->n_edges >= more)
		return true;
	uint64_t room = csr->n_edges + more + MORE;
	uint32_t *to = pool_grow(work, csr->to, sizeof(*to), sizeof(*to),
				 csr->room, room);
	if (!to)
		return false;
	csr->to = to;
	csr->room = room;
	return true;
}

static void see(struct node_seen *seen, struct page_hit hit)
{
	uint64_t bit = UINT64_C(1) << hit.bit;
	seen[hit.word].twice |= seen[hit.word].once & bit;
	seen[hit.word].once |= bit;
}

// pass_begin starts the rows of the object in that slot and those before it
// that had no edges.
static void pass_begin(struct pass *p, uint32_t slot)
{
	uint32_t number = node_at(&p->csr->nodes, p->first_word + slot / 64,
				  slot % 64);
	if (number == NODE_NONE || number < p->number) {
		p->disordered = true;
		return;
	}
	while (p->number < number)
		p->csr->start[++p->number] = p->csr->n_edges;
	p->slot = slot;
}

static void pass_edge(struct pass *p, uint32_t slot, struct page_hit hit)
{
	struct csr *csr = p->csr;
	if (!(csr->nodes.rank[hit.word].bits >> hit.bit & 1))
		return;
	if (slot != p->slot)
		pass_begin(p, slot);
	uint32_t to = hit.noscan ? LEAF | (hit.word * 64 + hit.bit) :
				   node_at(&csr->nodes, hit.word, hit.bit);
	if (to == p->number)
		return;
	if (hit.noscan || p->garbage)
		see(p->seen, hit);
	csr->to[csr->n_edges++] = to;
}

static void pass_flush(struct edge_sink *sink)
{
	struct pass *p = sink->ctx;
	struct csr *csr = p->csr;
	uint32_t n = sink->n;
	sink->n = 0;
	if (!p->full)
		p->full = !csr_room(csr, n, p->work);
	if (p->full || p->disordered)
		return;
	struct pagemap map = p->heap->map; // in registers
	for (uint32_t i = 0; i < n; i++) {
		p->hit[i] = pagemap_find(&map, p->target[i]);
		__builtin_prefetch(&csr->nodes.rank[p->hit[i].word]);
		if (p->hit[i].noscan)
			__builtin_prefetch(&p->seen[p->hit[i].word], 1);
	}
	for (uint32_t i = 0; i < n; i++)
		pass_edge(p, p->source[i].slot, p->hit[i]);
}

static enum hc pass_run(struct pass *p, struct hc_err *err)
{
	const struct heap *heap = p->heap;
	struct csr *csr = p->csr;
	p->sink = (struct edge_sink){ .target = p->target, .source = p->source,
				      .cap = BATCH, .flush = pass_flush,
				      .ctx = p };
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		p->first_word = heap->regions[i].first_word;
		p->slot = UINT32_MAX;
		if (i + 2 < heap->n_regions && heap->reader->prefetch &&
		    !(heap->regions[i + 2].flags & HEAP_NOSCAN))
			heap->reader->prefetch(heap->self, i + 2);
		heap_scan(heap, i, csr->nodes.in + p->first_word, &p->sink);
		pass_flush(&p->sink);
	}
	if (p->full)
		return hc_nomem(err);
	if (p->disordered)
		return hc_fail(err, HC_CORRUPT, 0,
			       "the %s reader gives objects out of order",
			       heap->reader->name);
	while (p->number < csr->nodes.n_scan)
		csr->start[++p->number] = csr->n_edges;
	return HC_OK;
}

// csr_sizes sets what every object has of its own.
static void csr_sizes(struct csr *csr)
{
	const struct nodes *nodes = &csr->nodes;
	for (uint32_t i = 0; i < csr->heap->n_regions; i++) {
		const struct heap_region *r = &csr->heap->regions[i];
		for (uint32_t w = 0; w < region_words(r); w++) {
			const struct node_rank *rank =
				&nodes->rank[r->first_word + w];
			uint32_t v = rank->before;
			uint32_t n = (uint32_t)__builtin_popcountll(rank->bits);
			for (uint32_t k = 0; k < n; k++) {
				csr->bytes[v + k] = r->slot;
				csr->objects[v + k] = 1;
			}
		}
	}
}

// csr_settle gives leaves their numbers, or folds them into their owners.
static void csr_settle(struct csr *csr)
{
	const struct nodes *nodes = &csr->nodes;
	uint32_t *to = csr->to;
	uint64_t n = 0, at = 0;
	for (uint32_t v = 0; v < nodes->n_scan; v++) {
		uint64_t end = csr->start[v + 1];
		csr->start[v] = n;
		for (; at < end; at++) {
			uint32_t t = to[at];
			if (t & LEAF) {
				uint32_t word = (t & ~LEAF) / 64;
				t = node_at(nodes, word, t % 64);
				if (t == NODE_NONE) {
					csr->bytes[v] += csr->heap->regions
						[nodes->rank[word].region].slot;
					csr->objects[v]++;
					continue;
				}
			}
			to[n++] = t;
		}
	}
	csr->start[nodes->n_scan] = n;
	csr->n_edges = n;
}

// csr_count sets how many nodes there are.
static void csr_count(struct csr *csr, const struct holders *holders)
{
	for (uint64_t i = 0; i < holders->holds.n; i++)
		csr->n_holders += i == 0 || holders->holds.at[i].key !=
						    holders->holds.at[i - 1].key;
	csr->n_objects = csr->nodes.n;
	csr->root = csr->n_objects + csr->n_holders;
	csr->n = csr->root + 1;
}

// csr_heads appends the edges of holders and root.
static enum hc csr_heads(struct csr *csr, const struct holders *holders,
			 struct pool *work, struct hc_err *err)
{
	uint32_t h = 0;
	if (!csr_room(csr, holders->targets.n + csr->n_holders, work))
		return hc_nomem(err);
	for (uint64_t i = 0; i < holders->holds.n; i++) {
		const struct hold *hold = &holders->holds.at[i];
		if (i == 0 || hold->key != hold[-1].key) {
			csr->head[h] = csr->n_edges;
			csr->holder[h++] = hold->root;
		}
		for (uint64_t k = 0; k < hold->n; k++) {
			struct page_hit hit =
				holders->targets.at[hold->first + k];
			csr->to[csr->n_edges++] =
				node_at(&csr->nodes, hit.word, hit.bit);
		}
	}
	csr->head[h] = csr->n_edges;
	for (uint32_t i = 0; i < csr->n_holders; i++)
		csr->to[csr->n_edges++] = csr->n_objects + i;
	csr->head[h + 1] = csr->n_edges;
	return HC_OK;
}

// csr_read makes rows of what the reader gives, less the heads.
static enum hc csr_read(struct csr *csr, const struct holders *holders,
			bool garbage, struct pool *pool, struct pool *work,
			struct node_seen *seen, struct hc_err *err)
{
	struct pass *pass = pool_new(work, struct pass, 1);
	csr->start = pool_new(work, uint64_t, csr->nodes.n_scan + UINT64_C(1));
	csr->head = pool_new(work, uint64_t, holders->holds.n + 2);
	if (!pass || !csr->start || !csr->head || !csr_room(csr, 0, work))
		return hc_nomem(err);
	*pass = (struct pass){ .csr = csr, .heap = csr->heap, .seen = seen,
			       .work = work, .garbage = garbage };
	HC_TRY(pass_run(pass, err));
	for (uint64_t i = 0; i < holders->targets.n; i++) {
		see(seen, holders->targets.at[i]);
		see(seen, holders->targets.at[i]);
	}
	HC_TRY(nodes_leaves(&csr->nodes, seen, err));
	csr_count(csr, holders);
	csr->bytes = pool_new(pool, uint64_t, csr->n);
	csr->objects = pool_new(pool, uint32_t, csr->n);
	csr->holder = pool_new(pool, struct heap_root,
			       csr->n_holders + UINT64_C(1));
	if (!csr->bytes || !csr->objects || !csr->holder)
		return hc_nomem(err);
	csr_sizes(csr);
	csr_settle(csr);
	return HC_OK;
}

// csr_in returns the bitmap of the objects asked about.
static const uint64_t *csr_in(const struct heap *heap, bool garbage,
			      struct pool *pool)
{
	if (!garbage)
		return heap->live;
	uint64_t *in = pool_new(pool, uint64_t, heap->n_words);
	for (uint32_t w = 0; in && w < heap->n_words; w++)
		in[w] = heap->allocated[w] & ~heap->live[w];
	return in;
}

enum hc csr_open(struct heap *heap, bool garbage, struct pool *pool,
		 struct pool *work, struct csr *ret, struct hc_err *err)
{
	struct csr csr = { .heap = heap };
	struct holders holders = { .heap = heap };
	const uint64_t *in = csr_in(heap, garbage, pool);
	struct node_seen *seen = pool_alloc(work, sizeof(*seen), 64,
					    heap->n_words);
	if (!in || !seen)
		return hc_nomem(err);
	if (heap->n_words > LEAF / 64)
		return hc_fail(err, HC_LIMIT, 0, "more than 2147483648 slots");
	HC_TRY(nodes_open(heap, in, pool, &csr.nodes, err));
	if (!garbage)
		HC_TRY(holders_read(heap, work, &holders, err));
	HC_TRY(csr_read(&csr, &holders, garbage, pool, work, seen, err));
	if (csr.n >= NODE_LIMIT)
		return hc_fail(err, HC_LIMIT, 0, "more than 2147483647 nodes");
	if (garbage)
		HC_TRY(garbage_heads(&csr, seen, work, err));
	else
		HC_TRY(csr_heads(&csr, &holders, work, err));
	*ret = csr;
	return HC_OK;
}
