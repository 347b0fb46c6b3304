// varswriter.h: a function with variables, written by the tests.
#pragma once

#include "libdwarfread/tests/dwarfwriter.h"

// The abbreviations that vars_head writes: LOCAL has a location in place and a
// closure offset, LISTED a list, SPLIT is a function of several ranges.
enum { UNIT = 1, FUNC, LOCAL, LISTED, BLOCK, ABSTRACT, PARAM, INLINED, ORIGIN,
       SPLIT };

// vars_head begins a unit of code at 0x1000 with its addresses at 8 of
// .debug_addr, and vars_ends closes n lists of children, the unit's among them.
void vars_head(struct dw_writer *w, unsigned version);
void vars_ends(struct dw_writer *w, unsigned n);

// vars_func begins function main.f of 0x100 bytes, whose frame base is the
// CFA, and returns its reference.
uint32_t vars_func(struct dw_writer *w);

// vars_named begins an entry with its name; vars_block writes a block1.
void vars_named(struct dw_writer *w, unsigned code, const char *name);
void vars_block(struct dw_writer *w, const uint8_t *at, unsigned len);
