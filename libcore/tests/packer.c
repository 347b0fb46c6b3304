// packer.c: see packer.h.
#include "libcore/tests/packer.h"

#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

static uint64_t pack_deflate(struct bytes b, uint8_t *out, uint64_t cap,
			     int window_bits)
{
	z_stream z = { 0 };
	if (deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	z.next_in = (Bytef *)(uintptr_t)b.at;
	z.avail_in = (unsigned)b.len;
	z.next_out = out;
	z.avail_out = (unsigned)cap;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	deflateEnd(&z);
	return z.total_out;
}

struct bytes packer_pack(enum pack kind, struct bytes b)
{
	uint64_t cap = b.len + b.len / 8 + 65536;
	uint8_t *out = malloc(cap);
	size_t len = 0;
	if (!out)
		abort();
	switch (kind) {
	case PACK_ZSTD:
		len = ZSTD_compress(out, cap, b.at, b.len, 3);
		break;
	case PACK_GZIP:
		len = pack_deflate(b, out, cap, 15 + 16);
		break;
	case PACK_ZLIB:
		len = pack_deflate(b, out, cap, 15);
		break;
	case PACK_XZ:
		if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, b.at,
					    b.len, out, &len, cap) != LZMA_OK)
			abort();
		break;
	case PACK_LZ4:
		len = LZ4F_compressFrame(out, cap, b.at, b.len, NULL);
		break;
	case PACK_KINDS:
		abort();
	}
	return (struct bytes){ out, len, 0 };
}

struct bytes pack_join(struct bytes a, struct bytes b)
{
	uint8_t *out = malloc(a.len + b.len + 1);
	if (!out)
		abort();
	memcpy(out, a.at, a.len);
	memcpy(out + a.len, b.at, b.len);
	return (struct bytes){ out, a.len + b.len, 0 };
}

void pack_free(struct bytes b)
{
	free((void *)(uintptr_t)b.at);
}
