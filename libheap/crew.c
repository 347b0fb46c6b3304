// crew.c: see crew.h.
#include "libheap/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

// struct letter is up to CREW_FULL + MARK_BATCH entries for another thread.
struct letter {
	uint32_t n;
	struct mark_entry entry[CREW_FULL + MARK_BATCH];
};

// struct mailbox is a ring of letters between two threads. The writer fills
// letter[head] in place and then moves head; the reader moves tail.
struct mailbox {
	_Alignas(64) _Atomic uint64_t head;
	_Alignas(64) _Atomic uint64_t tail;
	_Alignas(64) struct letter letter[CREW_LETTERS];
};

// struct worker is one thread. out[k] is the open letter to worker k, own for
// itself; load is how many regions wait, for others to read.
struct worker {
	struct marker m;
	struct crew *crew;
	unsigned id;
	struct letter *out[CREW_MAX];
	struct letter own;
	pthread_t thread;
	_Alignas(64) _Atomic uint64_t load;
};

// struct crew is all threads. `under_way` counts busy threads and letters on
// their way: at 0 nothing is left. `left` counts threads that scan no more and
// so send nothing. box[to][from].
struct crew {
	unsigned n;
	struct worker *worker;
	struct mailbox *box[CREW_MAX][CREW_MAX];
	_Alignas(64) _Atomic uint64_t under_way;
	_Atomic unsigned left;
	_Atomic bool leave;
	_Atomic enum crew_gate { GATE_SHUT, GATE_OPEN, GATE_GONE } gate;
};

unsigned crew_size(unsigned threads)
{
	cpu_set_t set;
	unsigned n = 1;
	if (threads == 0 && sched_getaffinity(0, sizeof(set), &set) == 0)
		threads = (unsigned)CPU_COUNT(&set);
	while (n * 2 <= threads && n < CREW_MAX)
		n *= 2;
	return n;
}

// noscan_page returns the page that stands for "no pointers" at a worker: one
// of the empty chunk, on a cache line of its own.
static inline uint32_t noscan_page(unsigned worker)
{
	return 64 * (worker + 1);
}

// worker_look_up is marker_look_up, with an open letter for each owner.
static inline __attribute__((always_inline)) void
worker_look_up(struct worker *w, unsigned page_shift)
{
	const struct pagemap map = w->m.heap->map;
	unsigned mask = w->crew->n - 1;
	uint32_t n_targets = w->m.sink.n;
	uint64_t edges = 0;
	for (uint32_t i = 0; i < n_targets; i++) {
		struct page_hit hit =
			pagemap_find_in(&map, w->m.target[i], page_shift);
		unsigned owner = hit.page >> CREW_BLOCK & mask;
		struct letter *out = w->out[owner];
		__builtin_prefetch(&w->m.pair[hit.word], 1);
		out->entry[out->n] = (struct mark_entry){
			hit.word, hit.noscan ? noscan_page(owner) : hit.page,
			UINT64_C(1) << hit.bit };
		out->n += hit.word != 0;
		edges += hit.any;
	}
	w->m.edges += edges;
	w->m.sink.n = 0;
}

// worker_read takes in the letters that others sent.
static bool worker_read(struct worker *w)
{
	bool any = false;
	for (unsigned from = 0; from < w->crew->n; from++) {
		struct mailbox *box = w->crew->box[w->id][from];
		if (!box)
			continue;
		uint64_t tail = atomic_load_explicit(&box->tail,
						     memory_order_relaxed);
		while (tail != atomic_load_explicit(&box->head,
						    memory_order_acquire)) {
			struct letter *in = &box->letter[tail % CREW_LETTERS];
			for (uint32_t i = 0; i < in->n; i++)
				__builtin_prefetch(
					&w->m.pair[in->entry[i].word], 1);
			marker_test(&w->m, in->entry, in->n);
			in->n = 0;
			atomic_store_explicit(&box->tail, ++tail,
					      memory_order_release);
			atomic_fetch_sub(&w->crew->under_way, 1);
			any = true;
		}
	}
	return any;
}

// worker_send sends the open letter to `to` and opens the next. While the
// ring is full it reads its own letters, so that no two wait for each other.
static void worker_send(struct worker *w, unsigned to)
{
	struct mailbox *box = w->crew->box[to][w->id];
	uint64_t head = atomic_load_explicit(&box->head, memory_order_relaxed);
	atomic_fetch_add(&w->crew->under_way, 1);
	atomic_store_explicit(&box->head, ++head, memory_order_release);
	while (head - atomic_load_explicit(&box->tail, memory_order_acquire) >=
	       CREW_LETTERS)
		if (!worker_read(w))
			sched_yield();
	w->out[to] = &box->letter[head % CREW_LETTERS];
}

// worker_drain takes in its own part of the targets and sends full letters,
// or all of them.
static void worker_drain(struct worker *w, bool all)
{
	unsigned shift = w->m.heap->map.page_shift;
	if (shift == 13)
		worker_look_up(w, 13);
	else
		worker_look_up(w, shift);
	marker_test(&w->m, w->own.entry, w->own.n);
	w->own.n = 0;
	for (unsigned to = 0; to < w->crew->n; to++)
		if (to != w->id && w->out[to]->n >= (all ? 1 : CREW_FULL))
			worker_send(w, to);
}

