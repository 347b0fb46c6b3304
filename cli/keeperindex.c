// keeperindex.c: see keeperindex.h.
#include "cli/keeperindex.h"

#include "cli/keepergroups.h"
#include "cli/keepers.h"

#include "libcore/base/search.h"

#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
	const struct keeper_entry *x = a, *y = b;
	return x->key < y->key ? -1 : x->key > y->key;
}

enum hc keeper_index_open(struct session *s, bool owners,
			  struct keeper_index *ret)
{
	struct keeper_index index = { .is = true };
	struct heap_retained *r;
	if (!s->o.retained) {
		*ret = (struct keeper_index){ 0 };
		return HC_OK;
	}
	HC_TRY(keepers_open(s, &r));
	uint32_t all = heap_holders(r);
	index.at = pool_new(&s->pool, struct keeper_entry, all + UINT64_C(1));
	if (!index.at)
		return hc_nomem(&s->err);
	for (uint32_t i = 0; i < all; i++) {
		struct heap_keeper k = heap_holder(r, i);
		if (owners ? k.root.owner == HEAP_NO_OWNER :
			     k.root.kind != HEAP_ROOT_GLOBAL)
			continue;
		index.at[index.n++] = (struct keeper_entry){
			owners ? k.root.owner : k.root.at, k.bytes
		};
	}
	if (index.n > 1)
		qsort(index.at, index.n, sizeof(*index.at), by_key);
	*ret = index;
	return HC_OK;
}

uint64_t keeper_index_find(const struct keeper_index *index, uint64_t key)
{
	struct keeper_entry want = { .key = key };
	const struct keeper_entry *at =
		index->n ? bsearch(&want, index->at, index->n,
				   sizeof(*index->at), by_key) :
			   NULL;
	return at ? at->bytes : 0;
}

// find_name returns the group of that name; groups ascend by name.
static uint32_t find_name(const struct type_groups *g, const char *name)
{
	uint64_t after = search_while(i, g->n, strcmp(g->name[i], name) <= 0);
	return after ? (uint32_t)after - 1 : 0;
}

enum hc keeper_index_types(struct session *s, struct histogram *h)
{
	struct heap_retained *r;
	struct type_groups g;
	struct heap_sum *sum;
	if (!s->o.retained || h->by == BY_SIZE)
		return HC_OK;
	HC_TRY(keepers_open(s, &r));
	HC_TRY(type_groups_make(s, h->by == BY_PACKAGE, &g));
	HC_TRY(heap_retained_by(r, NULL, g.of, g.n, &s->pool, &sum, &s->err));
	for (uint64_t i = 0; i < h->rows.n; i++)
		h->rows.at[i].retained =
			sum[find_name(&g, h->rows.at[i].name)].bytes;
	h->has_retained = true;
	return HC_OK;
}
