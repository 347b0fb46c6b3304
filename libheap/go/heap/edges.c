// edges.c: see edges.h.
//
// Every pointer map becomes 64-bit words of "is a pointer" bits, one bit a
// word of memory, so that one loop takes the pointers out whatever the version.
#include "libheap/go/heap/edges.h"

#include "libheap/go/heap/heapbits.h"
#include "libheap/go/heap/typemask.h"

#include <stdatomic.h>

// What is known of a lane's pointer map.
enum { LANE_NEW = 0, LANE_SAME, LANE_MIXED };

// struct lane is what the hot loop needs of a span, in one cache line: that of
// an object in another span is a miss for every line it looks at.
// Shape: map has one bit a word, map_len >= 8 bytes that cover all objects, of
//        at most 64 words each; NULL in all other spans, which take the slow
//        way. In LANE_SAME all slots have the mask `same`.
struct lane {
	_Alignas(64) const uint8_t *map;
	const uint8_t *mem;
	taddr base;
	_Atomic uint64_t same;
	uint32_t slot, n_slots, map_len;
	_Atomic uint32_t state;
};

struct go_edges {
	struct go_masks *masks;
	struct lane *lanes;     // per region
	_Atomic uint64_t n_bad; // objects whose type is none
	_Atomic taddr first_bad;
};

static struct lane lane_of(const struct go_process *process,
			   const struct go_span *span)
{
	struct go_heapbits map;
	go_heapbits_find(process, span, &map);
	return (struct lane){
		.map = map.fast,
		.mem = span->mem,
		.base = span->base,
		.slot = (uint32_t)span->elemsize,
		.n_slots = span->nelems,
		.map_len = map.fast_len,
	};
}

