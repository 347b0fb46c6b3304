// limits.h: every cap on what an input may make us do, each with its reason.
#pragma once

// The core file.
#define LIMIT_SEGMENTS (1u << 22)     // 1,000 times the kernel's default map limit
#define LIMIT_NOTE_BYTES (1u << 30)   // a note segment that is mapped anyway
#define LIMIT_THREADS (1u << 20)      // kernel.threads-max of a large machine
#define LIMIT_FILE_MAPPINGS (1u << 20)
#define LIMIT_MODULES 4096u           // executable and shared objects opened
#define LIMIT_AUXV 4096u              // entries; Linux writes about 22
#define LIMIT_UNPACKED_CORE (UINT64_C(1) << 42) // 4 TiB, sparse
#define LIMIT_TMP_LEFT (UINT64_C(64) << 20) // keep this much of the disk free
#define LIMIT_WINDOW_LOG 31           // zstd's largest; 2 GiB of window

// An executable or shared object.
#define LIMIT_SECTIONS 65536u
#define LIMIT_SECTION_NAME 4096u
#define LIMIT_PHDRS 256u              // of one executable; Go's have 7 to 12
#define LIMIT_BSS (UINT64_C(1) << 32) // zeros behind one executable segment
#define LIMIT_SECTION_INFLATED (UINT64_C(1) << 32)
#define LIMIT_INFLATE_RATIO 1100u     // deflate cannot pass 1032

// DWARF.
#define LIMIT_DWARF_UNITS 65536u      // the largest seen has 1,834
#define LIMIT_DWARF_ATTRIBUTES 256u    // of one abbreviation; the most seen is 24
#define LIMIT_DWARF_DEPTH 4096u       // the deepest seen is 25
#define LIMIT_DWARF_LIST 65536u       // entries of one location or range list

// The Go runtime.
#define LIMIT_GO_MODULES 4096u
#define LIMIT_GO_FUNCS (1u << 24)
#define LIMIT_GO_NAME 65536u          // bytes of one name
#define LIMIT_GO_SPANS (UINT64_C(1) << 32)
#define LIMIT_GO_THREADS 1000000u
#define LIMIT_GO_GOROUTINES (1u << 28)
#define LIMIT_GO_FRAMES 10000000u     // of one stack: 1 GB of 100-byte frames
#define LIMIT_GO_CHAIN (UINT64_C(1) << 28) // links of one list of the runtime
#define LIMIT_FINDING_BYTES (1u << 21)
#define LIMIT_FINDINGS 1000u          // kept with text; the rest is counted
