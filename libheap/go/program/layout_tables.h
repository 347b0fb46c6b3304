// layout_tables.h: the built-in tables one by one, for whoever must try more
// than the first.
#pragma once

#include "libheap/go/program/layout.h"

// go_layout_from_nth_table fills *ret from the n-th likeliest table for the
// version: the same minor version and garbage collector; the newest patch
// release that is not newer comes first.
// Fails: NONE when there are no more.
HC_MUST enum hc go_layout_from_nth_table(const struct go_version *version,
					 enum core_arch arch, size_t n,
					 struct go_layout *ret);

// go_layout_table_range says which minor versions the tables reach from and
// to, for messages and for programs that do not say their version.
void go_layout_table_range(enum core_arch arch, unsigned *ret_oldest,
			   unsigned *ret_newest);
