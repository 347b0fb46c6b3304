// crew.c: see crew.h. Who owns what; work is dealt out and taken back.
#include "libheap/worker.h"

unsigned crew_size(unsigned threads)
{
	unsigned n = 1;
	while (n * 2 <= threads && n < CREW_MAX)
		n *= 2;
	return n;
}

// crew_deal gives each waiting region to its owner.
static void crew_deal(struct crew *crew, struct marker *m)
{
	while (marker_waiting(m)) {
		uint32_t page = m->queue[m->tail++ & m->queue_mask];
		struct marker *to = &crew->worker[crew_owner(crew, page)].m;
		to->queue[to->head++ & to->queue_mask] = page;
	}
}

// letter_back takes in what never arrived.
static void letter_back(struct marker *m, struct letter *letter)
{
	marker_take(m, letter->target, letter->n);
	letter->n = 0;
}

// mailbox_back takes in the letters that nobody read.
static void mailbox_back(struct marker *m, struct mailbox *box)
{
	uint64_t tail = atomic_load(&box->tail);
	for (; tail != atomic_load(&box->head); tail++)
		letter_back(m, &box->letter[tail % CREW_LETTERS]);
	atomic_store(&box->tail, tail);
}

// crew_back gives everything that is left to m.
static void crew_back(struct crew *crew, struct marker *m)
{
	for (unsigned i = 0; i < crew->n; i++) {
		struct worker *w = &crew->worker[i];
		while (marker_waiting(&w->m))
			m->queue[m->head++ & m->queue_mask] =
				w->m.queue[w->m.tail++ & w->m.queue_mask];
		m->edges += w->m.edges;
		w->m.edges = 0;
	}
	for (unsigned i = 0; i < crew->n; i++) {
		struct worker *w = &crew->worker[i];
		marker_take(m, w->m.target, w->m.sink.n);
		w->m.sink.n = 0;
		for (unsigned to = 0; to < crew->n; to++) {
			if (to != i)
				mailbox_back(m, crew->box[to][i]);
			letter_back(m, w->out[to]);
		}
	}
}

bool crew_run(struct crew *crew, struct marker *m, uint64_t until)
{
	crew->until = until;
	crew->in_time = true;
	crew_deal(crew, m);
	atomic_store(&crew->leave, false);
	atomic_store(&crew->left, 0);
	atomic_store(&crew->gate, GATE_SHUT);
	atomic_store(&crew->under_way, crew->n);
	for (unsigned i = 0; i < crew->n; i++)
		atomic_store(&crew->worker[i].load,
			     marker_waiting(&crew->worker[i].m));
	unsigned started = 1;
	while (started < crew->n &&
	       pthread_create(&crew->worker[started].thread, NULL, worker_run,
			      &crew->worker[started]) == 0)
		started++;
	// Without all of them, none works.
	atomic_store(&crew->gate, started == crew->n ? GATE_OPEN : GATE_GONE);
	worker_run(&crew->worker[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(crew->worker[i].thread, NULL);
	crew_back(crew, m);
	return crew->in_time;
}

// crew_blocks deals the pages out: blocks in turn, and a region that reaches
// into other blocks wholly to the owner of its first page.
static enum hc crew_blocks(struct crew *crew, const struct heap *heap,
			   struct pool *pool, struct hc_err *err)
{
	const struct pagemap *map = &heap->map;
	crew->block_log = CREW_BLOCK;
	while (map->n_pages >> crew->block_log > CREW_BLOCKS)
		crew->block_log++;
	uint32_t n = (map->n_pages >> crew->block_log) + 1;
	crew->block = pool_new(pool, struct block, n);
	if (!crew->block)
		return hc_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		crew->block[i].after = (uint8_t)(i & (crew->n - 1));
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		const struct heap_region *r = &heap->regions[i];
		taddr last = r->base + r->slot * r->n_slots - 1;
		uint32_t from = pagemap_page(map, r->base, map->page_shift);
		uint32_t to = pagemap_page(map, last, map->page_shift);
		for (uint32_t b = (from >> crew->block_log) + 1;
		     b <= to >> crew->block_log; b++) {
			crew->block[b].from = to + 1;
			crew->block[b].before =
				(uint8_t)crew_owner(crew, from);
		}
	}
	return HC_OK;
}

static enum hc crew_hire(struct crew *crew, unsigned id,
			 const struct marker *like, struct pool *pool,
			 struct hc_err *err)
{
	struct worker *w = &crew->worker[id];
	HC_TRY(marker_init(&w->m, like->heap, pool, like->pair, like->queued,
			   err));
	w->m.sink.flush = worker_flush;
	w->m.sink.ctx = w;
	// One of the empty chunk, on a cache line of its own.
	w->m.noscan = 64 * (id + 1);
	w->m.queued[w->m.noscan] = 1;
	w->crew = crew;
	w->id = id;
	for (unsigned to = 0; to < crew->n; to++) {
		if (to == id) {
			w->out[to] = &w->own;
			continue;
		}
		struct mailbox *box = pool_new(pool, struct mailbox, 1);
		if (!box)
			return hc_nomem(err);
		crew->box[to][id] = box;
		w->out[to] = &box->letter[0];
	}
	return HC_OK;
}

enum hc crew_open(const struct marker *like, unsigned n, struct pool *pool,
		  struct crew **ret, struct hc_err *err)
{
	struct crew *crew = pool_new(pool, struct crew, 1);
	if (!crew)
		return hc_nomem(err);
	crew->n = n;
	crew->worker = pool_new(pool, struct worker, n);
	if (!crew->worker)
		return hc_nomem(err);
	HC_TRY(crew_blocks(crew, like->heap, pool, err));
	for (unsigned i = 0; i < n; i++)
		HC_TRY(crew_hire(crew, i, like, pool, err));
	*ret = crew;
	return HC_OK;
}
