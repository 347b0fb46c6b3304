// arenas.h: the 64 MiB pieces of address space that the Go heap grows by.
#pragma once

#include "libheap/go/process.h"

// struct go_arena is one heapArena.
// Shape: arenas are sorted by base. view is its metadata (sizeof(heapArena)
//        bytes), or NULL when the core does not have it in one run.
struct go_arena {
	taddr base;
	taddr meta; // address of the heapArena
	const uint8_t *view;
};

struct go_arenas {
	struct go_arena *at;
	size_t n;
	uint64_t len;   // heapArenaBytes: what each covers
	uint64_t table; // address of the table of heapArena pointers (level 2)
	uint64_t table_len;
};

// go_arenas_read fills process->arenas from mheap_.allArenas (heapArenas and
// userArenaArenas from Go 1.26 on). A damaged entry is a finding, and so is a
// list that cannot be read to its end.
// Fails: NOMEM.
// Source: runtime/mheap.go, arenaIndex and arenaBase (1.18–1.27).
HC_MUST enum hc go_arenas_read(struct go_process *process,
			       struct hc_err *err);

// go_arenas_cover adds the arenas that hold the n addresses, ascending, and are
// in no list: up to Go 1.25 nobody lists those of user arenas.
// Fails: NOMEM.
// Source: runtime/malloc.go, mheap.sysAlloc with register false (1.20–1.25).
HC_MUST enum hc go_arenas_cover(struct go_process *process, const taddr *at,
				size_t n, struct hc_err *err);

// go_arena_of returns the arena that holds the address, or NULL.
const struct go_arena *go_arena_of(const struct go_process *process, taddr at);
