// globals.h: where the runtime's variables are in this process.
#pragma once

#include "libheap/go/program/layout.h"

// GO_GLOBALS lists the variables of package runtime that heapcore reads.
#define GO_GLOBALS(X)                                                         \
	X(mheap_) X(allgs) X(allglen) X(allgptr) X(allm) X(allp) X(sched)     \
	X(gcphase) X(mbuckets) X(bbuckets) X(xbuckets) X(buckhash)            \
	X(firstmoduledata) X(modulesSlice) X(lastmoduledatap) X(allfin)       \
	X(finq) X(finc) X(gcCleanups) X(memstats) X(gcController) X(work)     \
	X(MemProfileRate) X(mProfCycle) X(mProf) X(m0) X(g0) X(stackpool)     \
	X(stackLarge) X(buildVersion) X(iscgo) X(persistentChunks)            \
	X(globalAlloc) X(itabTable) X(inProgress) X(zerobase) X(emptymspan)   \
	X(pollcache) X(semtable) X(panicking) X(extraM) X(methodValueCallFrameObjs)

enum go_global {
#define X(name) G_##name,
	GO_GLOBALS(X)
#undef X
	GO_N_GLOBALS
};

// struct go_globals holds their run-time addresses; 0 is "not found".
struct go_globals {
	taddr at[GO_N_GLOBALS];
	const char *source; // "symbols", "DWARF", "signatures and code"
};

// go_global_name returns the name in package runtime ("mheap_").
const char *go_global_name(enum go_global g);

struct go_process;

// go_globals_find fills process->globals: from the symbol table or DWARF when
// there, else from signatures in data and bss held against code references.
// Two ways that disagree are a finding, and the one whose value passes its
// validity test wins.
// Fails: UNSUPPORTED when mheap_, allgs or allm cannot be found.
HC_MUST enum hc go_globals_find(struct go_process *process,
				struct hc_err *err);
