// heap.c: a heap is opened: its reader found, its regions taken in.
#include "libheap/crew.h"
#include "libheap/dominators.h"
#include "libheap/edgepass.h"

#include <sched.h>

enum hc scratch_open(const struct pool *from, struct pool *ret,
		     struct hc_err *err)
{
	struct pool pool;
	HC_TRY(pool_open((uint64_t)(from->end - from->next) + 1, &pool, err));
	pool.fail_after = from->fail_after;
	*ret = pool;
	return HC_OK;
}

void scratch_close(struct pool *from, struct pool *scratch)
{
	if (from->fail_after > 1 && scratch->fail_after)
		from->fail_after = scratch->fail_after;
	pool_close(scratch);
}

enum hc heap_begin(struct heap *heap, unsigned page_shift, uint64_t n_regions,
		   uint64_t n_words, struct hc_err *err)
{
	// One word is nobody's, and each region may get one more than it says.
	uint64_t words;
	if (heap->regions || page_shift < 6 || page_shift > 30)
		return hc_fail(err, HC_CORRUPT, 0, "pages of 2^%u bytes",
			       page_shift);
	if (n_regions >= UINT32_MAX ||
	    __builtin_add_overflow(n_words, n_regions + 1, &words) ||
	    words >= UINT32_MAX)
		return hc_fail(err, HC_LIMIT, 0,
			       "%" PRIu64 " regions of %" PRIu64 " slots",
			       n_regions, n_words);
	heap->page_shift = page_shift;
	heap->max_regions = (uint32_t)n_regions;
	heap->max_words = (uint32_t)words;
	heap->n_words = 1;
	heap->regions = pool_new(heap->pool, struct heap_region, n_regions + 1);
	heap->bytes = pool_new(heap->pool, const uint8_t *, n_regions + 1);
	heap->allocated = pool_new_dense(heap->pool, uint64_t, words);
	heap->dead = pool_new(heap->pool, uint64_t, words);
	heap->live = pool_new_dense(heap->pool, uint64_t, words);
	return heap->regions && heap->bytes && heap->allocated && heap->dead &&
			       heap->live ?
		       HC_OK :
		       hc_nomem(err);
}

// region_check says whether r may follow the regions there are.
static enum hc region_check(const struct heap *heap,
			    const struct heap_region *r, struct hc_err *err)
{
	uint64_t len;
	if (r->slot == 0 || r->n_slots == 0)
		return hc_fail(err, HC_CORRUPT, r->base, "an empty region");
	// The page behind the region must be an address too.
	if (__builtin_mul_overflow(r->slot, r->n_slots, &len) ||
	    len > UINT64_MAX - r->base ||
	    r->base + len > UINT64_MAX - (UINT64_C(2) << heap->page_shift))
		return hc_fail(err, HC_CORRUPT, r->base,
			       "a region of %u slots of %" PRIu64 " bytes",
			       r->n_slots, r->slot);
	if (heap->n_regions >= heap->max_regions)
		return hc_fail(err, HC_CORRUPT, r->base,
			       "more regions than were announced");
	if (heap->n_regions == 0)
		return HC_OK;
	const struct heap_region *before = &heap->regions[heap->n_regions - 1];
	taddr end = before->base + before->slot * before->n_slots - 1;
	if (r->base >> heap->page_shift <= end >> heap->page_shift)
		return hc_fail(err, HC_CORRUPT, r->base,
			       "a region that is not above the one before");
	return HC_OK;
}

enum hc heap_add_region(struct heap *heap, taddr base, uint64_t slot,
			uint32_t n_slots, uint32_t flags, uint32_t tag,
			uint64_t **ret_alloc, uint64_t **ret_dead,
			struct hc_err *err)
{
	struct heap_region r = { base, slot, n_slots, heap->n_words, flags,
				 tag };
	HC_TRY(region_check(heap, &r, err));
	uint32_t words = pagemap_words(&r, heap->page_shift);
	if (words > heap->max_words - heap->n_words)
		return hc_fail(err, HC_CORRUPT, base,
			       "more slots than were announced");
	heap->regions[heap->n_regions++] = r;
	heap->n_words += words;
	*ret_alloc = heap->allocated + r.first_word;
	*ret_dead = heap->dead + r.first_word;
	return HC_OK;
}

void heap_region_bytes(struct heap *heap, const uint8_t *bytes)
{
	if (heap->n_regions)
		heap->bytes[heap->n_regions - 1] = bytes;
}

// heap_seal makes the heap ready for questions once all regions are in.
static enum hc heap_seal(struct heap *heap, struct hc_err *err)
{
	if (!heap->regions)
		HC_TRY(heap_begin(heap, 12, 0, 0, err));
	heap->allocated[0] = heap->dead[0] = 0;
	for (uint32_t i = 0; i < heap->n_regions; i++) {
		// No bit past the last slot is believed.
		const struct heap_region *r = &heap->regions[i];
		uint32_t last = r->first_word + r->n_slots / 64;
		uint64_t mask = (UINT64_C(1) << (r->n_slots % 64)) - 1;
		if (last == r->first_word + pagemap_words(r, heap->page_shift))
			continue;
		heap->allocated[last] &= mask;
		heap->dead[last] &= mask;
	}
	return pagemap_build(heap->regions, heap->n_regions, heap->page_shift,
			     heap->pool, &heap->map, err);
}

// reader_for finds the reader that knows the core. One that could not find
// out does not stop the others, but its reason is the answer if none does.
static enum hc reader_for(const struct core *core,
			  const struct heap_reader *const *readers, size_t n,
			  const struct heap_reader **ret, struct hc_err *err)
{
	bool failed = false;
	for (size_t i = 0; i < n; i++) {
		struct hc_err why = { 0 };
		enum hc got = readers[i]->probe(core, &why);
		if (got == HC_OK) {
			*ret = readers[i];
			return HC_OK;
		}
		if (got == HC_FAIL && !failed && err) {
			*err = why;
			failed = true;
		}
	}
	if (failed)
		return HC_FAIL;
	return hc_fail(err, HC_UNSUPPORTED, 0,
		       "no language runtime that heapcore knows is in this core "
		       "(it knows: %s)",
		       n ? readers[0]->name : "none");
}

// processors returns how many this process may use.
static unsigned processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

enum hc heap_open(struct core *core, const struct heap_reader *const *readers,
		  size_t n, const struct heap_options *options,
		  struct pool *pool, struct heap **ret, struct hc_err *err)
{
	struct heap *heap = pool_new(pool, struct heap, 1);
	if (!heap)
		return hc_nomem(err);
	heap->core = core;
	heap->pool = pool;
	heap->options = *options;
	heap->enough = MARK_ENOUGH;
	heap->few = MARK_FEW;
	heap->patience = CREW_PATIENCE;
	heap->edges_worth = EDGE_WORTH;
	heap->dom_steps = DOM_STEPS;
	heap->processors = processors();
	HC_TRY(reader_for(core, readers, n, &heap->reader, err));
	HC_TRY(heap->reader->open(core, &heap->options, pool, heap,
				  &heap->self, err));
	enum hc got = heap_seal(heap, err);
	if (got) {
		heap->reader->close(heap->self);
		return got;
	}
	*ret = heap;
	return HC_OK;
}

void heap_close(struct heap *heap)
{
	if (heap)
		heap->reader->close(heap->self);
}
