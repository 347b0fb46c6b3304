// edges.c: see edges.h.
//
// Every pointer map becomes 64-bit words of "is a pointer" bits, one bit a
// word of memory, so that one loop takes the pointers out whatever the version.
#include "libheap/go/edges.h"

#include "libheap/go/heapbits.h"
#include "libheap/go/typemask.h"

#include <stdatomic.h>

struct go_edges {
	struct go_masks *masks;
	struct go_heapbits *bits; // per region, for the maps that are bitmaps
	_Atomic uint64_t n_bad;   // objects whose type is none
	_Atomic taddr first_bad;
};

enum hc go_edges_open(struct go_process *process, struct hc_err *err)
{
	const struct go_spans *spans = process->spans;
	struct go_edges *e = pool_new(process->pool, struct go_edges, 1);
	if (!e)
		return hc_nomem(err);
	process->edges = e;
	HC_TRY(go_masks_open(process, &e->masks, err));
	e->bits = pool_new(process->pool, struct go_heapbits, spans->n_regions);
	if (!e->bits)
		return hc_nomem(err);
	for (size_t i = 0; i < spans->n_regions; i++)
		go_heapbits_find(process, &spans->at[spans->of_region[i]],
				 &e->bits[i]);
	return HC_OK;
}

void go_edges_close(struct go_process *process)
{
	if (process->edges)
		go_masks_close(process->edges->masks);
}

// struct scan is one object being scanned.
struct scan {
	const struct go_process *process;
	const uint8_t *mem; // of the slot, or NULL: read word by word
	taddr base;         // of the slot
	uint32_t slot;
	struct edge_sink *sink;
};

// scan_word returns the word at byte offset off of the slot, 0 when missing.
static uint64_t scan_word(const struct scan *s, uint64_t off)
{
	uint64_t v = 0;
	if (s->mem)
		return get_u64(s->mem + off);
	if (core_u64(s->process->core, s->base + off, &v, NULL))
		return 0;
	return v;
}

// scan_bits emits the words whose bits are set; bit 0 is the word at off.
static inline __attribute__((always_inline)) void
scan_bits(const struct scan *s, bool with_source, uint64_t bits, uint64_t off)
{
	for (; bits; bits &= bits - 1) {
		uint64_t at = off + 8 * (uint64_t)__builtin_ctzll(bits);
		uint64_t v = scan_word(s, at);
		if (v)
			edge_put(s->sink, with_source, v, s->slot, at);
	}
}

// scan_pointers emits all words from byte offset off of the slot to end.
static void scan_pointers(const struct scan *s, bool with_source, uint64_t off,
			  uint64_t end)
{
	for (; end - off >= 8; off += 8) {
		uint64_t v = get_u64(s->mem + off);
		if (v)
			edge_put(s->sink, with_source, v, s->slot, off);
	}
}

// scan_masked emits the pointers of elements of one type, repeated from byte
// offset off of the slot to end.
static void scan_masked(const struct scan *s, bool with_source,
			const struct go_mask *mask, uint64_t off, uint64_t end)
{
	uint64_t n_bytes = (mask->n_words + 7) / 8;
	if (!mask->n_words)
		return;
	if (mask->stride == 8 && (mask->bits[0] & 1) && s->mem && off < end) {
		scan_pointers(s, with_source, off, end);
		return;
	}
	for (; off < end; off += mask->stride) {
		uint64_t words = (end - off) / 8;
		if (words > mask->n_words)
			words = mask->n_words;
		for (uint64_t i = 0; i < words; i += 64) {
			uint64_t bits = 0, left = n_bytes - i / 8;
			memcpy(&bits, mask->bits + i / 8, left < 8 ? left : 8);
			if (words - i < 64)
				bits &= (UINT64_C(1) << (words - i)) - 1;
			scan_bits(s, with_source, bits, off + 8 * i);
		}
		if (end - off <= mask->stride)
			break;
	}
}

// edges_bad counts an object whose type descriptor is none.
static void edges_bad(struct go_edges *e, taddr at)
{
	taddr none = 0;
	atomic_fetch_add(&e->n_bad, 1);
	atomic_compare_exchange_strong(&e->first_bad, &none, at);
}

// scan_typed scans one object by the type in its header or its span.
static void scan_typed(const struct scan *s, bool with_source,
		       const struct go_span *span)
{
	struct go_edges *e = s->process->edges;
	bool header = span->ptrmap == GO_PTRMAP_HEADER;
	uint64_t off = header ? 8 : 0, end = span->elemsize;
	taddr type = header ? scan_word(s, 0) : span->type;
	struct go_mask mask;

	if (!header && span->limit - span->base < end)
		end = span->limit - span->base;
	// No type yet: the object is being made right now. Its memory is not
	// initialised, and the collector does not look at it either.
	if (!type)
		return;
	if (!go_mask_of(e->masks, type, span->elemsize - off, &mask)) {
		edges_bad(e, s->base);
		return;
	}
	scan_masked(s, with_source, &mask, off, end);
}

// scan_bitmap scans one object by the bitmap of its span or arena.
static void scan_bitmap(const struct scan *s, bool with_source,
			const struct go_span *span,
			const struct go_heapbits *map)
{
	uint64_t first = (s->base - span->base) / 8, n = span->elemsize / 8;
	for (uint64_t i = 0; i < n; i += 64) {
		uint64_t left = n - i;
		bool more;
		uint64_t bits = go_heapbits_word(s->process, map, span,
						 first + i,
						 left < 64 ? left : 64, &more);
		scan_bits(s, with_source, bits, 8 * i);
		if (!more)
			break;
	}
}

