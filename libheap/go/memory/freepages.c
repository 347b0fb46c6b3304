// freepages.c: see freepages.h.
#include "libheap/go/memory/freepages.h"

#include "libheap/go/heap/spans.h"

#include <stdlib.h>

#define CHUNK_PAGES 512u // pallocChunkPages, 1.18–1.27
#define CHUNK_BYTES ((uint64_t)CHUNK_PAGES * GO_PAGE)
#define L2_BITS 13 // pallocChunksL2Bits on 64-bit

struct walk {
	struct go_process *process;
	struct pool *pool;
	struct go_free_pages *out;
	taddr chunks;  // mheap_.pages.chunks, an array of pointers
	uint64_t base; // arenaBaseOffset
};

// add_page adds one free page, joined to the run before where possible.
static bool add_page(struct walk *w, taddr base, bool scavenged)
{
	struct go_free_pages *out = w->out;
	struct go_free_run *last = out->n ? &out->at[out->n - 1] : NULL;
	if (last && last->scavenged == scavenged &&
	    last->base + last->len == base) {
		last->len += GO_PAGE;
		return true;
	}
	last = vec_push(w->pool, out);
	if (last)
		*last = (struct go_free_run){ base, GO_PAGE, scavenged };
	return last != NULL;
}

// chunk_view finds the bitmaps of the chunk at base, NULL when missing.
static const uint8_t *chunk_view(const struct walk *w, taddr base)
{
	const struct go_layout *l = &w->process->layout;
	uint64_t index = (base - w->base) / CHUNK_BYTES;
	uint64_t l1 = index >> L2_BITS, l2 = index & ((1u << L2_BITS) - 1);
	const uint8_t *view;
	taddr table;
	if (l1 >= UINT64_C(1) << 16 ||
	    core_u64(w->process->core, w->chunks + 8 * l1, &table, NULL) ||
	    !table)
		return NULL;
	uint64_t len = l->size[S_pallocData];
	if (core_view(w->process->core, table + len * l2, len, &view, NULL))
		return NULL;
	return view;
}

// add_chunk adds the free pages of [base, end), which lie in one chunk.
static bool add_chunk(struct walk *w, taddr base, taddr end)
{
	const struct go_layout *l = &w->process->layout;
	taddr start = base & ~(CHUNK_BYTES - 1);
	const uint8_t *view = chunk_view(w, start);
	if (!view) {
		findings_add(w->process->findings, "bad page bitmap", start,
			     "the page bitmap of 0x%" PRIx64
			     " is not in the core",
			     start);
		return true;
	}
	const uint8_t *used = view + go_off(l, F_pallocData_pallocBits);
	const uint8_t *scav = view + go_off(l, F_pallocData_scavenged);
	for (; base < end; base += GO_PAGE) {
		uint64_t page = (base - start) / GO_PAGE;
		bool is_used = used[page / 8] >> (page % 8) & 1;
		bool is_scavenged = scav[page / 8] >> (page % 8) & 1;
		// Both at once: skipped for good to randomize where the heap
		// begins (1.26+, mpagealloc.go), and counted as released.
		if (is_used && !is_scavenged)
			continue;
		if (!add_page(w, base, is_scavenged))
			return false;
	}
	return true;
}

// add_range adds the free pages of one range in use.
static bool add_range(struct walk *w, taddr base, taddr end)
{
	const struct core_segment *seg;
	size_t n;
	// Only mapped memory: a damaged range may claim all of it.
	seg = core_segments(w->process->core, &n);
	for (size_t i = 0; i < n; i++) {
		taddr lo = seg[i].base, hi = lo + seg[i].len;
		lo = (lo < base ? base : lo) & ~(taddr)(GO_PAGE - 1);
		hi = hi > end ? end : hi;
		while (lo < hi) {
			taddr stop = (lo | (CHUNK_BYTES - 1)) + 1;
			if (stop > hi || stop < lo)
				stop = hi;
			if (!add_chunk(w, lo, stop))
				return false;
			lo = stop;
		}
	}
	return true;
}

