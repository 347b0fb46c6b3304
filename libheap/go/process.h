// process.h: the state that the Go reader's modules share.
#pragma once

#include "libheap/go/program/globals.h"
#include "libheap/go/program/layout.h"
#include "libheap/go/program/modules.h"
#include "libheap/heap.h"

struct dwarf;
struct go_spans;
struct go_threads;
struct go_edges;
struct go_arenas;
struct go_memuse;
struct go_types;
struct go_variables;
struct go_funcindex;

// struct go_anchor is where the runtime was found first.
// Shape: object is the ELF file that it is in, NULL when not known.
struct go_anchor {
	const struct core_module *object;
	taddr moduledata; // the first
	taddr pclntab;    // its first word
};

// struct go_process is one dead Go program, filled in this order: version,
// modules, layout, globals (discover), spans, threads.
// Owns:  nothing but what lies in pool.
struct go_process {
	struct core *core;
	struct pool *pool;
	struct heap *heap;
	struct findings *findings; // the core's
	const struct heap_options *options;
	struct go_anchor anchor;
	struct dwarf *dwarf; // NULL until go_dwarf opens it
	struct pool dwarf_pool; // its own: it goes on growing under marks
	bool dwarf_tried;
	struct go_version version;
	const char *build_mod;     // the module information of the build, or ""
	uint64_t build_mod_len;
	struct go_layout layout;
	struct go_globals globals;
	struct go_module *modules;
	size_t n_modules;
	struct go_spans *spans;
	struct go_threads *threads;
	struct go_edges *edges;
	struct go_arenas *arenas;
	struct go_memuse *memuse;     // made when asked for
	struct go_types *types;       // made by go_type_objects
	struct go_variables *variables; // made when asked for
	struct go_funcindex *funcindex; // made when asked for
};

// go_phase reports the end of a phase to whoever asked for it: see
// heap_options.
void go_phase(const struct go_process *process, const char *name,
	      uint64_t work, const char *unit);

// go_probe says whether this is a Go program, by its build information or its
// module data. Fails: NONE when it is none.
HC_MUST enum hc go_probe(const struct core *core);

// go_discover fills version, build_mod, modules, layout and globals.
// Fails: NONE when this is no Go program; UNSUPPORTED with one clear line
//        when no layout fits, or a Go program lacks what is needed.
// After it, call go_discover_done when the process is done with.
HC_MUST enum hc go_discover(struct go_process *process, struct hc_err *err);

// go_discover_done lets go of what is not the pool's; also after a failure.
void go_discover_done(struct go_process *process);

// go_dwarf sets *ret to the debug information of the file that the runtime is
// in, which is opened at the first call.
// Fails: NONE when there is none to read (a finding says so if it is broken).
HC_MUST enum hc go_dwarf(struct go_process *process, struct dwarf **ret);

// go_field reads field f of the struct at address at, as an unsigned number
// of the field's own size (1, 2, 4 or 8 bytes).
// Fails: UNSAVED; NONE when this version has no such field.
HC_MUST enum hc go_field(const struct go_process *process, taddr at,
			 enum go_field f, uint64_t *ret, struct hc_err *err);

// struct go_slice is a Go slice header.
struct go_slice {
	taddr at;
	uint64_t len, cap;
};

// go_slice_field reads the slice in field f of the struct at address at.
// Fails: as go_field; CORRUPT when len > cap or its bytes pass the end of the
//        address space (element is the size of one).
HC_MUST enum hc go_slice_field(const struct go_process *process, taddr at,
			       enum go_field f, uint64_t element,
			       struct go_slice *ret, struct hc_err *err);

// go_slice_at reads a slice header at an address. Fails: as go_slice_field.
HC_MUST enum hc go_slice_at(const struct go_process *process, taddr at,
			    uint64_t element, struct go_slice *ret,
			    struct hc_err *err);
