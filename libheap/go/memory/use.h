// use.h: what memory of a Go process is used for: the leaves of the statistics
// tree, in the order in which they are shown.
#pragma once

// GO_USE_GROUPS lists the inner nodes: X(id, parent, name).
#define GO_USE_GROUPS(X)                           \
	X(EXE, ALL, "executable")                  \
	X(OBJECTS, ALL, "shared objects")          \
	X(HEAP, ALL, "heap")                       \
	X(IN_USE, HEAP, "in use spans")            \
	X(STACKS, HEAP, "stacks (goroutine)")      \
	X(FREE, HEAP, "free")                      \
	X(RUNTIME, ALL, "runtime off-heap")

enum go_use_group {
	GO_GROUP_ALL,
#define X(id, parent, name) GO_GROUP_##id,
	GO_USE_GROUPS(X)
#undef X
	GO_N_GROUPS
};

// GO_USES lists the leaves: X(id, group, name).
#define GO_USES(X)                                               \
	X(TEXT, EXE, "text")                                     \
	X(RODATA, EXE, "read-only data")                         \
	X(DATA, EXE, "data")                                     \
	X(BSS, EXE, "bss")                                       \
	X(LIVE, IN_USE, "live")                                  \
	X(GARBAGE, IN_USE, "garbage")                            \
	X(ALLOCATED, IN_USE, "allocated")                        \
	X(DEAD, IN_USE, "dead, unswept")                         \
	X(FREE_SLOTS, IN_USE, "free slots")                      \
	X(TAIL, IN_USE, "tail waste")                            \
	X(METADATA, IN_USE, "metadata in the span")              \
	X(STACK_USED, STACKS, "in use by frames")                \
	X(STACK_UNUSED, STACKS, "unused part")                   \
	X(STACK_SYSTEM, STACKS, "scheduler and signal stacks")   \
	X(STACK_FREE, STACKS, "free stack spans")                \
	X(FREE_RETAINED, FREE, "retained")                       \
	X(FREE_RELEASED, FREE, "released")                       \
	X(RESERVED, HEAP, "reserved")                            \
	X(SPANS, RUNTIME, "span structs")                        \
	X(ARENAS, RUNTIME, "arena metadata and bitmaps")         \
	X(BITS, RUNTIME, "allocation and mark bits")             \
	X(MCACHE, RUNTIME, "mcache")                             \
	X(PAGE_TABLES, RUNTIME, "page tables")                   \
	X(GC_WORK, RUNTIME, "gc work")                           \
	X(PROFILING, RUNTIME, "profiling")                       \
	X(RUNTIME_OTHER, RUNTIME, "other")                       \
	X(THREAD_STACKS, ALL, "thread stacks (OS)")              \
	X(C_HEAP, ALL, "C heap")                                 \
	X(FILES, ALL, "mmapped files")                           \
	X(VDSO, ALL, "vdso and vvar")                            \
	X(ANONYMOUS, ALL, "other anonymous memory")              \
	X(UNATTRIBUTED, ALL, "unattributed")

enum go_use {
#define X(id, group, name) GO_USE_##id,
	GO_USES(X)
#undef X
	GO_N_USES
};

// GO_USE_SPAN stands for a heap span, whose bytes have several uses.
#define GO_USE_SPAN GO_N_USES