static void worker_flush(struct edge_sink *sink)
{
	worker_drain(sink->ctx, false);
}

static bool has_mail(const struct worker *w)
{
	for (unsigned from = 0; from < w->crew->n; from++) {
		const struct mailbox *box = w->crew->box[w->id][from];
		if (box && atomic_load_explicit(&box->head,
						memory_order_acquire) !=
				   atomic_load_explicit(&box->tail,
							memory_order_relaxed))
			return true;
	}
	return false;
}

// crew_is_short says that too little waits to keep several threads at work.
static bool crew_is_short(const struct crew *crew)
{
	uint64_t all = 0;
	for (unsigned i = 0; i < crew->n; i++)
		all += atomic_load_explicit(&crew->worker[i].load,
					    memory_order_relaxed);
	return all < MARK_FEW;
}

// worker_waits is what a thread does that has nothing: it waits for mail and
// returns true, or finds that the crew is done and returns false.
static bool worker_waits(struct worker *w)
{
	struct crew *crew = w->crew;
	atomic_fetch_sub(&crew->under_way, 1);
	for (unsigned spins = 0;; spins++) {
		if (has_mail(w)) {
			atomic_fetch_add(&crew->under_way, 1);
			return true;
		}
		if (atomic_load(&crew->under_way) == 0 ||
		    atomic_load_explicit(&crew->leave, memory_order_relaxed))
			return false;
		if (spins % 64 == 63) {
			sched_yield();
			if (spins > 512 && crew_is_short(crew))
				atomic_store(&crew->leave, true);
		}
	}
}

// worker_leaves reads on until nobody can be waiting for room in a mailbox.
static void worker_leaves(struct worker *w)
{
	struct crew *crew = w->crew;
	atomic_fetch_add(&crew->left, 1);
	while (atomic_load(&crew->left) < crew->n)
		if (!worker_read(w))
			sched_yield();
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct crew *crew = w->crew;
	while (atomic_load(&crew->gate) == GATE_SHUT)
		sched_yield();
	if (atomic_load(&crew->gate) == GATE_GONE)
		return NULL;
	for (;;) {
		worker_read(w);
		uint64_t waiting = marker_waiting(&w->m);
		atomic_store_explicit(&w->load, waiting, memory_order_relaxed);
		if (atomic_load_explicit(&crew->leave, memory_order_relaxed)) {
			worker_drain(w, false);
			break;
		}
		if (waiting) {
			marker_visit(&w->m);
			if (w->m.sink.n >= MARK_BATCH / 2)
				worker_drain(w, false);
			continue;
		}
		worker_drain(w, true);
		if (!marker_waiting(&w->m) && !worker_waits(w))
			break;
	}
	worker_leaves(w);
	return NULL;
}

// crew_deal gives each waiting region to its owner.
static void crew_deal(struct crew *crew, struct marker *m)
{
	while (marker_waiting(m)) {
		uint32_t page = m->queue[m->tail++ & m->queue_mask];
		struct marker *to =
			&crew->worker[page >> CREW_BLOCK & (crew->n - 1)].m;
		to->queue[to->head++ & to->queue_mask] = page;
	}
}

// letter_back takes in an entry list that never arrived.
static void letter_back(struct marker *m, struct letter *letter)
{
	marker_test(m, letter->entry, letter->n);
	letter->n = 0;
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
		for (unsigned from = 0; from < crew->n; from++) {
			struct mailbox *box = crew->box[i][from];
			if (!box)
				continue;
			uint64_t tail = atomic_load(&box->tail);
			for (; tail != atomic_load(&box->head); tail++)
				letter_back(m, &box->letter[tail %
							    CREW_LETTERS]);
			atomic_store(&box->tail, tail);
			letter_back(m, crew->worker[from].out[i]);
		}
	}
}

void crew_run(struct crew *crew, struct marker *m)
{
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
}

enum hc crew_open(const struct heap *heap, unsigned n, struct pool *pool,
		  struct mark_pair *pair, uint8_t *queued, struct crew **ret,
		  struct hc_err *err)
{
	struct crew *crew = pool_new(pool, struct crew, 1);
	if (!crew)
		return hc_nomem(err);
	crew->n = n;
	crew->worker = pool_new(pool, struct worker, n);
	if (!crew->worker)
		return hc_nomem(err);
	for (unsigned i = 0; i < n; i++) {
		struct worker *w = &crew->worker[i];
		HC_TRY(marker_init(&w->m, heap, pool, pair, queued, err));
		w->m.sink.flush = worker_flush;
		w->m.sink.ctx = w;
		w->crew = crew;
		w->id = i;
		w->out[i] = &w->own;
		queued[noscan_page(i)] = 1;
		for (unsigned to = 0; to < n; to++) {
			if (to == i)
				continue;
			struct mailbox *box = pool_new(pool, struct mailbox, 1);
			if (!box)
				return hc_nomem(err);
			crew->box[to][i] = box;
			w->out[to] = &box->letter[0];
		}
	}
	*ret = crew;
	return HC_OK;
}
