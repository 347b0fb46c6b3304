// fuzz_go_spans.c: damaged spans, arenas and bitmaps; what is asked of them
// must add up.
#include "libheap/go/fuzz/mutant.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define promise(claim)           \
	do {                     \
		if (!(claim))    \
			abort(); \
	} while (0)

// ask_tree: every byte of every mapping is in exactly one leaf.
static void ask_tree(struct heap *heap, struct pool *pool)
{
	struct mem_tree tree;
	struct hc_err err;
	size_t n;
	uint64_t bytes = 0, saved = 0;
	const struct core_segment *s = core_segments(heap_core(heap), &n);
	for (size_t i = 0; i < n; i++) {
		bytes += s[i].len;
		saved += s[i].saved;
	}
	if (heap_reader_of(heap)->memory(heap_self(heap), true, pool, &tree,
					 &err)) {
		promise(err.kind == HC_NOMEM);
		return;
	}
	promise(tree.at[0].bytes == bytes && tree.at[0].saved_bytes == saved);
	for (uint64_t i = 0; i < tree.n; i++)
		mutant_hear(tree.at[i].name);
}

static void ask(struct heap *heap, struct pool *pool)
{
	const struct heap_reader *reader = heap_reader_of(heap);
	struct findings found = { .pool = pool };
	struct heap_counters counters;
	struct hc_err err;
	size_t n;
	uint64_t objects = 0;

	if (heap_mark(heap, &err)) {
		promise(err.kind == HC_NOMEM);
		return;
	}
	const struct heap_region *r = heap_regions(heap, &n);
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < r[i].n_slots; k++)
			objects += heap_bit(heap_allocated(heap), &r[i], k);
	struct heap_totals t = heap_totals(heap);
	promise(t.live_objects + t.garbage_objects + t.unswept_objects ==
		objects);
	ask_tree(heap, pool);
	reader->verify(heap_self(heap), &found);
	for (uint64_t i = 0; i < found.n; i++)
		mutant_hear(found.at[i].text);
	if (reader->counters(heap_self(heap), &counters, &err))
		mutant_hear(err.msg);
	const struct core_segment *s = core_segments(heap_core(heap), &n);
	for (size_t i = 0; i < n && i < 64; i++)
		mutant_hear(reader->use(heap_self(heap), s[i].base, s[i].len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	mutant_ask(data, size, MUTANT_BIT(MSPAN) | MUTANT_BIT(BITS) |
		   MUTANT_BIT(ARENA) | MUTANT_BIT(HEADER) |
		   MUTANT_BIT(VARIABLE) | MUTANT_BIT(OBJECT), ask);
	return 0;
}
