// dominators.c: see dominators.h. The iteration, edge by edge: an edge from u
// to w says that w's dominator is u or above. One pass over all edges, then
// what follows from each change, until a pass changes nothing.
// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
//
// Several threads may share a pass: whatever they read of each other, no node's
// candidate is ever above its dominator, as each step up from below passes it;
// candidates only rise, by compare and exchange; and the last pass, which
// changes nothing, has seen all. There is one such tree, so it does not depend
// on who was first.
#include "libheap/dominators.h"

#include "libcore/base/fetch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { AHEAD = 24, ROW = 16, TARGETS = 8, FEW = 4 };
enum {
	THREADS = 8,     // at most
	CHUNK = 1 << 14, // most places that a thread takes at a time
	CHUNKS = 16,     // at least, for each thread
	REPORT = 1 << 13, // steps after which it looks whether to go on
	MANY = 16,       // a part of n: one more pass rather than following
};

// struct iteration is its state.
// Shape: changed has a bit for each place whose dominator has changed since its
//        edges were looked at; queue is a ring of those, each in it once.
struct iteration {
	const struct breadth *b;
	struct dominators *d;
	uint32_t *idom, *queue;
	uint64_t *changed;
	uint32_t tail, n; // where the ring begins, how many wait
	unsigned threads;
};

static inline uint32_t idom_of(const uint32_t *idom, uint32_t v)
{
	return __atomic_load_n(&idom[v], __ATOMIC_RELAXED);
}

// meet returns the nearest common ancestor of two places; an ancestor has a
// lower place than its children.
static inline uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b,
			    uint64_t *steps)
{
	while (a != b) {
		++*steps;
		if (a > b)
			a = idom_of(idom, a);
		else
			b = idom_of(idom, b);
	}
	return a;
}

