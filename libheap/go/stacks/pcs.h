// pcs.h: what the function tables say about one pc, remembered.
//
// Thousands of goroutines stand at few distinct pcs, so what was decoded for
// one is kept in a table of fixed size, where a newer pc takes the place of an
// older one.
#pragma once

#include "libheap/go/process.h"

// struct go_map is one liveness map: bit i says that word i may hold a
// pointer. Shape: bits is NULL when there is none.
struct go_map {
	const uint8_t *bits;
	uint32_t n;
};

// struct go_maps is what getStackMap finds for a frame.
// Shape: objects views n_objects records of 16 bytes; rodata is what their
//        masks are relative to.
struct go_maps {
	struct go_map locals, args;
	const uint8_t *objects;
	uint64_t n_objects;
	taddr rodata;
};

#define GO_PC_LINES 4

// struct go_pc is one pc.
// Shape: fn.record is NULL when pc is in no Go function; sp_delta is
//        GO_NO_DELTA when its tables do not say.
struct go_pc {
	taddr pc;
	struct go_func fn;
	int32_t sp_delta;
	bool has_table;  // pcsp is not 0
	uint8_t n_lines; // 0: not looked up, or more than fit
	bool has_maps;   // maps are decoded
	bool bad_maps;   // and contradict themselves
	bool is_reflect; // its arguments' map is made at run time
	struct go_maps maps; // for a frame that goes on at pc
	struct go_line line[GO_PC_LINES]; // of the call that returns to pc
};
#define GO_NO_DELTA INT32_MIN

struct go_pcs;

// go_pcs_make makes an empty table in pool. Fails: NOMEM.
HC_MUST enum hc go_pcs_make(struct pool *pool, struct go_pcs **ret,
			    struct hc_err *err);

// go_pc_at returns what is known of pc. Owns: the table, until the next call
// for another pc.
struct go_pc *go_pc_at(const struct go_process *process, taddr pc);
