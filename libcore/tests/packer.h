// packer.h: compresses, with each format's own library, what tests unpack.
#pragma once

#include "libcore/base/bytes.h"

enum pack { PACK_ZSTD, PACK_GZIP, PACK_XZ, PACK_LZ4, PACK_ZLIB, PACK_KINDS };

// packer_pack makes one whole frame of b. Owns: the caller frees ret.at.
struct bytes packer_pack(enum pack kind, struct bytes b);

// pack_join puts a and b behind each other. Owns: the caller frees ret.at.
struct bytes pack_join(struct bytes a, struct bytes b);

// pack_free frees what these returned.
void pack_free(struct bytes b);
