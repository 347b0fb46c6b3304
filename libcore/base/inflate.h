// inflate.h: a compressed section of an ELF file as its plain bytes.
#pragma once

#include "libcore/base/bytes.h"
#include "libcore/base/pool.h"

// enum inflate_kind says how the bytes of a section are wrapped.
// Source: ELF gABI "Section Compression" (Elf64_Chdr, Elf32_Chdr; ch_type 1 is
// zlib, 2 is zstd); .zdebug_*: "ZLIB", 8 bytes of big-endian size, zlib stream
// (binutils; Go up to 1.18).
enum inflate_kind {
	INFLATE_NONE, // not at all: *ret is in itself
	INFLATE_CHDR64,
	INFLATE_CHDR32,
	INFLATE_ZDEBUG,
};

// inflate_len sets *ret to the size that the header of in claims, after the
// checks that inflate_section makes before it takes memory.
// Fails: TRUNCATED; CORRUPT; UNSUPPORTED for another ch_type; LIMIT.
HC_MUST enum hc inflate_len(struct bytes in, enum inflate_kind kind,
			    uint64_t *ret, struct hc_err *err);

// inflate_section sets *ret to the plain bytes of the section in.
// Shape: exactly as many as its header claims, else it fails.
// Owns:  the pool, or what owns in for INFLATE_NONE.
// Fails: as inflate_len; CORRUPT for a bad stream; NOMEM. On failure the pool
//        is back where it was.
HC_MUST enum hc inflate_section(struct bytes in, enum inflate_kind kind,
				struct pool *pool, struct bytes *ret,
				struct hc_err *err);