// scan_inspan scans all wanted slots of a span with whole bitmaps and objects
// of at most 64 words: the case that nearly every edge of a heap comes from.
static inline __attribute__((always_inline)) void
scan_inspan(const struct scan *model, bool with_source,
	    const struct go_span *span, const struct go_heapbits *map,
	    const uint64_t *slots)
{
	uint64_t last = map->fast_len - 8; // where 8 bytes can still be read
	uint64_t words = span->elemsize / 8;
	uint64_t keep = words == 64 ? ~UINT64_C(0) :
				      (UINT64_C(1) << words) - 1;
	struct scan s = *model;
	for (uint32_t w = 0; w * UINT64_C(64) < span->nelems; w++) {
		for (uint64_t todo = slots[w]; todo; todo &= todo - 1) {
			uint32_t slot =
				64 * w + (uint32_t)__builtin_ctzll(todo);
			uint64_t bit = slot * words;
			uint64_t byte = bit / 8 < last ? bit / 8 : last;
			uint64_t shift = bit - 8 * byte;
			uint64_t bits = get_u64(map->fast + byte) >> shift;
			if (words > 64 - shift)
				bits |= (uint64_t)map->fast[byte + 8]
					<< (64 - shift);
			s.slot = slot;
			s.base = span->base + slot * span->elemsize;
			s.mem = model->mem + slot * span->elemsize;
			scan_bits(&s, with_source, bits & keep, 0);
		}
	}
}

// scan_span scans the wanted slots of one span.
static inline __attribute__((always_inline)) void
scan_span(struct go_process *process, bool with_source,
	  const struct go_span *span, const uint64_t *slots,
	  struct edge_sink *sink)
{
	const struct go_heapbits *map = &process->edges->bits[span->region];
	struct scan s = { process, span->mem, span->base, 0, sink };
	if (map->fast) {
		scan_inspan(&s, with_source, span, map, slots);
		return;
	}
	for (uint32_t w = 0; w * UINT64_C(64) < span->nelems; w++) {
		for (uint64_t todo = slots[w]; todo; todo &= todo - 1) {
			s.slot = 64 * w + (uint32_t)__builtin_ctzll(todo);
			uint64_t off = s.slot * span->elemsize;
			s.base = span->base + off;
			s.mem = span->mem ? span->mem + off : NULL;
			if (span->ptrmap == GO_PTRMAP_HEADER ||
			    span->ptrmap == GO_PTRMAP_LARGE)
				scan_typed(&s, with_source, span);
			else
				scan_bitmap(&s, with_source, span, map);
		}
	}
}

void go_edges(struct go_process *process, uint32_t region,
	      const uint64_t *slots, struct edge_sink *sink)
{
	const struct go_spans *spans = process->spans;
	const struct go_span *span = &spans->at[spans->of_region[region]];
	if (span->ptrmap == GO_PTRMAP_NONE)
		return;
	if (sink->source)
		scan_span(process, true, span, slots, sink);
	else
		scan_span(process, false, span, slots, sink);
}

void go_object_words(struct go_process *process, uint32_t region,
		     uint32_t slot, struct edge_sink *sink)
{
	const struct go_spans *spans = process->spans;
	const struct go_span *span = &spans->at[spans->of_region[region]];
	const struct go_heapbits *map = &process->edges->bits[region];
	if (span->ptrmap == GO_PTRMAP_NONE || slot >= span->nelems)
		return;
	uint64_t off = slot * span->elemsize;
	struct scan s = { process, span->mem ? span->mem + off : NULL,
			  span->base + off, slot, sink };
	bool source = sink->source != NULL;
	if (span->ptrmap == GO_PTRMAP_HEADER || span->ptrmap == GO_PTRMAP_LARGE)
		scan_typed(&s, source, span);
	else
		scan_bitmap(&s, source, span, map);
}

uint64_t go_object_mask(const struct go_process *process, uint32_t region,
			uint32_t slot)
{
	const struct go_spans *spans = process->spans;
	const struct go_span *span = &spans->at[spans->of_region[region]];
	uint64_t words = span->elemsize / 8;
	bool more;
	if (words > 64 || slot >= span->nelems ||
	    span->ptrmap == GO_PTRMAP_NONE ||
	    span->ptrmap == GO_PTRMAP_HEADER ||
	    span->ptrmap == GO_PTRMAP_LARGE || !words)
		return 0;
	return go_heapbits_word(process, &process->edges->bits[region], span,
				slot * words, words, &more);
}

void go_edges_prefetch(struct go_process *process, uint32_t region)
{
	const uint8_t *map = process->edges->bits[region].fast;
	if (map) {
		__builtin_prefetch(map);
		__builtin_prefetch(map + 64);
	}
}

void go_edges_report(struct go_process *process)
{
	struct go_edges *e = process->edges;
	uint64_t n = atomic_exchange(&e->n_bad, 0);
	if (n)
		findings_add(process->findings, "bad header",
			     atomic_exchange(&e->first_bad, 0),
			     "%" PRIu64 " objects whose type descriptor is "
			     "none; their pointers are not followed",
			     n);
}
