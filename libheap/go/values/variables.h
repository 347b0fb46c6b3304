// variables.h: which package variable an address is in, by the symbol tables.
//
// What a variable is initialised to point to (`var c = &cache{}`) lies in data
// or bss too, without a symbol: it is "*main.c".
#pragma once

#include "libheap/go/process.h"

// struct go_variable is one symbol of data, or what one points to.
// Owns: name is the file's, or the process's pool's.
struct go_variable {
	taddr at;
	uint64_t len;
	const char *name;
};

// go_variable_at sets *ret to the variable that holds an address.
// Fails: NONE when no symbol covers it, or there is no memory for a table.
HC_MUST enum hc go_variable_at(struct go_process *process, taddr at,
			       struct go_variable *ret);