// relax takes the edge from u to w into account. Returns whether that changed
// anything.
static inline bool relax(uint32_t *idom, uint32_t u, uint32_t w,
			 uint64_t *steps)
{
	uint32_t old = idom_of(idom, w);
	++*steps;
	while (old != 0 && old != u) {
		uint32_t met = meet(idom, old, u, steps);
		if (met == old)
			return false;
		if (__atomic_compare_exchange_n(&idom[w], &old, met, true,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	}
	return false;
}

// struct pass is one look at every edge, by chunks of places in turn.
// Shape: next is the first place that nobody has taken; marked counts the bits
//        set in changed.
struct pass {
	struct iteration *it;
	bool first;
	uint32_t chunk;
	_Atomic uint64_t next, steps, marked;
};

// mark notes that the dominator of w has changed, unless its edges are still
// to come in this pass. Returns 1 if that was not known.
static uint64_t mark(struct pass *p, uint32_t w)
{
	uint64_t *word = &p->it->changed[w / 64];
	uint64_t bit = UINT64_C(1) << (w % 64);
	return !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

// pass_chunk looks at the edges of places from..end.
static void pass_chunk(struct pass *p, uint32_t from, uint32_t end)
{
	const struct breadth *b = p->it->b;
	uint32_t *idom = p->it->idom;
	uint64_t steps = 0, marked = 0;
	for (uint32_t u = from; u < end; u++) {
		if (steps > REPORT) {
			p->steps += steps;
			steps = 0;
			if (p->steps > p->it->d->most)
				break;
		}
		// The edge from the parent, unless that is the dominator.
		if (u && relax(idom, b->parent[u], u, &steps) && !p->first)
			marked += mark(p, u);
		for (uint32_t i = b->start[u]; i < b->start[u + 1]; i++) {
			if (i + AHEAD < b->n_beside)
				__builtin_prefetch(&idom[b->beside[i + AHEAD]],
						   1);
			uint32_t w = b->beside[i];
			if (!relax(idom, u, w, &steps))
				continue;
			if (!p->first || w <= u || (w >= end && w < p->next))
				marked += mark(p, w);
		}
	}
	p->steps += steps;
	p->marked += marked;
}

static void *pass_run(void *arg)
{
	struct pass *p = arg;
	uint32_t n = p->it->b->n;
	while (p->steps <= p->it->d->most) {
		uint64_t from = atomic_fetch_add(&p->next, p->chunk);
		if (from >= n)
			break;
		pass_chunk(p, (uint32_t)from,
			   n - from > p->chunk ? (uint32_t)from + p->chunk : n);
	}
	return NULL;
}

// pass looks at every edge and returns how many places have changed whose
// edges are to be looked at again.
static uint64_t pass(struct iteration *it, bool first)
{
	struct pass p = { .it = it, .first = first, .steps = it->d->steps };
	pthread_t thread[THREADS];
	unsigned n = 1;
	p.chunk = it->b->n / (CHUNKS * it->threads) + 1;
	p.chunk = p.chunk < CHUNK ? p.chunk : CHUNK;
	while (n < it->threads &&
	       pthread_create(&thread[n], NULL, pass_run, &p) == 0)
		n++;
	pass_run(&p);
	while (--n)
		pthread_join(thread[n], NULL);
	it->d->steps = p.steps;
	return p.marked;
}

// ring_at returns the index of the k-th that waits, k <= n.
static inline uint32_t ring_at(const struct iteration *it, uint32_t k)
{
	uint32_t left = it->b->n - it->tail;
	return k < left ? it->tail + k : k - left;
}

static void enqueue(struct iteration *it, uint32_t v)
{
	uint64_t bit = UINT64_C(1) << (v % 64);
	if (it->changed[v / 64] & bit)
		return;
	it->changed[v / 64] |= bit;
	it->queue[ring_at(it, it->n++)] = v;
}

// gather puts all that has changed into the empty ring.
static void gather(struct iteration *it)
{
	it->tail = 0;
	for (uint32_t w = 0; w <= it->b->n / 64; w++)
		for (uint64_t bits = it->changed[w]; bits; bits &= bits - 1)
			it->queue[it->n++] =
				64 * w + (uint32_t)__builtin_ctzll(bits);
}

// fetch asks for what places in the queue will need.
FETCHER fetch(const struct iteration *it)
{
	const struct breadth *b = it->b;
	if (it->n > ROW)
		__builtin_prefetch(&b->start[it->queue[ring_at(it, ROW)]]);
	if (it->n > TARGETS) {
		uint32_t v = it->queue[ring_at(it, TARGETS)];
		__builtin_prefetch(&b->beside[b->start[v]]);
	}
	if (it->n > FEW) {
		uint32_t v = it->queue[ring_at(it, FEW)];
		uint32_t from = b->start[v], end = b->start[v + 1];
		end = end - from > FEW ? from + FEW : end;
		for (uint32_t i = from; i < end; i++)
			__builtin_prefetch(&it->idom[b->beside[i]], 1);
	}
}

// follow looks at the edges of all that changed. A child in the tree that
// still has its parent as dominator is as it was; others are looked at by the
// next pass.
static void follow(struct iteration *it)
{
	const struct breadth *b = it->b;
	while (it->n && it->d->steps <= it->d->most) {
		fetch(it);
		uint32_t u = it->queue[it->tail];
		it->tail = ring_at(it, 1);
		it->n--;
		it->changed[u / 64] &= ~(UINT64_C(1) << (u % 64));
		for (uint32_t i = b->start[u]; i < b->start[u + 1]; i++)
			if (relax(it->idom, u, b->beside[i], &it->d->steps))
				enqueue(it, b->beside[i]);
	}
}

// iterate goes on until a pass changes nothing, or the steps are used up.
static void iterate(struct iteration *it)
{
	const struct dominators *d = it->d;
	uint64_t marked = pass(it, true);
	do {
		if (marked > it->b->n / MANY) {
			memset(it->changed, 0, (it->b->n / 64 + 1) *
						       sizeof(*it->changed));
		} else {
			gather(it);
			follow(it);
		}
		marked = d->steps <= d->most ? pass(it, false) : 0;
	} while (marked && d->steps <= d->most);
}

enum hc dominators_find(const struct breadth *b, unsigned threads,
			struct pool *work, struct dominators *d,
			uint32_t **ret_idom, struct hc_err *err)
{
	uint32_t *idom = pool_new_dense(work, uint32_t, b->n);
	char *mark = pool_mark(work);
	struct iteration it = { .b = b, .d = d, .idom = idom };
	it.threads = threads < THREADS ? threads : THREADS;
	it.queue = pool_new_dense(work, uint32_t, b->n);
	it.changed = pool_new(work, uint64_t, b->n / 64 + UINT64_C(1));
	if (!idom || !it.queue || !it.changed)
		return hc_nomem(err);
	memcpy(idom, b->parent, b->n * sizeof(*idom));
	iterate(&it);
	d->lengauer = d->steps > d->most;
	pool_rewind(work, mark);
	if (d->lengauer)
		HC_TRY(lengauer_find(b, work, d, idom, err));
	*ret_idom = idom;
	return HC_OK;
}
