// verify_pointers.c: pointers of live objects that lead to memory which is not
// theirs any more, or never was anybody's.
//
// Only words that the collector itself would follow count. Objects that may
// have been in the making, that the last collection found dead, or that only a
// guess keeps alive (see cli.md, "conservative") may hold anything.
// Source: runtime/mbitmap.go, findObject and badPointer (1.18–1.27).
#include "libheap/go/verify/verify.h"

#include "libheap/go/heap/arenas.h"
#include "libheap/go/heap/edges.h"
#include "libheap/go/roots/roots.h"
#include "libheap/go/stacks/threads.h"

#define BATCH 512u

// struct look is one region being looked at.
struct look {
	struct go_verify *v;
	const struct go_span *span;
};

// why_bad returns what is wrong with an address as a pointer into the heap,
// NULL when nothing is or it is not one.
static const char *why_bad(const struct go_process *p, taddr to)
{
	struct heap_ref ref;
	const struct go_span *s;

	if (heap_find(p->heap, to, &ref) == HC_OK) {
		s = &p->spans->at[p->spans->of_region[ref.region]];
		return to < s->limit ? NULL : "behind the end of an object";
	}
	s = go_span_of(p, to);
	if (s && s->state == GO_SPAN_MANUAL)
		return NULL;
	if (s)
		return (to - s->base) / s->elemsize < s->nelems ?
			       "in a free slot" :
			       "behind a span's last object";
	return go_arena_of(p, to) ? "in pages that are not in use" : NULL;
}

static void take(struct edge_sink *sink)
{
	struct look *look = sink->ctx;
	const struct go_span *s = look->span;
	for (uint32_t i = 0; i < sink->n; i++) {
		const char *why = why_bad(look->v->process, sink->target[i]);
		const struct edge_source *from = &sink->source[i];
		taddr base = s->base + from->slot * s->elemsize;
		if (!why || verify_is_new(look->v, s, from->slot))
			continue;
		verify_note(look->v, base + from->offset,
			    "the object at 0x%" PRIx64 " has at offset %" PRIu64
			    " a pointer to 0x%" PRIx64 ", %s", base,
			    from->offset, sink->target[i], why);
	}
	sink->n = 0;
}

// check_region follows what the region's surely live objects point at.
static void check_region(struct go_verify *v, uint32_t region,
			 const struct heap_region *r, uint64_t *slots)
{
	const struct heap *h = v->process->heap;
	taddr target[BATCH];
	struct edge_source source[BATCH];
	struct look look = { v, &v->process->spans->at[r->tag] };
	struct edge_sink sink = { target, source, 0, BATCH, take, &look };
	uint64_t any = 0;

	for (uint64_t w = 0; w * 64 < r->n_slots; w++) {
		slots[w] = heap_live(h)[r->first_word + w] &
			   heap_allocated(h)[r->first_word + w] &
			   ~heap_dead(h)[r->first_word + w];
		any |= slots[w];
	}
	if (!any)
		return;
	go_edges(v->process, region, slots, &sink);
	take(&sink);
}

// check_root checks a word of package variables, specials and queues: stacks
// may hold words that nobody reads any more.
static void check_root(void *ctx, const struct heap_root *root)
{
	struct go_verify *v = ctx;
	const char *why;
	if (root->kind != HEAP_ROOT_GLOBAL &&
	    root->kind != HEAP_ROOT_FINALIZER &&
	    root->kind != HEAP_ROOT_FINALIZER_QUEUE &&
	    root->kind != HEAP_ROOT_CLEANUP &&
	    root->kind != HEAP_ROOT_CLEANUP_QUEUE)
		return;
	why = why_bad(v->process, root->target);
	if (why)
		verify_note(v, root->at, "a %s root has a pointer to 0x%" PRIx64
			    ", %s", heap_root_kind_name(root->kind),
			    root->target, why);
}

void verify_pointers(struct go_verify *v)
{
	struct go_process *p = v->process;
	struct pool *pool = &p->threads->scratch;
	char *mark = pool_mark(pool);
	size_t n;
	const struct heap_region *r = heap_regions(p->heap, &n);
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (r[i].n_slots > most)
			most = r[i].n_slots;
	uint64_t *slots = pool_new(pool, uint64_t, most / 64 + 1);
	for (size_t i = 0; slots && i < n; i++)
		if (!(r[i].flags & HEAP_NOSCAN))
			check_region(v, (uint32_t)i, &r[i], slots);
	pool_rewind(pool, mark);
	go_roots(p, check_root, v);
}
