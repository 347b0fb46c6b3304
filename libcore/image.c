// image.c: see image.h.
//
// A lookup is two loads and a search among the runs of 64 MiB: one or two in
// a Go heap, about ten around an executable. It writes nothing.
#include "libcore/image.h"

#include <stdlib.h>

// runs_order puts runs in address order; of two that begin together the one
// added first (the list is stable by its place in memory) comes first.
static int runs_order(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	if (x->from_file != y->from_file)
		return x->from_file ? 1 : -1;
	return x->end < y->end ? 1 : x->end > y->end ? -1 : 0;
}

// run_follows says whether b continues a, in memory and in our bytes.
static bool run_follows(const struct run *a, const struct run *b)
{
	return a->end == b->base && a->from_file == b->from_file &&
	       a->bytes + (a->end - a->base) == b->bytes;
}

// runs_join makes sorted runs disjoint and maximal; returns how many are left.
static uint64_t runs_join(struct run *at, uint64_t n)
{
	uint64_t kept = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct run r = at[i];
		struct run *last = kept ? &at[kept - 1] : NULL;
		if (last && r.base < last->end) {
			uint64_t cut = last->end - r.base;
			if (cut >= r.end - r.base)
				continue;
			r.base += cut;
			r.bytes += cut;
		}
		if (r.base >= r.end)
			continue;
		if (last && run_follows(last, &r))
			last->end = r.end;
		else
			at[kept++] = r;
	}
	return kept;
}

static uint32_t slot_of(taddr at)
{
	return (uint32_t)(at >> (CHUNK_LOG + 11));
}

// runs_search returns the first of runs [lo, hi) that ends behind at, else hi.
static uint32_t runs_search(const struct run *runs, uint32_t lo, uint32_t hi,
			    taddr at)
{
	uint32_t n = hi - lo;
	while (n > 0) {
		uint32_t half = n / 2;
		bool right = runs[lo + half].end <= at;
		lo = right ? lo + half + 1 : lo;
		n = right ? n - half - 1 : half;
	}
	return lo;
}

// table_make makes the table of one slot.
static const struct chunk_table *table_make(const struct image *image,
					    uint32_t slot, struct pool *pool)
{
	struct chunk_table *t = pool_new(pool, struct chunk_table, 1);
	taddr at = (taddr)slot << (CHUNK_LOG + 11);
	uint32_t i = runs_search(image->runs, 0, image->n_runs, at);
	for (uint32_t k = 0; t && k <= CHUNK_SLOTS; k++) {
		while (i < image->n_runs && image->runs[i].end <= at)
			i++;
		t->first[k] = i;
		at += UINT64_C(1) << CHUNK_LOG;
	}
	return t;
}

static enum hc tables_make(struct image *image, struct pool *pool,
			   struct hc_err *err)
{
	for (uint32_t i = 0; i < image->n_runs; i++) {
		uint32_t slot = slot_of(image->runs[i].base);
		uint32_t last = slot_of(image->runs[i].end - 1);
		for (; slot <= last && slot < CHUNK_SLOTS; slot++) {
			if (!image->tables[slot])
				image->tables[slot] =
					table_make(image, slot, pool);
			if (!image->tables[slot])
				return hc_nomem(err);
		}
	}
	return HC_OK;
}

enum hc image_make(struct runs *runs, struct pool *pool, struct image *ret,
		   struct hc_err *err)
{
	if (runs->n)
		qsort(runs->at, runs->n, sizeof(*runs->at), runs_order);
	runs->n = runs_join(runs->at, runs->n);
	if (runs->n > UINT32_MAX)
		return hc_fail(err, HC_LIMIT, 0, "%" PRIu64 " runs of memory",
			       runs->n);
	struct image image = { runs->at, (uint32_t)runs->n, { NULL } };
	HC_TRY(tables_make(&image, pool, err));
	*ret = image;
	return HC_OK;
}

uint32_t image_find(const struct image *image, taddr at)
{
	uint32_t slot = slot_of(at);
	const struct chunk_table *t = NULL;
	if (at >> 48 == 0)
		t = image->tables[slot];
	if (!t)
		return runs_search(image->runs, 0, image->n_runs, at);
	uint32_t k = (uint32_t)(at >> CHUNK_LOG) & (CHUNK_SLOTS - 1);
	uint32_t lo = t->first[k], hi = t->first[k + 1];
	// hi is the first run that ends behind the next chunk's start: it ends
	// behind at too.
	if (hi - lo > 4)
		return runs_search(image->runs, lo, hi, at);
	while (lo < hi && image->runs[lo].end <= at)
		lo++;
	return lo;
}

static int segments_order(const void *a, const void *b)
{
	const struct core_segment *x = a, *y = b;
	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	// The order in the file, where their bytes differ: qsort is not stable.
	return x->core_off < y->core_off ? -1 : x->core_off > y->core_off;
}

static bool segments_are_sorted(const struct core_segment *s, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++) {
		if (s[i].base < s[i - 1].base)
			return false;
	}
	return true;
}

// segment_cut takes the first cut bytes off s.
static void segment_cut(struct core_segment *s, uint64_t cut)
{
	uint64_t of_saved = cut < s->saved ? cut : s->saved;
	s->base += cut;
	s->len -= cut;
	s->saved -= of_saved;
	s->core_off += of_saved;
}

uint64_t segments_sort(struct core_segment *segments, uint64_t n,
		       struct findings *findings)
{
	if (!segments_are_sorted(segments, n))
		qsort(segments, n, sizeof(*segments), segments_order);
	uint64_t kept = 0, n_over = 0;
	taddr end = 0, first_over = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct core_segment s = segments[i];
		if (s.len && s.base < end) {
			if (!n_over++)
				first_over = s.base;
			uint64_t cut = end - s.base;
			segment_cut(&s, cut < s.len ? cut : s.len);
		}
		if (!s.len)
			continue;
		end = s.base + s.len;
		segments[kept++] = s;
	}
	if (n_over)
		findings_add(findings, "overlap", first_over,
			     "%" PRIu64 " segments overlap an earlier one; what "
			     "both claim is taken from the lower one",
			     n_over);
	return kept;
}
