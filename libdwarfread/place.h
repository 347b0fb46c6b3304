// place.h: what a location expression says, as pieces.
#pragma once

#include "libdwarfread/dw.h"
#include "libdwarfread/entry.h"

// DW_MAX_OPS operations make at most as many pieces.
struct places {
	struct dwarf_piece at[DW_MAX_OPS + 1];
	uint32_t n;
};

// places_from follows the operations of one expression of unit u. base is
// where the function's frame base is: DWARF_AT_CFA or DWARF_AT_REG, else
// DWARF_UNCLEAR.
void places_from(struct dwarf *d, const struct unit *u,
		 const struct dwarf_piece *base, const struct dw_op *ops,
		 uint32_t n_ops, struct places *ret);

// frame_base_of returns the frame base of a function.
struct dwarf_piece frame_base_of(const struct entry *func);