enum hc go_edges_open(struct go_process *process, struct hc_err *err)
{
	const struct go_spans *spans = process->spans;
	struct go_edges *e = pool_new(process->pool, struct go_edges, 1);
	if (!e)
		return hc_nomem(err);
	process->edges = e;
	HC_TRY(go_masks_open(process, &e->masks, err));
	e->lanes = pool_new(process->pool, struct lane, spans->n_regions);
	if (!e->lanes)
		return hc_nomem(err);
	for (size_t i = 0; i < spans->n_regions; i++)
		e->lanes[i] = lane_of(process,
				      &spans->at[spans->of_region[i]]);
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

// lane_bits returns n bits of a lane's map from bit `bit` on, which it has.
static inline uint64_t lane_bits(const struct lane *lane, uint64_t bit,
				 uint64_t n)
{
	uint64_t last = lane->map_len - 8; // where 8 bytes can still be read
	uint64_t byte = bit / 8 < last ? bit / 8 : last;
	uint64_t shift = bit - 8 * byte;
	uint64_t bits = get_u64(lane->map + byte) >> shift;
	if (n > 64 - shift)
		bits |= (uint64_t)lane->map[byte + 8] << (64 - shift);
	return n == 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
}

// lane_learn says whether all slots have the same mask: then the map equals
// itself one slot further. Other threads may find out the same meanwhile.
static uint32_t lane_learn(struct lane *lane)
{
	uint64_t words = lane->slot / 8;
	uint64_t end = (lane->n_slots - UINT64_C(1)) * words;
	uint32_t state = LANE_SAME;
	for (uint64_t i = 0; i < end && state == LANE_SAME; i += 64) {
		uint64_t n = end - i < 64 ? end - i : 64;
		if (lane_bits(lane, i, n) != lane_bits(lane, i + words, n))
			state = LANE_MIXED;
	}
	atomic_store_explicit(&lane->same, lane_bits(lane, 0, words),
			      memory_order_relaxed);
	atomic_store_explicit(&lane->state, state, memory_order_release);
	return state;
}

bool go_edges_mask(struct go_process *process, uint32_t region, uint64_t *ret)
{
	struct lane *lane = &process->edges->lanes[region];
	uint32_t state = atomic_load_explicit(&lane->state,
					      memory_order_acquire);
	if (!lane->map)
		return false;
	if (state == LANE_NEW)
		state = lane_learn(lane);
	*ret = atomic_load_explicit(&lane->same, memory_order_relaxed);
	return state == LANE_SAME;
}

// scan_lane scans all wanted slots of a span that has a lane: the case that
// nearly every edge of a heap comes from.
static inline __attribute__((always_inline)) void
scan_lane(struct go_process *process, bool with_source, struct lane *lane,
	  const uint64_t *slots, struct edge_sink *sink)
{
	uint64_t words = lane->slot / 8, same = 0;
	uint32_t state = atomic_load_explicit(&lane->state,
					      memory_order_acquire);
	struct scan s = { process, NULL, 0, 0, sink };
	if (state == LANE_NEW)
		state = lane_learn(lane);
	if (state == LANE_SAME)
		same = atomic_load_explicit(&lane->same, memory_order_relaxed);
	for (uint32_t w = 0; w * UINT64_C(64) < lane->n_slots; w++) {
		for (uint64_t todo = slots[w]; todo; todo &= todo - 1) {
			s.slot = 64 * w + (uint32_t)__builtin_ctzll(todo);
			uint64_t off = (uint64_t)s.slot * lane->slot;
			s.mem = lane->mem + off;
			scan_bits(&s, with_source,
				  state == LANE_SAME ?
					  same :
					  lane_bits(lane, s.slot * words,
						    words),
				  0);
		}
	}
}

// scan_span scans the wanted slots of any other span.
static inline __attribute__((always_inline)) void
scan_span(struct go_process *process, bool with_source,
	  const struct go_span *span, const uint64_t *slots,
	  struct edge_sink *sink)
{
	bool typed = span->ptrmap == GO_PTRMAP_HEADER ||
		     span->ptrmap == GO_PTRMAP_LARGE;
	struct scan s = { process, span->mem, span->base, 0, sink };
	struct go_heapbits map;
	if (!typed)
		go_heapbits_find(process, span, &map);
	for (uint32_t w = 0; w * UINT64_C(64) < span->nelems; w++) {
		for (uint64_t todo = slots[w]; todo; todo &= todo - 1) {
			s.slot = 64 * w + (uint32_t)__builtin_ctzll(todo);
			uint64_t off = s.slot * span->elemsize;
			s.base = span->base + off;
			s.mem = span->mem ? span->mem + off : NULL;
			if (typed)
				scan_typed(&s, with_source, span);
			else
				scan_bitmap(&s, with_source, span, &map);
		}
	}
}

void go_edges(struct go_process *process, uint32_t region,
	      const uint64_t *slots, struct edge_sink *sink)
{
	const struct go_spans *spans = process->spans;
	struct lane *lane = &process->edges->lanes[region];
	if (lane->map && sink->source) {
		scan_lane(process, true, lane, slots, sink);
		return;
	}
	if (lane->map) {
		scan_lane(process, false, lane, slots, sink);
		return;
	}
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
	struct go_heapbits map;
	if (span->ptrmap == GO_PTRMAP_NONE || slot >= span->nelems)
		return;
	uint64_t off = slot * span->elemsize;
	struct scan s = { process, span->mem ? span->mem + off : NULL,
			  span->base + off, slot, sink };
	bool source = sink->source != NULL;
	if (span->ptrmap == GO_PTRMAP_HEADER ||
	    span->ptrmap == GO_PTRMAP_LARGE) {
		scan_typed(&s, source, span);
		return;
	}
	go_heapbits_find(process, span, &map);
	scan_bitmap(&s, source, span, &map);
}

uint64_t go_object_mask(const struct go_process *process, uint32_t region,
			uint32_t slot)
{
	const struct go_spans *spans = process->spans;
	const struct go_span *span = &spans->at[spans->of_region[region]];
	uint64_t words = span->elemsize / 8;
	struct go_heapbits map;
	bool more;
	if (words > 64 || slot >= span->nelems ||
	    span->ptrmap == GO_PTRMAP_NONE ||
	    span->ptrmap == GO_PTRMAP_HEADER ||
	    span->ptrmap == GO_PTRMAP_LARGE || !words)
		return 0;
	go_heapbits_find(process, span, &map);
	return go_heapbits_word(process, &map, span, slot * words, words,
				&more);
}

void go_edges_prefetch(struct go_process *process, uint32_t region)
{
	const struct lane *lane = &process->edges->lanes[region];
	if (!lane->map)
		return;
	if (atomic_load_explicit(&lane->state, memory_order_relaxed) ==
	    LANE_SAME)
		return;
	__builtin_prefetch(lane->map);
	__builtin_prefetch(lane->map + 64);
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
