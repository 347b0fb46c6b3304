// typemark.c: see typemark.h.
#include "libheap/go/types/typemark.h"

#include "libheap/go/types/typeshape.h"

bool go_typemark_open(struct go_typing *t, size_t n)
{
	uint64_t most = 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t words = (t->regions[i].n_slots + UINT64_C(63)) / 64;
		most = words > most ? words : most;
	}
	const struct mark_pair *pair = heap_marking(t->process->heap);
	t->marking = pair;
	for (uint64_t w = 0; pair && w < t->n_words; w++) {
		t->slots[w].seen = pair[w].seen;
		t->slots[w].pending = pair[w].pending;
	}
	t->single = pool_new(t->pool, uint64_t, most);
	return t->single != NULL;
}

void go_typemark_close(struct go_typing *t)
{
	struct mark_pair *pair = heap_marking(t->process->heap);
	t->marking = false;
	for (uint64_t w = 0; pair && w < t->n_words; w++) {
		pair[w] = (struct mark_pair){ t->slots[w].seen,
					      t->slots[w].pending };
		t->slots[w].pending = 0;
	}
}

uint64_t go_typemark_mask(const struct go_brief *b, uint64_t n)
{
	return n == 1 ? b->words : go_shape_repeat(b->words, b->size, n);
}

static void mark_flush(struct edge_sink *sink)
{
	struct go_typing *t = sink->ctx;
	for (uint32_t i = 0; i < sink->n; i++)
		go_typing_put(t, sink->target[i],
			      (struct go_claim){ 0, 1, true });
	sink->n = 0;
}

void go_typemark_words(struct go_typing *t, const uint8_t *mem, uint64_t mask)
{
	const struct go_claim none = { 0, 1, true };
	for (; mask; mask &= mask - 1)
		go_typing_put(t, get_u64(mem + 8 * __builtin_ctzll(mask)),
			      none);
}

void go_typemark_object(struct go_typing *t, uint32_t region, uint32_t word,
			uint32_t bit)
{
	uint64_t one = UINT64_C(1) << bit;
	uint64_t *single = &t->single[word - t->regions[region].first_word];
	if (!(t->slots[word].pending & one))
		return;
	taddr target[64];
	struct edge_sink sink = { target, NULL, 0, 64, mark_flush, t };
	t->slots[word].pending &= ~one;
	*single = one;
	go_edges(t->process, region, t->single, &sink);
	*single = 0;
	mark_flush(&sink);
}

void go_typemark_late(struct go_typing *t, uint32_t region, uint32_t word,
		      uint64_t bits)
{
	uint64_t late = t->slots[word].pending & t->slots[word].taken & ~bits;
	for (; late; late &= late - 1)
		go_typemark_object(t, region, word,
				   (uint32_t)__builtin_ctzll(late));
}
