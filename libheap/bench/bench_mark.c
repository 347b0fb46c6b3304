// bench_mark.c: how long marking takes on three shapes of heap, without a core.
//
//	bench_mark tree|random|list [OBJECTS [THREADS]]
//
// tree: nodes allocated in the order of a walk, each with two leaves without
// pointers. random: three pointers to anywhere, the worst for caches. list: a
// shuffled chain, pure latency. Prints the median of five runs.
#include "libheap/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { PAGE = 8192, RUNS = 5 };

// struct space is one kind of slots: every page of it is a region, and so
// that kinds mix in memory, pages of all kinds take turns.
struct space {
	uint64_t slot, mask; // mask: which words are pointers
	uint64_t n;          // slots handed out
	uint32_t *page;      // its k-th page among all pages
	uint64_t n_pages, max_pages;
};

struct bench {
	struct space space[3];
	uint8_t *memory;
	uint8_t *kind; // of each page
	uint64_t n_pages, max_pages, objects;
	taddr base, root;
};

static uint64_t below(uint64_t *s, uint64_t n)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return (uint64_t)((unsigned __int128)(*s *
					      UINT64_C(2685821657736338717)) *
				  n >>
			  64);
}

static uint64_t per_page(const struct space *s)
{
	return (PAGE - 128) / s->slot;
}

// at returns where slot k of a space is.
static uint64_t at(const struct space *s, uint64_t k)
{
	uint64_t page = k / per_page(s), in = k % per_page(s);
	return s->page[page] * (uint64_t)PAGE + in * s->slot;
}

static taddr new_slot(struct bench *b, unsigned kind)
{
	struct space *s = &b->space[kind];
	if (s->n == s->n_pages * per_page(s)) {
		if (b->n_pages == b->max_pages) {
			fprintf(stderr, "bench_mark: too few pages\n");
			exit(3);
		}
		b->kind[b->n_pages] = (uint8_t)kind;
		s->page[s->n_pages++] = (uint32_t)b->n_pages++;
	}
	b->objects++;
	return b->base + at(s, s->n++);
}

static void put(struct bench *b, taddr object, unsigned word, taddr target)
{
	memcpy(b->memory + (object - b->base) + 8 * word, &target, 8);
}

static void make_tree(struct bench *b, uint64_t n)
{
	taddr stack[64];
	unsigned depth[64], top = 0, levels = 0;
	while (((uint64_t)3 << levels) < n)
		levels++;
	b->root = new_slot(b, 0);
	stack[0] = b->root;
	depth[top++] = 0;
	while (top) {
		taddr node = stack[--top];
		unsigned d = depth[top];
		put(b, node, 2, new_slot(b, 1));
		put(b, node, 4, new_slot(b, 2));
		for (unsigned k = 0; k < 2 && d < levels; k++) {
			taddr child = new_slot(b, 0);
			put(b, node, k, child);
			stack[top] = child;
			depth[top++] = d + 1;
		}
	}
}

static void make_random(struct bench *b, uint64_t n)
{
	uint64_t seed = 12345;
	for (uint64_t i = 0; i < n; i++)
		new_slot(b, 0);
	b->root = b->base;
	for (uint64_t i = 0; i < n; i++)
		for (unsigned k = 0; k < 3; k++)
			put(b, b->base + at(&b->space[0], i), k,
			    b->base + at(&b->space[0], below(&seed, n)));
}

static void make_list(struct bench *b, uint64_t n)
{
	uint64_t seed = 12345;
	uint32_t *order = calloc(n, sizeof(*order));
	for (uint64_t i = 0; i < n; i++) {
		uint64_t k = below(&seed, i + 1);
		new_slot(b, 0);
		order[i] = order[k];
		order[k] = (uint32_t)i;
	}
	for (uint64_t i = 0; i < n; i++) {
		taddr node = b->base + at(&b->space[0], order[i]);
		put(b, node, 0, b->root);
		b->root = node;
	}
	free(order);
}

static enum hc probe(const struct core *core, struct hc_err *err)
{
	(void)core;
	(void)err;
	return HC_OK;
}

static enum hc bench_open(struct core *core, const struct heap_options *options,
			  struct pool *pool, struct heap *heap, void **ret_self,
			  struct hc_err *err)
{
	struct bench *b = (struct bench *)core;
	uint64_t seen[3] = { 0 };
	(void)options;
	(void)pool;
	HC_TRY(heap_begin(heap, 13, b->n_pages, b->n_pages * 16, err));
	for (uint64_t i = 0; i < b->n_pages; i++) {
		const struct space *s = &b->space[b->kind[i]];
		uint64_t *alloc, *dead;
		uint64_t n = per_page(s), left = s->n - seen[b->kind[i]];
		HC_TRY(heap_add_region(heap, b->base + i * PAGE, s->slot,
				       (uint32_t)n, s->mask ? 0 : HEAP_NOSCAN,
				       b->kind[i], &alloc, &dead, err));
		heap_region_bytes(heap, b->memory + i * PAGE);
		n = n < left ? n : left;
		seen[b->kind[i]] += n;
		for (uint64_t k = 0; k < n; k++)
			alloc[k / 64] |= UINT64_C(1) << (k % 64);
	}
	*ret_self = b;
	return HC_OK;
}

