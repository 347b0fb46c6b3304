// facts.h: what `info` tells of a Go program: build, collector, statistics.
#pragma once

#include "libheap/go/process.h"

// go_facts calls fn for each fact; see heap_reader.facts. Groups: "go",
// "modules", "build", "gc", "memstats".
// Source: debug/buildinfo's module text (1.18–1.27); runtime/mgcpacer.go;
//         runtime/mstats.go.
void go_facts(struct go_process *process, heap_fact_fn *fn, void *ctx);
