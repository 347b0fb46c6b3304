// plants_rest.c: damages to headers, pointers, arenas, the collector,
// goroutines and threads.
#include "libheap/go/tests/plants.h"

#include "libheap/go/heap/arenas.h"
#include "libheap/go/heap/edges.h"
#include "libheap/go/roots/roots.h"
#include "libheap/go/heap/specials.h"
#include "libheap/go/stacks/threads.h"

// ---- headers and pointers ----------------------------------------------------

static bool header_moved(struct patch *p)
{
	uint32_t k;
	const struct go_span *s = plant_span(p, GO_PTRMAP_HEADER, &k);
	if (!s)
		return false;
	taddr at = s->base + k * s->elemsize;
	return patch_poke(p, at, patch_peek(p, at, 8) + 8, 8);
}

static bool header_none(struct patch *p)
{
	uint32_t k;
	const struct go_span *s = plant_span(p, GO_PTRMAP_HEADER, &k);
	return s && patch_poke(p, s->base + k * s->elemsize, 0, 8);
}

// a_free_slot returns the address of one.
static taddr a_free_slot(const struct patch *p)
{
	size_t n, i;
	const struct heap_region *r = heap_regions(p->sound.heap, &n);

	for (i = 0; i < n; i++)
		for (uint32_t k = 0; k < r[i].n_slots; k++)
			if (!heap_bit(heap_allocated(p->sound.heap), &r[i], k))
				return r[i].base + k * r[i].slot;
	return 0;
}

struct word {
	taddr at;
};

static void take_word(struct edge_sink *sink)
{
	struct word *w = sink->ctx;
	if (sink->n)
		w->at = sink->source[0].offset + 1;
	sink->n = 0;
}

// a_pointer returns the address of a pointer word in a live object.
static taddr a_pointer(const struct patch *p)
{
	taddr target[1];
	struct edge_source source[1];
	struct word w = { 0 };
	struct edge_sink sink = { target, source, 0, 1, take_word, &w };
	SMALL(p);
	go_object_words(p->sound.process, s->region, k, &sink);
	return w.at ? s->base + k * s->elemsize + w.at - 1 : 0;
}

static bool pointer_free(struct patch *p)
{
	taddr at = a_pointer(p), to = a_free_slot(p);
	return at && to && patch_poke(p, at, to, 8);
}

static bool pointer_unused(struct patch *p)
{
	const struct go_arenas *a = p->sound.process->arenas;
	taddr at = a_pointer(p), to = a->at[a->n - 1].base + a->len - 4096;
	return at && patch_poke(p, at, to, 8);
}

static bool pointer_tail(struct patch *p)
{
	uint32_t k;
	const struct go_span *s = plant_small(p, &k);
	taddr at = s ? a_pointer(p) : 0;
	return at && s->nelems * s->elemsize < go_span_len(s) &&
	       patch_poke(p, at, s->base + go_span_len(s) - 8, 8);
}

static void take_global(void *ctx, const struct heap_root *root)
{
	struct word *w = ctx;
	if (root->kind == HEAP_ROOT_GLOBAL && root->at && !w->at)
		w->at = root->at;
}

static bool global_free(struct patch *p)
{
	struct word w = { 0 };
	taddr to = a_free_slot(p);
	go_roots(p->sound.process, take_global, &w);
	return w.at && to && patch_poke(p, w.at, to, 8);
}

static bool map_cleared(struct patch *p)
{
	SMALL(p);
	if (s->ptrmap != GO_PTRMAP_INSPAN || s->elemsize % 64)
		return false;
	uint64_t len = go_span_len(s), words = s->elemsize / 8;
	taddr map = s->base + len - len / 64 - (s->inline_marks ? 128 : 0);
	for (uint64_t i = 0; i < words / 8; i++)
		if (!patch_poke(p, map + k * words / 8 + i, 0, 1))
			return false;
	return true;
}

static void take_finalizer(void *ctx, const struct go_special *sp)
{
	struct word *w = ctx;
	w->at = w->at ? w->at : sp->at;
}

static bool special_kind(struct patch *p)
{
	struct word w = { 0 };
	go_specials_each(p->sound.process, take_finalizer, &w);
	return plant_put(p, w.at, F_special_kind, 99);
}

// ---- arenas, the heap, the collector -------------------------------------------

// page_at returns the address of the arena's metadata and the page's number.
static taddr page_of(const struct patch *p, const struct go_span *s,
		     uint64_t *ret_page)
{
	const struct go_arena *a = go_arena_of(p->sound.process, s->base);
	*ret_page = (s->base - a->base) / GO_PAGE;
	return a->meta;
}

