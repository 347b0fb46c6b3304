// edgepass.c: see edgepass.h.
#include "libheap/edgepass.h"

#include "libheap/crew.h"

#include <pthread.h>

enum { MORE = 1 << 18 };

static bool part_room(struct edge_part *p, uint32_t more)
{
	if (p->to && p->room - p->n >= more)
		return true;
	uint32_t *to = pool_grow(&p->own, p->to, sizeof(*to), sizeof(*to),
				 p->room, p->room + MORE);
	if (!to)
		return false;
	p->to = to;
	p->room += MORE;
	return true;
}

// part_begin starts the rows of the object in that slot and of those before it
// that had no edges.
static void part_begin(struct edge_part *p, uint32_t slot)
{
	uint32_t number = node_at(&p->csr->nodes, p->first_word + slot / 64,
				  slot % 64);
	if (number < p->number || number >= p->end) {
		p->disordered = true;
		return;
	}
	while (p->number < number)
		p->csr->start[++p->number] = p->n;
	p->slot = slot;
}

static void part_edge(struct edge_part *p, uint32_t slot, struct page_hit hit)
{
	const struct nodes *nodes = &p->csr->nodes;
	if (!(nodes->rank[hit.word].bits >> hit.bit & 1))
		return;
	if (slot != p->slot)
		part_begin(p, slot);
	uint32_t to = hit.noscan ? EDGE_LEAF | (hit.word * 64 + hit.bit) :
				   node_at(nodes, hit.word, hit.bit);
	if (to == p->number)
		return;
	if (hit.noscan || p->garbage)
		edge_see(p->seen, hit);
	p->to[p->n++] = to;
}

static void part_flush(struct edge_sink *sink)
{
	struct edge_part *p = sink->ctx;
	const struct csr *csr = p->csr;
	uint32_t n = sink->n;
	sink->n = 0;
	if (!p->full)
		p->full = !part_room(p, n);
	if (p->full || p->disordered)
		return;
	struct pagemap map = csr->heap->map; // in registers
	for (uint32_t i = 0; i < n; i++) {
		p->hit[i] = pagemap_find(&map, p->target[i]);
		__builtin_prefetch(&csr->nodes.rank[p->hit[i].word]);
		if (p->hit[i].noscan)
			__builtin_prefetch(&p->seen[p->hit[i].word], 1);
	}
	for (uint32_t i = 0; i < n; i++)
		part_edge(p, p->source[i].slot, p->hit[i]);
}

static void *part_run(void *ctx)
{
	struct edge_part *p = ctx;
	const struct heap *heap = p->csr->heap;
	p->sink = (struct edge_sink){ .target = p->target, .source = p->source,
				      .cap = EDGE_BATCH, .flush = part_flush,
				      .ctx = p };
	p->number = p->first;
	if (p->first < p->end)
		p->csr->start[p->first] = 0;
	for (uint32_t i = p->first_region; i < p->end_region; i++) {
		p->first_word = heap->regions[i].first_word;
		p->slot = UINT32_MAX;
		if (i + 2 < p->end_region && heap->reader->prefetch &&
		    !(heap->regions[i + 2].flags & HEAP_NOSCAN))
			heap->reader->prefetch(heap->self, i + 2);
		heap_scan(heap, i, p->csr->nodes.in + p->first_word, &p->sink);
		part_flush(&p->sink);
	}
	while (!p->disordered && p->number + 1 < p->end)
		p->csr->start[++p->number] = p->n;
	return NULL;
}

// parts_deal gives each part about as many nodes.
static void parts_deal(const struct csr *csr, struct edge_part *parts,
		       unsigned n, bool garbage)
{
	const struct heap *heap = csr->heap;
	uint32_t region = 0, first = 0;
	for (unsigned k = 0; k < n; k++) {
		struct edge_part *p = &parts[k];
		uint32_t want = (uint32_t)(UINT64_C(1) * csr->nodes.n_scan *
					   (k + 1) / n);
		*p = (struct edge_part){ .csr = csr, .first_region = region,
					 .first = first, .garbage = garbage };
		// Up to the region in which that many are reached.
		for (; region < heap->n_regions; region++) {
			const struct heap_region *r = &heap->regions[region];
			if (r->flags & HEAP_NOSCAN)
				continue;
			first = csr->nodes.rank[r->first_word].before;
			if (k + 1 < n && first >= want && first > p->first)
				break;
		}
		if (region == heap->n_regions)
			first = csr->nodes.n_scan;
		p->end_region = region;
		p->end = first;
	}
}

// parts_open gets the memory of each, which is no more than what work has.
static enum hc parts_open(struct edge_part *parts, unsigned n,
			  struct pool *work, struct hc_err *err)
{
	uint32_t words = parts->csr->heap->n_words;
	for (unsigned k = 0; k < n; k++) {
		parts[k].seen = pool_dense(work, sizeof(struct node_seen), 64,
					   words);
		if (!parts[k].seen)
			return hc_nomem(err);
	}
	for (unsigned k = 0; k < n; k++)
		HC_TRY(scratch_open(work, &parts[k].own, err));
	return HC_OK;
}

// parts_join puts together what the parts saw, and says what went wrong.
static enum hc parts_join(struct edge_part *parts, unsigned n,
			  struct hc_err *err)
{
	const struct heap *heap = parts->csr->heap;
	struct node_seen *all = parts[0].seen;
	for (unsigned k = 0; k < n; k++) {
		if (parts[k].full)
			return hc_nomem(err);
		if (parts[k].disordered)
			return hc_fail(err, HC_CORRUPT, 0,
				       "the %s reader gives objects out of "
				       "order", heap->reader->name);
		for (uint32_t w = 0; k && w < heap->n_words; w++) {
			struct node_seen s = parts[k].seen[w];
			all[w].twice |= s.twice | (all[w].once & s.once);
			all[w].once |= s.once;
		}
	}
	return HC_OK;
}

enum hc edge_parts_run(struct csr *csr, bool garbage, struct pool *work,
		       struct edge_part **ret, unsigned *ret_n,
		       struct hc_err *err)
{
	unsigned n = crew_size(heap_threads(csr->heap)), started = 1;
	pthread_t thread[EDGE_PARTS];
	n = n > EDGE_PARTS ? EDGE_PARTS : n;
	while (n > 1 && csr->nodes.n_scan / n < csr->heap->edges_worth)
		n--;
	struct edge_part *parts = pool_new(work, struct edge_part, n);
	if (!parts)
		return hc_nomem(err);
	parts_deal(csr, parts, n, garbage);
	enum hc got = parts_open(parts, n, work, err);
	if (got == HC_OK) {
		while (started < n &&
		       pthread_create(&thread[started], NULL, part_run,
				      &parts[started]) == 0)
			started++;
		part_run(&parts[0]);
		for (unsigned k = started; k < n; k++) // without a thread
			part_run(&parts[k]);
		for (unsigned k = 1; k < started; k++)
			pthread_join(thread[k], NULL);
		got = parts_join(parts, n, err);
	}
	if (got)
		edge_parts_close(parts, n);
	*ret = parts;
	*ret_n = n;
	return got;
}

void edge_parts_close(struct edge_part *parts, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		pool_close(&parts[k].own);
}
