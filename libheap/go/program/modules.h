// modules.h: the Go modules (moduledata) of the process: text, data, tables.
#pragma once

#include "libheap/go/program/layout.h"

// struct go_module is one moduledata: the program, or a plugin.
// Units: all addresses are run-time. Shape: low <= high for each pair.
struct go_module {
	taddr at; // of the moduledata
	taddr pclntab;
	taddr minpc, maxpc, text, etext;
	taddr noptrdata, enoptrdata, data, edata, bss, ebss, noptrbss, enoptrbss;
	taddr types, etypes, rodata, gofunc;
	taddr typelinks, itablinks; // slices' arrays, 0 from Go 1.27
	uint64_t n_typelinks, n_itablinks;
	uint64_t typedesclen, itaboffset, itabsize; // Go 1.27
	// The function tables, checked to lie in readable memory.
	// Shape: funcnametab and filetab end in NUL, or are empty.
	struct bytes funcnametab, cutab, filetab, pctab, pclntable, findfunctab;
	uint64_t n_funcs;    // entries of ftab, the closing one not counted
	taddr gcdatamask, gcbssmask; // bit maps
	uint32_t n_gcdatamask, n_gcbssmask; // in bits
	taddr textsectmap;
	uint64_t n_textsectmap;
	unsigned min_lc;     // pc quantum: 1, or 4 on arm64
	unsigned func_len;   // sizeof(_func): 40 or 44
};

struct go_process;

// go_modules_find fills process->modules from the first moduledata on, which
// process->anchor tells, through the next chain. It needs the layout.
// Fails: CORRUPT when the first is not consistent; UNSAVED; NOMEM.
HC_MUST enum hc go_modules_find(struct go_process *process,
				struct hc_err *err);

// go_module_of_type returns the module whose type section holds an address,
// NULL when none does.
const struct go_module *go_module_of_type(const struct go_process *process,
					  taddr at);

// struct go_func is one function of a module, found by go_func_at.
// Shape: name is a NUL-terminated view; entry <= pc < end.
struct go_func {
	const struct go_module *module;
	const uint8_t *record; // its _func, with all trailing words readable
	const char *name;
	taddr entry, end;
	int32_t args;          // bytes, INT32_MIN when not known
	uint32_t deferreturn;
	uint8_t id, flag;      // FuncID_*, flag bits below
	uint32_t n_pcdata;
	uint32_t n_funcdata;
	uint32_t start_line;   // 0 before Go 1.20
};
enum { GO_FUNC_TOP = 1, GO_FUNC_SPWRITE = 2, GO_FUNC_ASM = 4 };
enum { GO_PCDATA_UNSAFE = 0, GO_PCDATA_STACKMAP = 1, GO_PCDATA_INLINE = 2 };
enum { GO_FUNCDATA_ARGS = 0, GO_FUNCDATA_LOCALS = 1, GO_FUNCDATA_OBJECTS = 2,
       GO_FUNCDATA_INLINE = 3, GO_FUNCDATA_OPEN_DEFER = 4 };

// go_func_at sets *ret to the function that holds pc.
// Fails: NONE when pc is in no Go function or its record is damaged.
HC_MUST enum hc go_func_at(const struct go_process *process, taddr pc,
			   struct go_func *ret);

// go_func_nth sets *ret to function i (0 … n_funcs - 1) of a module, for
// passes over all. Fails: NONE when its record is damaged.
HC_MUST enum hc go_func_nth(const struct go_process *process,
			    const struct go_module *module, uint64_t i,
			    struct go_func *ret);

// go_funcs_named finds functions of one package by their exact names; linear,
// so in a batch: ret[i] is filled for names[i], record NULL when there is none.
void go_funcs_named(const struct go_process *process,
		    const char *const *names, size_t n, struct go_func *ret);

// go_func_named sets *ret to the function of that exact name, of any package.
// Fails: NONE when there is none, or one with as much in common with too many.
HC_MUST enum hc go_func_named(struct go_process *process, const char *name,
			      struct go_func *ret);

// go_pc_value sets *ret to the value of a pc-value table at pc.
// which: GO_TABLE_SP, _FILE, _LINE or GO_TABLE_PCDATA + index.
// Fails: NONE when the function has no such table (value -1) or it does not
//        cover pc. Source: runtime/symtab.go, pcvalue (1.18–1.27).
enum { GO_TABLE_SP, GO_TABLE_FILE, GO_TABLE_LINE, GO_TABLE_PCDATA };
HC_MUST enum hc go_pc_value(const struct go_func *fn, int which, taddr pc,
			    int32_t *ret);

// go_funcdata returns the address of funcdata i, 0 when there is none.
taddr go_funcdata(const struct go_func *fn, unsigned i);

// struct go_line is one logical frame at a pc: the innermost inlined call
// first, the physical function last.
struct go_line {
	const char *function; // full name as runtime.FuncForPC gives it
	const char *file;     // may be NULL
	uint32_t line;
	bool inlined;
	uint8_t func_id;      // FuncID_wrapper, …
};

// go_lines fills ret with up to max logical frames at pc (already the pc to
// look up: return address - 1, or the exact pc of a fault) and returns how
// many. Source: runtime/symtabinl.go (1.21), symtab.go (1.18–1.20).
unsigned go_lines(const struct go_process *process, const struct go_func *fn,
		  taddr pc, struct go_line *ret, unsigned max);
