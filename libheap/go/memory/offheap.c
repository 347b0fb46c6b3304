// offheap.c: see offheap.h.
#include "libheap/go/memory/offheap.h"

#include "libheap/go/heap/arenas.h"
#include "libheap/go/heap/chain.h"
#include "libheap/go/heap/spans.h"
#include "libheap/go/memory/use.h"

#include <stdlib.h>

#define PERSISTENT_CHUNK (UINT64_C(256) << 10) // persistentChunkSize
#define BITS_ARENA (UINT64_C(64) << 10)        // gcBitsChunkBytes
#define BUCKET_HASH (UINT64_C(8) * 179999)     // buckHashSize pointers
#define SUMMARY_LEVELS 5u                      // 64-bit summaryLevels
#define CHUNK_TABLE_LEN 8192u                  // 1 << pallocChunksL2Bits

struct finder {
	struct go_process *process;
	struct pool *pool;
	struct go_offheap *out;
	bool full; // memory was short
};

static void piece(struct finder *f, taddr base, uint64_t len, enum go_use use)
{
	f->full |= !claims_add(f->pool, &f->out->pieces, base, len, use, 0);
}

static void run(struct finder *f, taddr base, uint64_t len, enum go_use use)
{
	f->full |= !claims_add(f->pool, &f->out->runs, base, len, use, 0);
}

// find_spans claims the mspan structs and the list of them.
static void find_spans(struct finder *f)
{
	struct go_process *p = f->process;
	struct go_slice all;
	uint64_t len = p->layout.size[S_mspan];
	if (go_slice_field(p, p->globals.at[G_mheap_], F_mheap_allspans, 8,
			   &all, NULL))
		return;
	run(f, all.at, 8 * all.cap, GO_USE_SPANS);
	for (uint64_t i = 0; i < all.len; i++) {
		taddr at;
		if (core_u64(p->core, all.at + 8 * i, &at, NULL))
			return;
		piece(f, at, len, GO_USE_SPANS);
	}
}

// find_arenas claims the heapArena structs and their table.
static void find_arenas(struct finder *f)
{
	struct go_process *p = f->process;
	const struct go_arenas *a = p->arenas;
	run(f, a->table, a->table_len, GO_USE_ARENAS);
	for (size_t i = 0; i < a->n; i++)
		run(f, a->at[i].meta, p->layout.size[S_heapArena],
		    GO_USE_ARENAS);
}

// find_page_tables claims the page allocator's summaries and bitmaps.
static void find_page_tables(struct finder *f)
{
	struct go_process *p = f->process;
	const struct go_layout *l = &p->layout;
	taddr pages = p->globals.at[G_mheap_] + go_off(l, F_mheap_pages);
	struct go_slice s;
	for (uint64_t i = 0; i < SUMMARY_LEVELS; i++)
		if (!go_slice_at(p,
				 pages + go_off(l, F_pageAlloc_summary) +
					 24 * i,
				 8, &s, NULL))
			run(f, s.at, 8 * s.cap, GO_USE_PAGE_TABLES);
	if (go_has(l, F_pageAlloc_scav_index_chunks) &&
	    !go_slice_at(p, pages + go_off(l, F_pageAlloc_scav_index_chunks),
			 8, &s, NULL))
		run(f, s.at, 8 * s.cap, GO_USE_PAGE_TABLES);
	for (uint64_t i = 0; i < CHUNK_TABLE_LEN; i++) {
		taddr table;
		if (core_u64(p->core,
			     pages + go_off(l, F_pageAlloc_chunks) + 8 * i,
			     &table, NULL))
			return;
		run(f, table, CHUNK_TABLE_LEN * l->size[S_pallocData],
		    GO_USE_PAGE_TABLES);
	}
}

