// buildinfo.h: the version and module information that the linker left.
#pragma once

#include "libheap/go/process.h"

// struct go_buildinfo is what cmd/go wrote: views of memory, not
// NUL-terminated. Shape: mod is empty when there is none.
struct go_buildinfo {
	struct bytes version; // "go1.26.3 X:nogreenteagc"
	struct bytes mod;     // lines "path…", "mod…", "dep…", "build…"
};

// go_buildinfo_find looks for it in the file that object is, or when that is
// NULL in what the core saved of all mapped files and of the mapping that
// holds near.
// Fails: NONE.
// Source: Go 1.18 to 1.27 debug/buildinfo/buildinfo.go.
HC_MUST enum hc go_buildinfo_find(const struct core *core,
				  const struct core_module *object, taddr near,
				  struct go_buildinfo *ret);

// go_buildinfo_read reads the record that begins at b.
// Fails: NONE when b does not begin with one that holds its strings itself.
HC_MUST enum hc go_buildinfo_read(struct bytes b, struct go_buildinfo *ret);
