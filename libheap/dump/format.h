// format.h: the numbers of our own format. FORMAT.md says what they mean.
#pragma once

#include "libheap/heap.h"

#define DUMP_MAGIC "heapcore dump\r\n" // 16 bytes with its NUL
#define DUMP_END "HCE\n"
#define DUMP_VERSION 1u

enum {
	DUMP_HEAD = 32,    // bytes of the header, and of the trailer
	DUMP_ENTRY = 16,   // bytes of an entry of the table of contents
	DUMP_BLOCK = 1 << 20, // bytes of a block before packing, at most
};

enum { DUMP_WITH_VALUES = 1 }; // header flag

// The sections, in the order of their numbers in the file.
#define DUMP_SECTIONS(X) \
	X(CORE, 1) X(THREADS, 2) X(SEGMENTS, 3) X(MODULES, 4)               \
	X(IDENTITY, 5) X(MEMORY, 6) X(FINDINGS, 7) X(FACTS, 8)              \
	X(REGIONS, 9) X(ALLOCATED, 10) X(DEAD, 11) X(LIVE, 12)              \
	X(OBJECTS, 13) X(TYPES, 14) X(LAYOUTS, 15)                          \
	X(EDGES, 16) X(EDGE_LENGTHS, 17) X(SHAPES, 18)                      \
	X(ROOTS, 19) X(WEAK, 20) X(OWNERS, 21) X(GLOBALS, 22)               \
	X(STRINGS, 23) X(PROFILE, 24) X(SUSPECTS, 25) X(TIME, 26)

enum dump_section {
#define X(name, number) DUMP_##name = number,
	DUMP_SECTIONS(X)
#undef X
	DUMP_N_SECTIONS
};

// Codes of an object in EDGES.
enum { EDGES_NONE = 0, EDGES_INLINE = 1, EDGES_SHAPE = 2 };

#define SHAPE_MAX 64u      // pointers of a shape that is kept once
#define SHAPES_MAX 65536u  // shapes that are kept
#define EDGE_GUESSES 64u   // pointers with a guess of their own

static inline uint64_t zigzag(uint64_t from, uint64_t to)
{
	uint64_t d = to - from;
	return d << 1 ^ (d >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t unzigzag(uint64_t from, uint64_t z)
{
	return from + (z >> 1 ^ (z & 1 ? UINT64_MAX : 0));
}

// region_slots64 returns how many words of 64 slots a region has in a file.
static inline uint64_t region_slots64(const struct heap_region *r)
{
	return ((uint64_t)r->n_slots + 63) / 64;
}
