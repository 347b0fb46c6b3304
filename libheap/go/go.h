// go.h: the reader of dead Go programs, 1.18 to 1.27 and, with DWARF, newer.
// The public header of libheap/go.
#pragma once

#include "libheap/heap.h"

// go_reader is what heap_open takes: see struct heap_reader.
// Source: the Go runtime's own structures; README.md lists what was checked.
extern const struct heap_reader go_reader;
