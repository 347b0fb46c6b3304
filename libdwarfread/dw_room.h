// dw_room.h: what dw.c and dw_vars.c share of libdwarf. Nobody else includes
// it.
#pragma once

#include <dwarf.h>
#include <libdwarf.h>

#include "libdwarfread/dw.h"

// struct dw_debug is one open libdwarf.
// Owns: dbg, which points to access; NULL while it is not open.
struct dw_debug {
	struct dwarf *d;
	Dwarf_Debug dbg;
	Dwarf_Obj_Access_Interface_a access;
	uint32_t hidden; // a bit for each section that it does not see
};

// struct dw is libdwarf twice, because it loads and checks the lists of all
// units with the first abbreviation: `plain` has no lists to load, `full` is
// opened when they are asked for. abbrev is the last one asked for, of plain.
struct dw {
	struct dw_debug plain, full;
	Dwarf_Abbrev abbrev;
};

// dw_failed turns an answer that is not DW_DLV_OK into ours and frees error.
enum hc dw_failed(struct dw_debug *dw, int answer, Dwarf_Error error,
		  uint64_t at, struct hc_err *err);

// dw_full sets *ret to the libdwarf that sees all sections.
// Fails: CORRUPT when it refuses them.
HC_MUST enum hc dw_full(struct dw *dw, struct dw_debug **ret,
			struct hc_err *err);