static int taddr_compare(const void *x, const void *y)
{
	const taddr *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

// bits_arena finds the start of the 64 KiB arena that holds the bits at
// `at`: {free, next, bits[]}, where free is how much of bits is in use.
// Source: runtime/mheap.go, gcBitsHeader and gcBitsArena.
static bool bits_arena(struct go_process *p, taddr at, taddr *ret)
{
	bool found = false;
	taddr page = at & ~(taddr)4095;
	for (unsigned i = 0; i < BITS_ARENA / 4096 && page; i++, page -= 4096) {
		uint64_t used, next;
		if (core_u64(p->core, page, &used, NULL) ||
		    core_u64(p->core, page + 8, &next, NULL))
			break;
		if (used <= BITS_ARENA - 16 && next % 4096 == 0 &&
		    at - page >= 16 && at - page - 16 < used) {
			*ret = page;
			found = true;
		}
	}
	return found;
}

// find_bits claims the arenas of allocation and mark bits.
static void find_bits(struct finder *f)
{
	struct go_process *p = f->process;
	const struct go_layout *l = &p->layout;
	const struct go_spans *spans = p->spans;
	taddr *at = pool_new(f->pool, taddr, 2 * spans->n);
	taddr end = 0;
	size_t n = 0;

	for (size_t i = 0; at && i < spans->n; i++) {
		const uint8_t *v;
		if (core_view(p->core, spans->at[i].at, l->size[S_mspan], &v,
			      NULL))
			continue;
		at[n++] = go_get(l, v, F_mspan_allocBits);
		at[n++] = go_get(l, v, F_mspan_gcmarkBits);
	}
	if (at)
		qsort(at, n, sizeof(*at), taddr_compare);
	f->full |= !at;
	for (size_t i = 0; i < n; i++) {
		taddr start;
		if (at[i] < end || !bits_arena(p, at[i], &start))
			continue;
		end = start + BITS_ARENA;
		run(f, start, BITS_ARENA, GO_USE_BITS);
	}
}

// find_mcaches claims each P's mcache.
static void find_mcaches(struct finder *f)
{
	struct go_process *p = f->process;
	struct go_slice list;
	if (!p->globals.at[G_allp] ||
	    go_slice_at(p, p->globals.at[G_allp], 8, &list, NULL))
		return;
	for (uint64_t i = 0; i < list.len && i < 65536; i++) {
		taddr at;
		uint64_t cache;
		if (core_u64(p->core, list.at + 8 * i, &at, NULL) ||
		    go_field(p, at, F_p_mcache, &cache, NULL))
			continue;
		piece(f, cache, p->layout.size[S_mcache], GO_USE_MCACHE);
	}
}

// find_buckets claims the profile's buckets of one kind and their hash table.
// Source: runtime/mprof.go, newBucket: header, stack, record.
static void find_buckets(struct finder *f, enum go_global list)
{
	struct go_process *p = f->process;
	taddr at = 0;
	uint64_t record = list != G_mbuckets ? 16 :
			  p->version.minor >= 27 ? 64 : 128;
	if (!p->globals.at[list] ||
	    core_u64(p->core, p->globals.at[list], &at, NULL))
		return;
	struct go_chain chain = { 0 };
	uint64_t n, next;
	for (; go_chain_on(&chain, at); at = next) {
		if (go_field(p, at, F_bucket_nstk, &n, NULL) || n > 4096 ||
		    go_field(p, at, F_bucket_allnext, &next, NULL))
			return;
		piece(f, at, 48 + 8 * n + record, GO_USE_PROFILING);
	}
}

// find_profiling claims all of the profiles' memory.
static void find_profiling(struct finder *f)
{
	struct go_process *p = f->process;
	taddr table;
	find_buckets(f, G_mbuckets);
	find_buckets(f, G_bbuckets);
	find_buckets(f, G_xbuckets);
	if (p->globals.at[G_buckhash] &&
	    !core_u64(p->core, p->globals.at[G_buckhash], &table, NULL))
		run(f, table, BUCKET_HASH, GO_USE_PROFILING);
}

// find_chunks claims the chunks that persistentalloc cuts small things from.
static void find_chunks(struct finder *f)
{
	struct go_process *p = f->process;
	taddr at;
	if (!p->globals.at[G_persistentChunks] ||
	    core_u64(p->core, p->globals.at[G_persistentChunks], &at, NULL))
		return;
	struct go_chain chain = { 0 };
	taddr next;
	for (; go_chain_on(&chain, at); at = next) {
		run(f, at, PERSISTENT_CHUNK, GO_USE_RUNTIME_OTHER);
		if (core_u64(p->core, at, &next, NULL))
			return;
	}
}

enum hc go_offheap_find(struct go_process *process, struct pool *pool,
			struct go_offheap *ret, struct hc_err *err)
{
	*ret = (struct go_offheap){ 0 };
	struct finder f = { process, pool, ret, false };
	find_spans(&f);
	find_arenas(&f);
	find_page_tables(&f);
	find_bits(&f);
	find_mcaches(&f);
	find_profiling(&f);
	find_chunks(&f);
	claims_settle(&ret->pieces);
	claims_settle(&ret->runs);
	return f.full ? hc_nomem(err) : HC_OK;
}
