// worker.c: see worker.h. From targets to letters, and from letters to marks.
#include "libheap/worker.h"

#include <sched.h>

// worker_sort puts each target into the open letter to its owner.
static inline __attribute__((always_inline)) void
worker_sort(struct worker *w, unsigned page_shift)
{
	const struct pagemap map = w->m.heap->map;
	const struct crew *crew = w->crew;
	uint32_t n = w->m.sink.n;
	for (uint32_t i = 0; i < n; i++) {
		taddr target = w->m.target[i];
		uint32_t page = pagemap_page(&map, target, page_shift);
		struct letter *out = w->out[crew_owner(crew, page)];
		out->target[out->n] = target;
		out->n += page >> PAGEMAP_CHUNK_LOG != 0;
	}
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
			marker_take(&w->m, in->target, in->n);
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

// worker_drain sorts the targets, takes in its own ones and sends letters,
// when they are full or when all is to go.
static void worker_drain(struct worker *w, bool all)
{
	unsigned shift = w->m.heap->map.page_shift;
	uint32_t full = all ? 1 : CREW_FULL;
	if (shift == 13)
		worker_sort(w, 13);
	else
		worker_sort(w, shift);
	for (unsigned to = 0; to < w->crew->n; to++)
		if (to != w->id && w->out[to]->n >= full)
			worker_send(w, to);
	if (w->own.n >= full) {
		marker_take(&w->m, w->own.target, w->own.n);
		w->own.n = 0;
	}
}

void worker_flush(struct edge_sink *sink)
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

// crew_watch ends the work in time. For worker 0, now and then.
static void crew_watch(struct crew *crew)
{
	if (mark_clock() < crew->until)
		return;
	crew->in_time = false;
	atomic_store(&crew->leave, true);
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
		if (spins >= w->m.heap->patience && crew_is_short(crew))
			atomic_store(&crew->leave, true);
		if (spins % 64 != 63)
			continue;
		if (w->id == 0)
			crew_watch(crew);
		sched_yield();
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

void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct crew *crew = w->crew;
	while (atomic_load(&crew->gate) == GATE_SHUT)
		sched_yield();
	if (atomic_load(&crew->gate) == GATE_GONE)
		return NULL;
	for (unsigned visits = 0;; visits++) {
		worker_read(w);
		uint64_t waiting = marker_waiting(&w->m);
		atomic_store_explicit(&w->load, waiting, memory_order_relaxed);
		if (w->id == 0 && visits % 64 == 63)
			crew_watch(crew);
		if (atomic_load_explicit(&crew->leave, memory_order_relaxed))
			break;
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