// add_cache adds the free pages that one P keeps to itself.
static bool add_cache(struct walk *w, taddr cache)
{
	struct go_process *process = w->process;
	uint64_t base, free, scav;
	if (go_field(process, cache, F_pageCache_base, &base, NULL) ||
	    go_field(process, cache, F_pageCache_cache, &free, NULL) ||
	    go_field(process, cache, F_pageCache_scav, &scav, NULL))
		return true;
	for (unsigned i = 0; i < 64; i++)
		if (free >> i & 1 &&
		    !add_page(w, base + (uint64_t)i * GO_PAGE, scav >> i & 1))
			return false;
	return true;
}

// add_caches adds those of all P's.
static bool add_caches(struct walk *w)
{
	struct go_process *process = w->process;
	taddr allp = process->globals.at[G_allp];
	struct go_slice list;
	if (!allp || !go_has(&process->layout, F_p_pcache) ||
	    go_slice_at(process, allp, 8, &list, NULL))
		return true;
	for (uint64_t i = 0; i < list.len && i < 65536; i++) {
		taddr p;
		if (core_u64(process->core, list.at + 8 * i, &p, NULL) || !p)
			continue;
		if (!add_cache(w, p + go_off(&process->layout, F_p_pcache)))
			return false;
	}
	return true;
}

static int run_compare(const void *x, const void *y)
{
	const struct go_free_run *a = x, *b = y;
	return (a->base > b->base) - (a->base < b->base);
}

// runs_settle sorts the runs and cuts off what two of them claim.
static void runs_settle(struct go_free_pages *f)
{
	uint64_t kept = 0;
	if (f->n)
		qsort(f->at, f->n, sizeof(*f->at), run_compare);
	for (uint64_t i = 0; i < f->n; i++) {
		struct go_free_run r = f->at[i];
		if (kept) {
			const struct go_free_run *last = &f->at[kept - 1];
			taddr end = last->base + last->len;
			uint64_t cut = r.base < end ? end - r.base : 0;
			if (cut >= r.len)
				continue;
			r.base += cut;
			r.len -= cut;
		}
		f->at[kept++] = r;
	}
	f->n = kept;
}

enum hc go_free_pages_read(struct go_process *process, struct pool *pool,
			   struct go_free_pages *ret, struct hc_err *err)
{
	const struct go_layout *l = &process->layout;
	taddr pages = process->globals.at[G_mheap_] + go_off(l, F_mheap_pages);
	struct go_free_pages out = { 0 };
	struct walk w = { process, pool, &out,
			  pages + go_off(l, F_pageAlloc_chunks), 0 };
	struct go_slice ranges;

	if (!go_fits(l, F_pallocData_scavenged, S_pallocData) ||
	    !go_fits(l, F_pallocData_pallocBits, S_pallocData) ||
	    l->field[F_pallocData_scavenged].size < CHUNK_PAGES / 8 ||
	    l->field[F_pallocData_pallocBits].size < CHUNK_PAGES / 8)
		return hc_fail(err, HC_CORRUPT, 0,
			       "the layout of pallocData is damaged");
	w.base = (uint64_t)go_const(
		l, C_arenaBaseOffset,
		process->layout.arch == CORE_AMD64 ? -(INT64_C(1) << 47) : 0);
	HC_TRY(go_slice_at(process, pages + go_off(l, F_pageAlloc_inUse), 16,
			   &ranges, err));
	for (uint64_t i = 0; i < ranges.len; i++) {
		taddr lo, hi;
		HC_TRY(core_u64(process->core, ranges.at + 16 * i, &lo, err));
		HC_TRY(core_u64(process->core, ranges.at + 16 * i + 8, &hi,
				err));
		if (lo < hi && !add_range(&w, lo, hi))
			return hc_nomem(err);
	}
	if (!add_caches(&w))
		return hc_nomem(err);
	if (out.n)
		runs_settle(&out);
	*ret = out;
	return HC_OK;
}
