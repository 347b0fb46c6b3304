// graph_filter.c: which pointers are not worth looking up (see graph.h).
#include "cli/graph.h"

#include <string.h>

#define WORTH_MAX 100000 // objects; more fill the filter

void graph_filter_add(struct graph_filter *filter, taddr at, uint64_t size)
{
	uint64_t first = at >> GRAPH_FILTER_SHIFT;
	uint64_t n = ((at + size - 1) >> GRAPH_FILTER_SHIFT) - first + 1;
	if (size == 0 || n >= GRAPH_FILTER_BITS) {
		memset(filter->bits, 0xff, sizeof(filter->bits));
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t bit = (first + i) % GRAPH_FILTER_BITS;
		filter->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
	}
}

void graph_filter_set(struct graph_filter *filter, const struct heap *heap,
		      const uint64_t *pick)
{
	size_t n;
	const struct heap_region *r = heap_regions(heap, &n);
	memset(filter, 0, sizeof(*filter));
	if (graph_count(pick, graph_words(heap)) > WORTH_MAX) {
		memset(filter, 0xff, sizeof(*filter));
		return;
	}
	for (size_t i = 0; i < n; i++) {
		for (uint32_t first = 0; first < r[i].n_slots; first += 64) {
			uint64_t bits = pick[r[i].first_word + first / 64];
			for (; bits; bits &= bits - 1) {
				uint64_t slot = first +
					(uint64_t)__builtin_ctzll(bits);
				graph_filter_add(filter, r[i].base +
						 slot * r[i].slot, r[i].slot);
			}
		}
	}
}