static void bench_close(void *self)
{
	(void)self;
}

// bench_edges reads through a pointer bitmap at the end of the page, as Go
// does since 1.22; here its words are all the same, but they are read.
static void bench_edges(void *self, uint32_t region, const uint64_t *slots,
			struct edge_sink *sink)
{
	const struct bench *b = self;
	const struct space *s = &b->space[b->kind[region]];
	const uint8_t *page = b->memory + (uint64_t)region * PAGE;
	uint64_t n = per_page(s);
	for (uint64_t w = 0; w * 64 < n; w++) {
		for (uint64_t bits = slots[w]; bits; bits &= bits - 1) {
			uint32_t k = (uint32_t)w * 64 +
				     (uint32_t)__builtin_ctzll(bits);
			uint64_t off = k * s->slot / 8, map;
			memcpy(&map, page + PAGE - 128 + off / 64 * 8, 8);
			map |= s->mask;
			for (; map; map &= map - 1) {
				unsigned i = (unsigned)__builtin_ctzll(map);
				uint64_t target;
				memcpy(&target, page + (off + i) * 8, 8);
				if (target)
					edge_put(sink, false, target, k,
						 i * UINT64_C(8));
			}
		}
	}
}

static void bench_prefetch(void *self, uint32_t region)
{
	const struct bench *b = self;
	__builtin_prefetch(b->memory + (region + UINT64_C(1)) * PAGE - 128);
	__builtin_prefetch(b->memory + (region + UINT64_C(1)) * PAGE - 64);
}

static void bench_roots(void *self, heap_root_fn *fn, void *ctx)
{
	const struct bench *b = self;
	struct heap_root root = { .target = b->root };
	fn(ctx, &root);
}

static const struct heap_reader reader = {
	.name = "bench",
	.probe = probe,
	.open = bench_open,
	.close = bench_close,
	.edges = bench_edges,
	.prefetch = bench_prefetch,
	.roots = bench_roots,
};

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double peak(void)
{
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	return (double)use.ru_maxrss * 1024;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void run(struct bench *b, const char *name, unsigned threads)
{
	const struct heap_reader *readers[] = { &reader };
	struct heap_options options = { .threads = threads };
	double took[RUNS], cpu, marking = 0;
	double before = peak();
	uint64_t live = 0, edges = 1;
	for (int i = 0; i < RUNS; i++) {
		struct pool pool = { 0 };
		struct hc_err err = { 0 };
		struct heap *heap;
		if (pool_open(UINT64_C(1) << 34, &pool, &err) ||
		    heap_open((struct core *)b, readers, 1, &options, &pool,
			      &heap, &err)) {
			fprintf(stderr, "bench_mark: %s\n", err.msg);
			exit(3);
		}
		double start = now(CLOCK_MONOTONIC);
		cpu = now(CLOCK_PROCESS_CPUTIME_ID);
		if (heap_mark(heap, &err))
			exit(3);
		took[i] = now(CLOCK_MONOTONIC) - start;
		marking += now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		live = heap_totals(heap).live_objects;
		edges = heap_edges_followed(heap);
		heap_close(heap);
		pool_close(&pool);
	}
	double more = peak() - before;
	qsort(took, RUNS, sizeof(*took), by_value);
	printf("%-6s %u threads: %" PRIu64 " of %" PRIu64 " objects live, "
	       "%" PRIu64 " edges: %.3f s (best %.3f, processor %.3f), "
	       "%.1f ns/object, %.1f ns/edge, %.2f bytes/object\n",
	       name, threads, live, b->objects, edges, took[RUNS / 2] / 1e9,
	       took[0] / 1e9, marking / RUNS / 1e9, took[RUNS / 2] / (double)live,
	       took[RUNS / 2] / (double)edges, more / (double)b->objects);
}

static void make(struct bench *b, const char *name, uint64_t n)
{
	static const struct space tree[3] = { { .slot = 64, .mask = 0x17 },
					      { .slot = 16 },
					      { .slot = 48 } };
	static const struct space node = { .slot = 32, .mask = 7 };
	static const struct space pair = { .slot = 16, .mask = 1 };
	bool is_tree = strcmp(name, "tree") == 0;
	bool is_list = strcmp(name, "list") == 0;
	b->base = UINT64_C(0xc000000000);
	b->max_pages = n * 64 / PAGE + n / 32 + 100;
	b->memory = mmap(NULL, b->max_pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	b->kind = calloc(b->max_pages, 1);
	for (unsigned k = 0; k < 3; k++) {
		b->space[k] = is_tree ? tree[k] : is_list ? pair : node;
		b->space[k].page = calloc(b->max_pages, sizeof(uint32_t));
	}
	if (is_tree)
		make_tree(b, n);
	else if (is_list)
		make_list(b, n);
	else
		make_random(b, n);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	if (argc < 2) {
		fprintf(stderr, "usage: bench_mark tree|random|list "
				"[OBJECTS [THREADS]]\n");
		return 2;
	}
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
	make(&b, argv[1], n);
	run(&b, argv[1],
	    argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1);
	return 0;
}
