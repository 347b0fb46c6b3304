// marker.c: see mark.h. One thread's marking, from targets to visits.
#include "libheap/mark.h"

#include "libcore/base/fetch.h"

// ask_for prefetches the first lines of an object.
FETCHER ask_for(const uint8_t *at, uint64_t slot)
{
	__builtin_prefetch(at);
	if (((uintptr_t)at & 63) + slot > 64)
		__builtin_prefetch(at + 64);
}

// ring_push hands one object to the ring and asks for its bytes.
static void ring_push(struct marker *m, struct mark_entry e)
{
	const struct heap *heap = m->heap;
	uint32_t region = heap->map.region_of[e.page];
	const struct heap_region *r = &heap->regions[region];
	const uint8_t *bytes = heap->bytes[region];
	uint32_t word = e.word - r->first_word;
	m->ring[m->ring_head++ % MARK_RING] = (struct mark_single){
		region, word, e.bit
	};
	if (bytes) {
		m->shift = (uintptr_t)bytes - r->base;
		uint64_t bit = (uint64_t)__builtin_ctzll(e.bit);
		ask_for(bytes + (word * UINT64_C(64) + bit) * r->slot, r->slot);
	}
	if (heap->reader->prefetch)
		heap->reader->prefetch(heap->self, region);
}

// marker_test_few is marker_test while few regions wait: new objects go to
// the ring, past the queue, as long as there is room.
static void marker_test_few(struct marker *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct mark_entry e = m->entry[i];
		struct mark_pair *pair = &m->pair[e.word];
		if (pair->seen & e.bit)
			continue;
		pair->seen |= e.bit;
		if (e.page == m->noscan)
			continue;
		if (m->ring_head - m->ring_tail < MARK_RING) {
			ring_push(m, e);
			continue;
		}
		pair->pending |= e.bit;
		if (!m->queued[e.page]) {
			m->queued[e.page] = 1;
			m->queue[m->head++ & m->queue_mask] = e.page;
		}
	}
}

// ask_ahead asks for what n addresses lead to before anything is looked up: on
// a chain each object is waited for, and the lookups take place meanwhile.
FETCHER ask_ahead(const struct marker *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch((const void *)(uintptr_t)(m->target[i] +
							     m->shift));
}

void marker_drain(struct marker *m)
{
	unsigned shift = m->heap->map.page_shift;
	uint32_t n = m->sink.n;
	m->sink.n = 0;
	if (marker_waiting(m) < m->heap->few) {
		ask_ahead(m, n);
		marker_test_few(m, marker_look_up(m, m->target, n, shift));
	} else {
		marker_take(m, m->target, n);
	}
}

static void marker_flush(struct edge_sink *sink)
{
	marker_drain(sink->ctx);
}

// marker_ask prefetches for a region that waits: its first pending objects,
// and what the reader needs.
static void marker_ask(const struct marker *m, uint32_t page)
{
	const struct heap *heap = m->heap;
	uint32_t region = heap->map.region_of[page];
	const struct heap_region *r = &heap->regions[region];
	const uint8_t *bytes = heap->bytes[region];
	uint32_t words = region_words(r), left = bytes ? MARK_PREFETCH : 0;
	if (heap->reader->prefetch)
		heap->reader->prefetch(heap->self, region);
	for (uint32_t w = 0; w < words && left; w++) {
		uint64_t bits = m->pair[r->first_word + w].pending;
		for (; bits && left; bits &= bits - 1, left--) {
			uint64_t bit = (uint64_t)__builtin_ctzll(bits);
			ask_for(bytes + (w * UINT64_C(64) + bit) * r->slot,
				r->slot);
		}
	}
}

void marker_visit(struct marker *m)
{
	const struct heap *heap = m->heap;
	uint32_t page = m->queue[m->tail++ & m->queue_mask];
	uint32_t region = heap->map.region_of[page];
	const struct heap_region *r = &heap->regions[region];
	uint32_t words = region_words(r);
	m->queued[page] = 0;
	if (marker_waiting(m) > 1)
		marker_ask(m, m->queue[(m->tail + 1) & m->queue_mask]);
	// Copied, for scanning may set pending bits of this very region.
	for (uint32_t w = 0; w < words; w++) {
		m->pending[w] = m->pair[r->first_word + w].pending;
		m->pair[r->first_word + w].pending = 0;
	}
	heap->reader->edges(heap->self, region, m->pending, &m->sink);
}

// marker_single scans the object that is in the ring longest.
static void marker_single(struct marker *m)
{
	const struct heap *heap = m->heap;
	struct mark_single one = m->ring[m->ring_tail++ % MARK_RING];
	m->single[one.word] = one.bit;
	heap->reader->edges(heap->self, one.region, m->single, &m->sink);
	m->single[one.word] = 0;
}

void marker_run(struct marker *m, uint64_t enough, uint64_t until)
{
	for (unsigned visits = 1;; visits++) {
		if (m->ring_head != m->ring_tail) {
			marker_single(m);
			if (m->ring_head - m->ring_tail < 8 ||
			    m->sink.n >= MARK_BATCH / 4)
				marker_drain(m);
		} else if (marker_waiting(m) >= enough ||
			   (visits % 64 == 0 && until != UINT64_MAX &&
			    mark_clock() >= until)) {
			marker_drain(m);
			break;
		} else if (marker_waiting(m)) {
			marker_visit(m);
			if (m->sink.n >= MARK_BATCH / 2 || !marker_waiting(m))
				marker_drain(m);
		} else if (m->sink.n) {
			marker_drain(m);
		} else {
			break;
		}
	}
}

// queue_region queues a region, if it is not.
static void queue_region(struct marker *m, uint32_t region)
{
	const struct pagemap *map = &m->heap->map;
	uint32_t page = pagemap_page(map, m->heap->regions[region].base,
				     map->page_shift);
	if (m->queued[page])
		return;
	m->queued[page] = 1;
	m->queue[m->head++ & m->queue_mask] = page;
}

void marker_put_back(struct marker *m)
{
	while (m->ring_head != m->ring_tail) {
		struct mark_single one = m->ring[m->ring_tail++ % MARK_RING];
		uint32_t word = m->heap->regions[one.region].first_word +
				one.word;
		m->pair[word].pending |= one.bit;
		queue_region(m, one.region);
	}
}

void marker_gather(struct marker *m)
{
	for (uint32_t i = 0; i < m->heap->n_regions; i++) {
		const struct heap_region *r = &m->heap->regions[i];
		uint64_t any = 0;
		if (r->flags & HEAP_NOSCAN)
			continue; // those are only seen
		for (uint32_t w = 0; w < region_words(r); w++)
			any |= m->pair[r->first_word + w].pending;
		if (any)
			queue_region(m, i);
	}
}

enum hc marker_init(struct marker *m, const struct heap *heap,
		    struct pool *pool, struct mark_pair *pair, uint8_t *queued,
		    struct hc_err *err)
{
	uint64_t cap = 2;
	uint32_t most = most_words(heap);
	while (cap <= heap->n_regions)
		cap *= 2;
	m->heap = heap;
	m->pair = pair;
	m->queued = queued;
	m->queue = pool_new(pool, uint32_t, cap);
	m->queue_mask = cap - 1;
	m->pending = pool_new(pool, uint64_t, most);
	m->single = pool_new(pool, uint64_t, most);
	m->sink = (struct edge_sink){ .target = m->target, .cap = MARK_BATCH,
				      .flush = marker_flush, .ctx = m };
	return m->queue && m->pending && m->single ? HC_OK : hc_nomem(err);
}