static bool page_entry(struct patch *p)
{
	uint64_t page;
	SMALL(p);
	taddr meta = page_of(p, s, &page);
	return patch_poke(p, meta + go_off(plant_layout(p), F_heapArena_spans) +
			  8 * page, p->sound.process->spans->at[0].at + 8, 8);
}

static bool page_bit(struct patch *p, enum go_field f)
{
	uint64_t page;
	SMALL(p);
	taddr at = page_of(p, s, &page) + go_off(plant_layout(p), f) + page / 8;
	return go_has(plant_layout(p), f) &&
	       patch_poke(p, at, patch_peek(p, at, 1) ^ 1u << page % 8, 1);
}

static bool page_in_use(struct patch *p)
{
	return page_bit(p, F_heapArena_pageInUse);
}

static bool page_specials(struct patch *p)
{
	return page_bit(p, F_heapArena_pageSpecials);
}

static bool phase_none(struct patch *p)
{
	taddr at = p->sound.process->globals.at[G_gcphase];
	return at && patch_poke(p, at, 9, 4);
}

static bool sweepgen_odd(struct patch *p)
{
	taddr heap = p->sound.process->globals.at[G_mheap_];
	return plant_put(p, heap, F_mheap_sweepgen,
		   plant_got(p, heap, F_mheap_sweepgen) + 1);
}

static bool list_entry(struct patch *p)
{
	taddr heap = p->sound.process->globals.at[G_mheap_];
	taddr all = patch_peek(p, heap + go_off(plant_layout(p), F_mheap_allspans),
			       8);
	return patch_poke(p, all + 8, 0xdead0000, 8);
}

// ---- goroutines and threads ------------------------------------------------

// a_g returns the n-th goroutine that stands still.
static taddr a_g(const struct patch *p, unsigned n)
{
	const struct go_process *process = p->sound.process;
	struct go_g g;

	for (uint32_t i = 0; i < process->threads->n_gs; i++)
		if (go_g_open(process, i, &g, NULL) == HC_OK &&
		    g.status == GO_WAITING && n-- == 0)
			return g.record.at;
	return 0;
}

#define G_FIELD(name, field, value)                         \
	static bool name(struct patch *p)                   \
	{                                                   \
		taddr g = a_g(p, 0);                        \
		uint64_t old = g ? plant_got(p, g, field) : 0;    \
		return plant_put(p, g, field, (value) + 0 * old); \
	}

G_FIELD(stack_low, F_g_stack_lo, old + 8)
G_FIELD(stack_high, F_g_stack_hi, 0)
G_FIELD(stack_sp, F_g_sched_sp, 16)
G_FIELD(g_status, F_g_atomicstatus, 77)
G_FIELD(g_thread, F_g_m, 0xdead0000)

static bool stack_shared(struct patch *p)
{
	taddr a = a_g(p, 0), b = a_g(p, 1);
	return a && b && plant_put(p, a, F_g_stack_lo, plant_got(p, b, F_g_stack_lo)) &&
	       plant_put(p, a, F_g_stack_hi, plant_got(p, b, F_g_stack_hi));
}

static bool thread_g0(struct patch *p)
{
	const struct go_threads *t = p->sound.process->threads;
	return t->n && plant_put(p, t->at[0].m, F_m_g0, a_g(p, 0));
}

const struct plant plants_rest[] = {
	PLANT(header_moved, "pointer map: the object"),
	PLANT(header_none, "a header that is no type: 0x0"),
	PLANT(pointer_free, "in a free slot"),
	PLANT(pointer_unused, "in pages that are not in use"),
	PLANT(pointer_tail, "behind a span's last object"),
	PLANT(global_free, "a global root has a pointer"),
	PLANT(map_cleared, "its pointer map has none"),
	PLANT(special_kind, "the list of specials"),
	PLANT(page_entry, "its arena says to the span record"),
	PLANT(page_in_use, "pages: "),
	PLANT(page_specials, "specials, its arena's list of pages"),
	PLANT(phase_none, "phase is 9, which is none"),
	PLANT(sweepgen_odd, "is odd"),
	PLANT(list_entry, "bad span: span 1 is not in the core"),
	PLANT(stack_low, "impossible stack"),
	PLANT(stack_high, "goroutine"),
	PLANT(stack_sp, "stopped with its stack at 0x10"),
	PLANT(g_status, "state 0x4d, which is none"),
	PLANT(g_thread, "that the runtime does not have"),
	PLANT(stack_shared, "two goroutines have one stack"),
	PLANT(thread_g0, "scheduler goroutine of thread"),
	{ NULL, NULL, NULL },
};
