// read_graph.c: regions, the bitmaps over their slots, and types of objects.
#include "libheap/dump/read.h"

static uint64_t words_of(uint32_t n_slots)
{
	return ((uint64_t)n_slots + 63) / 64;
}

// sum_words adds up the words of all regions, without believing them.
static enum hc sum_words(struct fields f, uint64_t n, uint64_t *ret)
{
	*ret = 0;
	for (uint64_t i = 0; i < n && !f.failed; i++) {
		(void)fields_u(&f);
		(void)fields_u(&f);
		*ret += words_of(fields_u32(&f));
		(void)fields_u32(&f);
	}
	return f.failed;
}

// bits_open unpacks a bitmap, which must have n words.
static enum hc bits_open(struct dump *d, enum dump_section section, uint64_t n,
			 struct bytes *ret, struct hc_err *err)
{
	struct fields f;
	HC_TRY(fields_open(d, section, d->pool, &f, err));
	if (f.at.len != 8 * n) {
		fields_bad(&f, "it is not as long as there are objects");
		return fields_end(&f, err);
	}
	*ret = f.at;
	return HC_OK;
}

static enum hc add_regions(struct dump *d, struct heap *heap, struct fields *f,
			   uint64_t n, const uint8_t *alloc,
			   const uint8_t *dead, struct hc_err *err)
{
	taddr end = 0;
	for (uint64_t i = 0; i < n && !f->failed; i++) {
		uint64_t *to_alloc, *to_dead;
		taddr gap = fields_u(f);
		uint64_t slot = fields_u(f);
		uint32_t n_slots = fields_u32(f), flags = fields_u32(f);
		if (gap > UINT64_MAX - end || f->failed) {
			fields_bad(f, "a region past the end of memory");
			break;
		}
		taddr base = end + gap;
		uint64_t from = d->first[i] / 64, words = words_of(n_slots);
		HC_TRY(heap_add_region(heap, base, slot, n_slots,
				       flags & HEAP_NOSCAN, (uint32_t)i,
				       &to_alloc, &to_dead, err));
		memcpy(to_alloc, alloc + 8 * from, 8 * words);
		memcpy(to_dead, dead + 8 * from, 8 * words);
		end = base + slot * n_slots;
		d->first[i + 1] = 64 * (from + words);
	}
	return HC_OK;
}

enum hc read_regions(struct dump *d, struct heap *heap, struct hc_err *err)
{
	struct fields f;
	uint64_t words;
	struct bytes alloc, dead;
	HC_TRY(fields_open(d, DUMP_REGIONS, d->pool, &f, err));
	uint32_t shift = fields_u32(&f);
	uint64_t n = fields_count(&f, 4);
	if (f.failed || sum_words(f, n, &words)) {
		fields_bad(&f, "it ends too soon");
		return fields_end(&f, err);
	}
	HC_TRY(bits_open(d, DUMP_ALLOCATED, words, &alloc, err));
	HC_TRY(bits_open(d, DUMP_DEAD, words, &dead, err));
	d->heap = heap;
	d->first = pool_new(d->pool, uint64_t, n + 1);
	if (!d->first)
		return hc_nomem(err);
	HC_TRY(heap_begin(heap, shift, n, words, err));
	HC_TRY(add_regions(d, heap, &f, n, alloc.at, dead.at, err));
	return fields_end(&f, err);
}

enum hc read_live(struct dump *d, uint64_t *live, struct hc_err *err)
{
	size_t n;
	struct bytes bits;
	const struct heap_region *r = heap_regions(d->heap, &n);
	const uint64_t *allocated = heap_allocated(d->heap);
	HC_TRY(bits_open(d, DUMP_LIVE, d->first[n] / 64, &bits, err));
	for (size_t i = 0; i < n; i++) {
		const uint8_t *from = bits.at + d->first[i] / 8;
		uint64_t *to = live + r[i].first_word;
		for (uint64_t w = 0; w < region_slots64(&r[i]); w++)
			to[w] = get_u64(from + 8 * w) &
				allocated[r[i].first_word + w];
	}
	return HC_OK;
}

static void read_region_types(struct dump *d, struct fields *f,
			      const struct heap_region *r, uint32_t *types)
{
	const uint64_t *map = heap_allocated(d->heap) + r->first_word;
	for (uint64_t w = 0; w < region_slots64(r); w++) {
		uint64_t first = UINT64_C(64) * (r->first_word + w);
		for (uint64_t bits = map[w]; bits; bits &= bits - 1) {
			uint64_t i = fields_u(f);
			if (i >= d->types.n) {
				fields_bad(f, "a type that is not there");
				return;
			}
			types[first + (uint64_t)__builtin_ctzll(bits)] =
				d->types.at[i].number;
		}
	}
}

enum hc read_objects(struct dump *d, uint32_t *types, struct hc_err *err)
{
	size_t n;
	struct fields f;
	const struct heap_region *r = heap_regions(d->heap, &n);
	HC_TRY(read_names(d, err));
	char *mark = pool_mark(d->pool);
	HC_TRY(fields_open(d, DUMP_OBJECTS, d->pool, &f, err));
	for (size_t i = 0; i < n && !f.failed; i++)
		read_region_types(d, &f, &r[i], types);
	enum hc got = fields_end(&f, err);
	pool_rewind(d->pool, mark);
	return got;
}
