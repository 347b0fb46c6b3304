// unpack.h: a core that comes compressed or through a pipe, as a mapped file.
#pragma once

#include "libcore/base/codec.h"
#include "libcore/process.h"

// unpack_core writes what fd yields to an unlinked sparse file below
// in->tmpdir, unpacked when its first bytes are those of a codec, and maps it
// as core->file. Input that ends too soon or is damaged is answered with what
// came before, and a finding.
// Units: total is the bytes that fd will yield, 0 when unknown.
// Fails: IO; LIMIT past in->max_unpacked or when the disk is nearly full;
//        NOMEM.
HC_MUST enum hc unpack_core(struct core *core, int fd, uint64_t total,
			    struct hc_err *err);
