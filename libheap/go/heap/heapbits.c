// heapbits.c: see heapbits.h.
#include "libheap/go/heap/heapbits.h"

#include "libheap/go/heap/arenas.h"

#define INLINE_MARK_BYTES 128u // Green Tea's, at the very end of the span

// inspan_find finds the bitmap at the end of a span or of a user arena chunk.
static void inspan_find(const struct go_process *process,
			const struct go_span *s, struct go_heapbits *ret)
{
	uint64_t len = go_span_len(s), map = len / 64;
	uint64_t end = len - (s->inline_marks ? INLINE_MARK_BYTES : 0);
	if (map > end)
		return;
	ret->n_bits = 8 * map;
	if (s->mem)
		ret->bits = s->mem + end - map;
	else if (core_view(process->core, s->base + end - map, map, &ret->bits,
			   NULL))
		ret->bits = NULL;
	uint64_t used = (s->nelems * s->elemsize / 8 + 7) / 8;
	if (s->mem && s->elemsize <= 512 && used <= map && map >= 8) {
		ret->fast = ret->bits;
		ret->fast_len = (uint32_t)map;
	}
}

// arena_find finds a span's part of its arena's bitmap (to 1.21). A span that
// passes its arena's end is looked up again for each word instead.
static void arena_find(const struct go_process *process,
		       const struct go_span *s, struct go_heapbits *ret)
{
	const struct go_layout *l = &process->layout;
	const struct go_arena *a = go_arena_of(process, s->base);
	if (!a || !a->view || !go_has(l, F_heapArena_bitmap) ||
	    !go_fits(l, F_heapArena_bitmap, S_heapArena))
		return;
	uint64_t n = l->field[F_heapArena_bitmap].size;
	ret->bits = a->view + go_off(l, F_heapArena_bitmap);
	ret->first = (s->base - a->base) / 8;
	ret->n_bits = process->version.minor < 20 ? 4 * n : 8 * n;
	if (go_has(l, F_heapArena_noMorePtrs) &&
	    go_fits(l, F_heapArena_noMorePtrs, S_heapArena) &&
	    l->field[F_heapArena_noMorePtrs].size >= n / 64)
		ret->no_more = a->view + go_off(l, F_heapArena_noMorePtrs);
}

void go_heapbits_find(const struct go_process *process,
		      const struct go_span *span, struct go_heapbits *ret)
{
	*ret = (struct go_heapbits){ 0 };
	if (span->ptrmap == GO_PTRMAP_INSPAN ||
	    span->ptrmap == GO_PTRMAP_USERARENA)
		inspan_find(process, span, ret);
	else if (span->ptrmap == GO_PTRMAP_ARENA1 ||
		 span->ptrmap == GO_PTRMAP_ARENA2)
		arena_find(process, span, ret);
}

// word_1bit returns n bits from bit `bit` on.
static uint64_t word_1bit(const struct go_heapbits *map, uint64_t bit,
			  uint64_t n)
{
	uint64_t word = 0, n_bytes = map->n_bits / 8;
	uint64_t byte = bit / 8, shift = bit % 8;
	if (byte >= n_bytes)
		return 0;
	uint64_t left = n_bytes - byte;
	memcpy(&word, map->bits + byte, left < 8 ? left : 8);
	word >>= shift;
	if (shift && left > 8)
		word |= (uint64_t)map->bits[byte + 8] << (64 - shift);
	return n == 64 ? word : word & ((UINT64_C(1) << n) - 1);
}

// word_1bit_arena is word_1bit for Go 1.20 and 1.21: when the bit of a whole
// bitmap word is set in noMorePtrs, the object has no pointers behind it, and
// what the bitmap says there is left over from before.
// Source: runtime/mbitmap.go, heapBits.next (1.20–1.21).
static uint64_t word_1bit_arena(const struct go_heapbits *map, uint64_t bit,
				uint64_t n, bool *ret_more)
{
	uint64_t word = word_1bit(map, bit, n);
	uint64_t unit = bit / 64, last = (bit + n - 1) / 64;
	for (; map->no_more && unit <= last && unit * 64 < map->n_bits;
	     unit++) {
		if (!(map->no_more[unit / 8] >> (unit % 8) & 1))
			continue;
		uint64_t keep = 64 * (unit + 1) - bit;
		if (keep > n) // the unit goes on behind these words
			return word;
		*ret_more = false;
		return keep < 64 ? word & ((UINT64_C(1) << keep) - 1) : word;
	}
	return word;
}

// word_2bit returns n bits from word `word` on of a map with two bits a word:
// each byte has 4 pointer bits and, above them, 4 scan bits; the first word
// without its scan bit ends the object.
// Source: runtime/mbitmap.go, heapBits and scanobject (1.18–1.19).
static uint64_t word_2bit(const struct go_heapbits *map, uint64_t word,
			  uint64_t n, bool *ret_more)
{
	uint64_t out = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = word + i;
		unsigned both = 0;
		if (at < map->n_bits)
			both = (unsigned)map->bits[at / 4] >> (at % 4);
		if (!(both & 0x10)) {
			*ret_more = false;
			return out;
		}
		out |= (uint64_t)(both & 1) << i;
	}
	return out;
}

uint64_t go_heapbits_word(const struct go_process *process,
			  const struct go_heapbits *map,
			  const struct go_span *span, uint64_t first,
			  uint64_t n, bool *ret_more)
{
	struct go_heapbits other = *map;
	uint64_t bit = map->first + first;
	*ret_more = true;
	bool arena = span->ptrmap == GO_PTRMAP_ARENA1 ||
		     span->ptrmap == GO_PTRMAP_ARENA2;
	if (arena && bit >= map->n_bits) {
		// Behind the arena's end: the next arena's bitmap goes on.
		struct go_span part = *span;
		part.base = span->base + 8 * first;
		arena_find(process, &part, &other);
		bit = other.first;
	}
	if (!other.bits)
		return 0;
	if (span->ptrmap == GO_PTRMAP_ARENA2)
		return word_2bit(&other, bit, n, ret_more);
	if (span->ptrmap == GO_PTRMAP_ARENA1)
		return word_1bit_arena(&other, bit, n, ret_more);
	return word_1bit(&other, bit, n);
}
