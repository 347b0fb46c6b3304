// globals_find.h: the ways to find the runtime's variables, one by one.
#pragma once

#include "libheap/go/process.h"

// struct go_vote is what one way says of one variable.
// Shape: at is 0 when it says nothing; votes of `of` references agreed, the
//        next best had `against`.
struct go_vote {
	taddr at;
	uint32_t votes, against, of;
};

// go_globals_from_symbols fills at from the symbol table, and
// go_globals_from_dwarf from the debug information. They return how many they
// found; what they do not find stays as it was.
unsigned go_globals_from_symbols(const struct go_process *process,
				 taddr at[GO_N_GLOBALS]);
unsigned go_globals_from_dwarf(struct go_process *process,
			       taddr at[GO_N_GLOBALS]);

// go_globals_from_code fills votes from the references in the runtime's own
// functions that the tables name. Source: libheap/go/tables/refs.inc.
void go_globals_from_code(const struct go_process *process,
			  struct go_vote votes[GO_N_GLOBALS]);

// go_globals_from_data fills at by searching data and bss for values that
// look like the variable and like no other.
void go_globals_from_data(const struct go_process *process,
			  taddr at[GO_N_GLOBALS]);

// go_global_valid says whether variable g may well be at address at: its
// value is one that the runtime could have put there.
bool go_global_valid(const struct go_process *process, enum go_global g,
		     taddr at);

// The tests behind it, for what can be told by its value alone.
// go_is_mheap: the allocators' element sizes are those of the layout, and the
// first spans are spans. go_is_allgs, _allp: at is a slice of such.
bool go_is_mheap(const struct go_process *process, taddr at);
bool go_is_allgs(const struct go_process *process, taddr at);
// Those that follow long lists take what they looked at from *steps, and say
// no when that is used up.
bool go_is_allp(const struct go_process *process, taddr at, uint64_t *steps);

// go_m_chain returns how many threads the list that begins with the m at
// address m has, and its last one in *ret_last; 0 when it is no such list.
uint64_t go_m_chain(const struct go_process *process, taddr m,
		    uint64_t *steps, taddr *ret_last);

// go_is_bucket says whether a profile bucket of that type is at address at.
bool go_is_bucket(const struct go_process *process, taddr at, uint64_t type);

// go_in_globals says whether at lies in the first module's data or bss.
bool go_in_globals(const struct go_process *process, taddr at);
