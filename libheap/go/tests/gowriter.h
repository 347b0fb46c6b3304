// gowriter.h: a small Go program's tables, written into a core in memory, good
// or broken on purpose.
#pragma once

#include "libheap/go/process.h"

#include <check.h>

// struct gw_func is one function.
// Shape: values are in the encoding of pctab, each table ended by 0; pcdata
//        and funcdata entries are offsets, UINT32_MAX for none.
struct gw_func {
	const char *name;
	uint32_t len; // of its code
	const uint8_t *sp, *file, *line;
	const uint8_t *pcdata[4];
	uint32_t funcdata[8];
	unsigned n_pcdata, n_funcdata;
	uint8_t id, flag;
	uint32_t args, deferreturn;
};

enum { GW_TEXT = 0x401000, GW_RODATA = 0x480000, GW_DATA = 0x500000,
       GW_SEGMENT = 0x10000 };

// struct gowriter is the program while it is made: three segments.
// Shape: with_buckets leaves findfunctab out when false; minor is Go's version
//        (1.minor), from which the rest of the layout follows.
struct gowriter {
	unsigned word;
	enum core_arch arch;
	unsigned minor;
	bool with_buckets;
	const struct gw_func *funcs;
	unsigned n_funcs;
	const char *version; // in build information, NULL for none
	const void *gofunc;  // what funcdata offsets lead into
	uint32_t gofunc_len;
	uint8_t text[GW_SEGMENT], rodata[GW_SEGMENT], data[GW_SEGMENT];
	uint32_t rodata_len;
	uint32_t rodata_saved; // what the core keeps of it; 0: all
	taddr moduledata, pclntab, functab;
	uint32_t functab_len, pctab_len;
};

// gw_make lays the tables out. w->word, arch, minor, funcs … are
// set before.
void gw_make(struct gowriter *w);

// struct gw_core is the core made of it, open.
struct gw_core {
	struct pool pool;
	struct core *core;
	struct go_process process;
	int fd; // of the file, which may be written to while it is open
	uint64_t text_off, rodata_off, data_off; // in the file
};

// gw_open writes the core and opens it; process has core, pool and findings.
void gw_open(const struct gowriter *w, struct gw_core *ret);
void gw_close(struct gw_core *c);

// gw_layout fills *ret from the table of go1.minor.
void gw_layout(enum core_arch arch, unsigned minor, struct go_layout *ret);

// gw_modules opens w's core and reads its modules.
void gw_modules(const struct gowriter *w, struct gw_core *ret);
