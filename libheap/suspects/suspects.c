// suspects.c: every analysis in turn, and what is largest first.
#include "libheap/heap.h"

#include <stdlib.h>
#include <string.h>

struct heap_suspect *suspects_add(struct heap_suspects *s, const char *kind,
				  uint64_t bytes, uint64_t count)
{
	struct heap_suspect *at = vec_push(s->pool, s);
	if (at)
		*at = (struct heap_suspect){ .kind = kind, .bytes = bytes,
					     .count = count,
					     .owner = HEAP_NO_OWNER };
	return at;
}

// is_graphs says that a suspect is one of the graph's: who holds what comes
// before what is wasted in it.
static bool is_graphs(const struct heap_suspect *x)
{
	return strcmp(x->kind, "holder") == 0 || strcmp(x->kind, "type") == 0 ||
	       strcmp(x->kind, "owners") == 0;
}

static int most_first(const void *a, const void *b)
{
	const struct heap_suspect *x = a, *y = b;
	if (is_graphs(x) != is_graphs(y))
		return is_graphs(x) ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	int order = strcmp(x->kind, y->kind);
	return order ? order : x->type < y->type ? -1 : x->type > y->type;
}

enum hc heap_suspects(struct heap *heap, unsigned percent, struct pool *pool,
		      struct heap_suspects *ret, struct hc_err *err)
{
	struct heap_suspects s = { .heap = heap, .pool = pool };
	if (heap_reader_of(heap)->type_objects)
		HC_TRY(heap_type(heap, err));
	HC_TRY(heap_retain(heap, false, &s.retained, err));
	s.live = heap_keeper_all(s.retained).bytes;
	s.least = s.live / 100 * percent + s.live % 100 * percent / 100;
	s.n_types = heap_reader_of(heap)->type_count ?
			    heap_reader_of(heap)->type_count(heap_self(heap)) :
			    1;
	s.explained = pool_new(pool, uint64_t, s.n_types + UINT64_C(1));
	if (!s.explained)
		return hc_nomem(err);
	HC_TRY(suspects_holders(&s, err));
	HC_TRY(suspects_types(&s, err));
	HC_TRY(suspects_owners(&s, err));
	HC_TRY(suspects_waiting(&s, err)); // for the suspects so far
	HC_TRY(suspects_reader(&s, err));
	if (s.n > 1)
		qsort(s.at, s.n, sizeof(*s.at), most_first);
	*ret = s;
	return HC_OK;
}
