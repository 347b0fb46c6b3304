// dw_room.h: what dw.c and dw_vars.c share of libdwarf. Nobody else includes
// it.
#pragma once

#include <dwarf.h>
#include <libdwarf.h>

#include "libdwarfread/dw.h"

// struct dw is an open libdwarf.
// Owns: dbg, which points to access; abbrev is the last one asked for.
struct dw {
	struct dwarf *d;
	Dwarf_Debug dbg;
	Dwarf_Obj_Access_Interface_a access;
	Dwarf_Abbrev abbrev;
};

// dw_failed turns an answer that is not DW_DLV_OK into ours and frees error.
enum hc dw_failed(struct dw *dw, int answer, Dwarf_Error error, uint64_t at,
		  struct hc_err *err);
