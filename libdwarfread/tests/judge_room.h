// judge_room.h: what the files of the judge share.
#pragma once

#include <dwarf.h>
#include <libdwarf.h>

#include "libdwarfread/entry.h"
#include "libdwarfread/tests/elfsections.h"
#include "libdwarfread/tests/judge.h"

#define JUDGE_DEPTH 512

// struct judge_frame is one entry whose children are being walked.
struct judge_frame {
	Dwarf_Die die;
	struct entry entry;
	struct judge_meaning {
		struct dwarf_members members;
		bool has_members;
		uint64_t count; // product of the bounds met
		bool any_bound;
	} meaning;
};

struct judge {
	struct dwarf *d;
	struct unit *unit;
	Dwarf_Debug dbg;
	Dwarf_Error error;
	struct verdict *verdict;
	uint64_t at;      // the entry in hand
	uint64_t seen[4]; // types, constants, globals, functions
	uint32_t depth, in_func;
	struct judge_frame stack[JUDGE_DEPTH];
	struct { VEC(const char *); } names; // of types
	struct { VEC(struct dwarf_constant); } constants;
	struct { VEC(struct dwarf_global); } globals;
	struct { VEC(struct dwarf_func); } funcs;
};

__attribute__((format(printf, 3, 4))) void
judge_differ(struct judge *j, uint64_t at, const char *fmt, ...);

// judge_ok says whether libdwarf answered; an error is a difference.
bool judge_ok(struct judge *j, int answer);

// judge_attributes compares every attribute of an entry that we know.
void judge_attributes(struct judge *j, Dwarf_Die die, const struct entry *e);

// judge_meaning compares what the entry means (a member of its struct, a
// bound of its array, a global's address, a function's code).
void judge_meaning(struct judge *j, Dwarf_Die die, Dwarf_Half tag,
		   const struct entry *e);
void judge_enter(struct judge *j, struct judge_frame *f);
void judge_leave(struct judge *j, struct judge_frame *f);

// judge_names looks all that was met up again, by name and by address.
void judge_names(struct judge *j);
