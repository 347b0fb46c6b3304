// write.c: the order in which a heap is written, and its regions.
#include "libheap/dump/write.h"

#include <string.h>

#define NAMES_MAX (UINT64_C(64) << 20)

// page_shift_of finds a page size in which no two regions meet.
static unsigned page_shift_of(const struct writer *w)
{
	unsigned shift = 13;
	for (size_t i = 1; i < w->n_regions; i++) {
		const struct heap_region *a = &w->regions[i - 1];
		taddr last = a->base + a->slot * a->n_slots - 1;
		while (shift > 6 &&
		       last >> shift >= w->regions[i].base >> shift)
			shift--;
	}
	return shift;
}

static void write_bits(struct writer *w, enum dump_section section,
		       const uint64_t *map)
{
	pack_section(w->pack, section);
	for (size_t i = 0; i < w->n_regions; i++) {
		const struct heap_region *r = &w->regions[i];
		pack_bytes(w->pack, map + r->first_word,
			   8 * region_slots64(r));
	}
}

enum hc write_regions(struct writer *w)
{
	taddr end = 0;
	uint64_t words = 0;
	w->first = pool_new(w->pool, uint64_t, w->n_regions + 1);
	if (!w->first)
		return hc_nomem(w->err);
	pack_section(w->pack, DUMP_REGIONS);
	pack_u(w->pack, page_shift_of(w));
	pack_u(w->pack, w->n_regions);
	for (size_t i = 0; i < w->n_regions; i++) {
		const struct heap_region *r = &w->regions[i];
		pack_u(w->pack, r->base - end);
		pack_u(w->pack, r->slot);
		pack_u(w->pack, r->n_slots);
		pack_u(w->pack, r->flags);
		end = r->base + r->slot * r->n_slots;
		w->first[i] = 64 * words;
		words += region_slots64(r);
	}
	write_bits(w, DUMP_ALLOCATED, heap_allocated(w->heap));
	write_bits(w, DUMP_DEAD, heap_dead(w->heap));
	write_bits(w, DUMP_LIVE, heap_live(w->heap));
	return HC_OK;
}

// write_all writes everything. What `stats` asks for comes before typing,
// which may have findings of its own.
static enum hc write_all(struct writer *w)
{
	write_core(w);
	HC_TRY(write_identity(w));
	write_findings(w);
	write_facts(w);
	HC_TRY(write_regions(w));
	HC_TRY(write_objects(w));
	HC_TRY(suspects_begin(w));
	enum hc got = write_edges(w);
	suspects_wait(w);
	HC_TRY(got);
	HC_TRY(write_roots(w));
	write_owners(w);
	write_globals(w);
	HC_TRY(write_profile(w));
	HC_TRY(write_suspects(w));
	return w->failed;
}

enum hc dump_write(struct heap *heap, const struct dump_options *options,
		   const struct dump_sink *sink, struct pool *pool,
		   struct hc_err *err)
{
	struct pack pack;
	struct pool names, own; // the reader may use pool meanwhile
	struct writer w = { .heap = heap, .reader = heap_reader_of(heap),
			    .self = heap_self(heap), .core = heap_core(heap),
			    .options = options, .pool = &own, .names = &names,
			    .pack = &pack, .err = err };
	// Types first, for marking then goes on beside them.
	if (w.reader->type_objects)
		HC_TRY(heap_type(heap, err));
	HC_TRY(heap_mark(heap, err));
	w.regions = heap_regions(heap, &w.n_regions);
	HC_TRY(pool_open((uint64_t)(pool->end - pool->next) + 1, &own, err));
	enum hc got = pool_open(NAMES_MAX, &names, err);
	if (got == HC_OK) {
		got = pack_open(sink, options, &own, &pack, err);
		if (got == HC_OK) {
			got = write_all(&w);
			enum hc closed = pack_close(&pack, got == HC_OK, err);
			got = got ? got : closed;
		}
		suspects_close(&w);
		pool_close(&names);
	}
	pool_close(&own);
	return got;
}
