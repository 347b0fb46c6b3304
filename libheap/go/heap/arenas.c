// arenas.c: see arenas.h.
#include "libheap/go/heap/arenas.h"

#include "libcore/base/search.h"

#include <stdlib.h>

#define ARENA_LOG_DEFAULT 26 // heapArenaBytes on 64-bit Linux, 1.18–1.27

// base_offset is what the arena of index 0 would have as its address.
static uint64_t base_offset(const struct go_process *process)
{
	return (uint64_t)go_const(
		&process->layout, C_arenaBaseOffset,
		process->layout.arch == CORE_AMD64 ? -(INT64_C(1) << 47) : 0);
}

// arenas_add adds the arena of index idx.
static HC_MUST enum hc arenas_add(struct go_process *process, uint64_t idx,
				  struct hc_err *err)
{
	struct go_arenas *a = process->arenas;
	uint64_t n_table = a->table_len / 8;
	taddr meta = 0;
	if (idx >= n_table ||
	    core_u64(process->core, a->table + 8 * idx, &meta, err) || !meta) {
		findings_add(process->findings, "bad arena", a->table + 8 * idx,
			     "arena %" PRIu64 " has no metadata", idx);
		return HC_OK;
	}
	struct go_arena one = { idx * a->len + base_offset(process), meta,
				NULL };
	if (core_view(process->core, meta,
		      process->layout.size[S_heapArena], &one.view, NULL))
		findings_add(process->findings, "bad arena", meta,
			     "the metadata of the arena at 0x%" PRIx64
			     " is not in the core",
			     one.base);
	a->at[a->n++] = one;
	return HC_OK;
}

static int arena_compare(const void *x, const void *y)
{
	const struct go_arena *a = x, *b = y;
	return (a->base > b->base) - (a->base < b->base);
}

// arenas_add_list adds all arenas of one []arenaIdx of mheap_.
static HC_MUST enum hc arenas_add_list(struct go_process *process,
				       const struct go_slice *list,
				       struct hc_err *err)
{
	for (uint64_t i = 0; i < list->len; i++) {
		uint64_t idx;
		HC_TRY(core_u64(process->core, list->at + 8 * i, &idx, err));
		HC_TRY(arenas_add(process, idx, err));
	}
	return HC_OK;
}

// arenas_lists reads the one or two lists of arenas.
static HC_MUST enum hc arenas_lists(struct go_process *process,
				    struct go_slice *ret_heap,
				    struct go_slice *ret_user,
				    struct hc_err *err)
{
	taddr mheap = process->globals.at[G_mheap_];
	struct go_slice heap, user = { 0 };
	HC_TRY(go_slice_field(process, mheap, F_mheap_allArenas, 8, &heap,
			      err));
	if (go_has(&process->layout, F_mheap_userArenaArenas))
		HC_TRY(go_slice_field(process, mheap, F_mheap_userArenaArenas,
				      8, &user, err));
	uint64_t mapped = core_mapped_bytes(process->core, heap.at,
					    8 * heap.len);
	if (heap.len > mapped / 8 || user.len > UINT64_C(1) << 22)
		return hc_fail(err, HC_CORRUPT, heap.at,
			       "mheap_ claims %" PRIu64 " arenas", heap.len);
	*ret_heap = heap;
	*ret_user = user;
	return HC_OK;
}

// arenas_load reads all that the lists name.
static HC_MUST enum hc arenas_load(struct go_process *process,
				   struct hc_err *err)
{
	struct go_arenas *a = process->arenas;
	taddr mheap = process->globals.at[G_mheap_];
	struct go_slice heap, user;

	// arenaL1Bits is 0 on 64-bit Linux: arenas[0] is the only table.
	HC_TRY(core_u64(process->core,
			mheap + go_off(&process->layout, F_mheap_arenas),
			&a->table, err));
	HC_TRY(arenas_lists(process, &heap, &user, err));
	a->at = pool_new(process->pool, struct go_arena, heap.len + user.len);
	if (!a->at)
		return hc_nomem(err);
	HC_TRY(arenas_add_list(process, &heap, err));
	return arenas_add_list(process, &user, err);
}

enum hc go_arenas_read(struct go_process *process, struct hc_err *err)
{
	struct go_arenas *a = pool_new(process->pool, struct go_arenas, 1);
	const struct go_layout *l = &process->layout;
	struct hc_err why;

	if (!a)
		return hc_nomem(err);
	process->arenas = a;
	int64_t log = go_const(l, C_logHeapArenaBytes, ARENA_LOG_DEFAULT);
	a->len = UINT64_C(1) << (log >= 16 && log < 40 ? log : 26);
	int64_t l2 = go_const(l, C_arenaL2Bits, 22);
	a->table_len = UINT64_C(8) << (l2 >= 1 && l2 <= 32 ? l2 : 22);
	if (arenas_load(process, &why)) {
		if (why.kind == HC_NOMEM)
			return hc_nomem(err);
		findings_add_err(process->findings, "bad arenas", &why);
	}
	if (a->n)
		qsort(a->at, a->n, sizeof(*a->at), arena_compare);
	return HC_OK;
}

// arena_among returns the arena among the first n that holds the address, or
// NULL.
static const struct go_arena *arena_among(const struct go_arenas *a, size_t n,
					  taddr at)
{
	size_t low = search_while(i, n, a->at[i].base <= at);
	if (!low || at - a->at[low - 1].base >= a->len)
		return NULL;
	return &a->at[low - 1];
}

enum hc go_arenas_cover(struct go_process *process, const taddr *at, size_t n,
			struct hc_err *err)
{
	struct go_arenas *a = process->arenas;
	size_t known = a->n;
	struct go_arena *all = pool_new(process->pool, struct go_arena,
					known + n);
	if (!all)
		return hc_nomem(err);
	if (known)
		memcpy(all, a->at, known * sizeof(*all));
	a->at = all;
	for (size_t i = 0; i < n; i++) {
		// Addresses ascend: if it is a new one's, then the last's.
		if (arena_among(a, known, at[i]) ||
		    (a->n > known && at[i] - all[a->n - 1].base < a->len))
			continue;
		HC_TRY(arenas_add(process,
				  (at[i] - base_offset(process)) / a->len,
				  err));
	}
	if (a->n)
		qsort(a->at, a->n, sizeof(*a->at), arena_compare);
	return HC_OK;
}

const struct go_arena *go_arena_of(const struct go_process *process, taddr at)
{
	return arena_among(process->arenas, process->arenas->n, at);
}
