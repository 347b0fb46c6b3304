// holders.c: single variables, goroutines and objects that keep much, and the
// point below them where it accumulates: from there on no single object keeps
// most of it.
#include "libheap/heap.h"

enum { CHAIN = 16, DEEPEST = 100000 };

static uint32_t type_of(const struct heap_suspects *s,
			const struct heap_keeper *k)
{
	return k->kind == HEAP_KEEPER_OBJECT ?
		       heap_type_of(s->heap, k->object) :
		       UINT32_MAX;
}

// point_find goes down as long as one keeper has two thirds. Along a list there is
// always one: where many of one type follow each other, the first is it.
static enum hc point_find(struct heap_suspects *s, struct heap_keeper k,
			  struct heap_keeper *ret, struct hc_err *err)
{
	struct heap_keeper first = k;
	unsigned run = 1;
	for (unsigned deep = 0; deep < DEEPEST && run < CHAIN; deep++) {
		struct heap_keeper *below;
		uint64_t all;
		size_t n;
		char *mark = pool_mark(s->pool);
		HC_TRY(heap_keepers_below(s->retained, &k, 1, s->pool, &below,
					  &n, &all, err));
		bool most = n && below->bytes > k.bytes / 3 * 2 &&
			    below->objects > 1;
		struct heap_keeper next = n ? *below : k;
		pool_rewind(s->pool, mark);
		if (!most)
			break;
		run = type_of(s, &next) == type_of(s, &first) ? run + 1 : 1;
		first = run == 1 ? next : first;
		k = next;
	}
	*ret = run < CHAIN ? k : first;
	return HC_OK;
}

// rank says how well a type names what accumulates: one of a package, that
// keeps more than itself, tells most.
static unsigned rank(struct heap_suspects *s, const struct heap_sum *sum,
		     uint32_t type)
{
	const struct heap_reader *reader = heap_reader_of(s->heap);
	struct heap_type_text text = { 0 };
	char *mark = pool_mark(s->pool);
	bool named = reader->type_text &&
		     reader->type_text(heap_self(s->heap), type, s->pool, &text,
				       NULL) == HC_OK &&
		     text.package && *text.package;
	pool_rewind(s->pool, mark);
	return (named ? 2u : 0u) + (sum->bytes > sum->own_bytes ? 1u : 0u);
}

// choose picks a type of those that have about as many objects as any, and
// that keep a tenth of what accumulates or more.
static void choose(struct heap_suspects *s, const struct heap_sum *sum,
		   struct heap_suspect *to)
{
	uint64_t most = 0, least = to->point.bytes / 10;
	unsigned best = 0;
	for (uint32_t t = 0; t < s->n_types; t++)
		if (sum[t].bytes >= least && sum[t].objects > most)
			most = sum[t].objects;
	for (uint32_t t = 0; t < s->n_types; t++) {
		if (sum[t].bytes < least || sum[t].objects < most / 2 ||
		    !sum[t].objects)
			continue;
		unsigned r = rank(s, &sum[t], t);
		if (to->type_bytes &&
		    (r < best || (r == best && sum[t].bytes <= to->type_bytes)))
			continue;
		best = r;
		to->type = t;
		to->count = sum[t].objects;
		to->type_bytes = sum[t].bytes;
	}
}

// what_accumulates sums up by type what is below the point.
static enum hc what_accumulates(struct heap_suspects *s,
				struct heap_suspect *to, struct hc_err *err)
{
	struct heap_sum *sum;
	char *mark = pool_mark(s->pool);
	HC_TRY(heap_retained_by(s->retained, &to->point, NULL, s->n_types,
				s->pool, &sum, err));
	for (uint32_t t = 0; t < s->n_types; t++)
		s->explained[t] += sum[t].bytes;
	choose(s, sum, to);
	pool_rewind(s->pool, mark);
	return HC_OK;
}

enum hc suspects_holders(struct heap_suspects *s, struct hc_err *err)
{
	struct heap_keeper all = heap_keeper_all(s->retained), *below;
	uint64_t n_all;
	size_t n;
	HC_TRY(heap_keepers_below(s->retained, &all, 64, s->pool, &below, &n,
				  &n_all, err));
	for (size_t i = 0; i < n && below[i].bytes >= s->least; i++) {
		struct heap_suspect *to =
			suspects_add(s, "holder", below[i].bytes, 0);
		if (!to)
			return hc_nomem(err);
		to->has_keeper = to->has_point = true;
		to->keeper = below[i];
		HC_TRY(point_find(s, below[i], &to->point, err));
		HC_TRY(what_accumulates(s, to, err));
	}
	return HC_OK;
}
