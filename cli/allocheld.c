// allocheld.c: see allocs.h: allocated here, held there.
#include "cli/allocs.h"

#include <stdlib.h>

// struct member is one sampled live object; root counts the roots before the
// one that its shortest path begins at.
struct member {
	uint64_t slot; // as in bitmaps
	struct alloc_row *row;
	uint32_t root;
};

// struct join is the work under way.
struct join {
	const struct alloc_table *table;
	struct { VEC(struct member); } members;
	struct alloc_helds *ret;
	uint32_t n_roots; // seen
	uint64_t next;    // of members
	bool nomem;
};

static uint64_t slot_of(const struct heap *heap, struct heap_ref ref)
{
	size_t n;
	return UINT64_C(64) * heap_regions(heap, &n)[ref.region].first_word +
	       ref.slot;
}

static bool has_bit(const uint64_t *map, uint64_t slot)
{
	return map[slot / 64] >> (slot % 64) & 1;
}

static void on_sampled(void *ctx, taddr object, taddr site)
{
	struct join *j = ctx;
	struct session *s = j->table->s;
	struct alloc_row *row = alloc_table_find(j->table, site);
	struct heap_ref ref;
	if (!row || heap_find(s->heap, object, &ref))
		return;
	uint64_t slot = slot_of(s->heap, ref);
	if (!has_bit(heap_live(s->heap), slot))
		return;
	struct member *m = vec_push(&s->pool, &j->members);
	if (m)
		*m = (struct member){ slot, row, UINT32_MAX };
	else
		j->nomem = true;
}

static int compare_slots(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int compare_roots(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return compare_slots(a, b);
}

// find_roots follows the search that reaches everything alive, nearest first,
// and passes on from object to object which root it began at.
static enum hc find_roots(struct join *j)
{
	struct session *s = j->table->s;
	struct heap_met *met;
	size_t n, n_first, n_regions;
	HC_TRY(heap_reach(s->heap, &s->pool, &met, &n, &n_first, &s->err));
	const struct heap_region *r = heap_regions(s->heap, &n_regions);
	uint64_t words = n_regions ? r[n_regions - 1].first_word +
					     (r[n_regions - 1].n_slots + 63u) /
						     64u :
				     0;
	uint64_t *is = pool_new(&s->pool, uint64_t, words);
	if (!is)
		return hc_nomem(&s->err);
	for (uint64_t i = 0; i < j->members.n; i++) {
		uint64_t slot = j->members.at[i].slot;
		is[slot / 64] |= UINT64_C(1) << (slot % 64);
	}
	for (size_t i = 0; i < n; i++) {
		if (i >= n_first)
			met[i].from = met[met[i].from].from;
		struct member key = { slot_of(s->heap, met[i].object), NULL,
				      0 };
		if (!has_bit(is, key.slot))
			continue;
		struct member *m = bsearch(&key, j->members.at, j->members.n,
					   sizeof(key), compare_slots);
		if (m)
			m->root = met[i].from;
	}
	return HC_OK;
}

// on_root gives the members of this root their holder.
static void on_root(void *ctx, const struct heap_root *root)
{
	struct join *j = ctx;
	struct session *s = j->table->s;
	uint32_t number = j->n_roots++;
	struct heap_root holder = *root;
	if (j->next == j->members.n ||
	    j->members.at[j->next].root != number)
		return;
	uint64_t key = s->reader->holder ?
			       s->reader->holder(s->self, &holder) :
		       holder.owner != HEAP_NO_OWNER ?
			       holder.owner :
			       UINT64_C(1) << 32 | number;
	for (; j->next < j->members.n &&
	       j->members.at[j->next].root == number; j->next++) {
		struct alloc_held *h = vec_push(&s->pool, j->ret);
		if (!h) {
			j->nomem = true;
			return;
		}
		*h = (struct alloc_held){ .row = j->members.at[j->next].row,
					  .holder = key, .root = holder,
					  .live = 1 };
	}
}

static int compare_pairs(const void *a, const void *b)
{
	const struct alloc_held *x = a, *y = b;
	if (x->row != y->row)
		return x->row->number < y->row->number ? -1 : 1;
	return x->holder < y->holder ? -1 : x->holder > y->holder;
}

static int compare_bytes(const void *a, const void *b)
{
	const struct alloc_held *x = a, *y = b;
	if (x->estimate.bytes != y->estimate.bytes)
		return x->estimate.bytes > y->estimate.bytes ? -1 : 1;
	return compare_pairs(a, b);
}

// merge makes one of all with the same site and holder.
static void merge(const struct alloc_table *table, struct alloc_helds *h)
{
	uint64_t n = 0;
	if (!h->n)
		return;
	qsort(h->at, h->n, sizeof(*h->at), compare_pairs);
	for (uint64_t i = 0; i < h->n; i++) {
		if (n && compare_pairs(&h->at[n - 1], &h->at[i]) == 0)
			h->at[n - 1].live += h->at[i].live;
		else
			h->at[n++] = h->at[i];
	}
	h->n = n;
	for (uint64_t i = 0; i < n; i++)
		h->at[i].estimate = alloc_estimate(h->at[i].live,
						   h->at[i].row->size,
						   table->profile.rate);
	qsort(h->at, n, sizeof(*h->at), compare_bytes);
}

enum hc alloc_held_find(const struct alloc_table *table,
			struct alloc_helds *ret)
{
	struct session *s = table->s;
	struct join j = { .table = table, .ret = ret };
	*ret = (struct alloc_helds){ 0 };
	s->reader->sampled(s->self, on_sampled, &j);
	if (j.nomem)
		return hc_nomem(&s->err);
	if (!j.members.n)
		return HC_OK;
	qsort(j.members.at, j.members.n, sizeof(*j.members.at), compare_slots);
	HC_TRY(find_roots(&j));
	qsort(j.members.at, j.members.n, sizeof(*j.members.at), compare_roots);
	s->reader->roots(s->self, on_root, &j);
	if (j.nomem)
		return hc_nomem(&s->err);
	merge(table, ret);
	session_phase(s, "find who holds the sample", j.members.n, "objects");
	return HC_OK;
}
