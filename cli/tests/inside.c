// inside.c: everything that is in a file: its bytes, and what every zstd frame
// and gzip member in it holds, wherever that begins. usage: inside FILE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static uint8_t out[1 << 16];

static void put_zstd(const uint8_t *at, size_t len)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { at, len, 0 };
	for (size_t left = 1; left && !ZSTD_isError(left);) {
		ZSTD_outBuffer to = { out, sizeof(out), 0 };
		size_t before = in.pos;
		left = ZSTD_decompressStream(stream, &to, &in);
		fwrite(out, 1, to.pos, stdout);
		if (in.pos == before && !to.pos)
			break;
	}
	ZSTD_freeDStream(stream);
}

static void put_gzip(const uint8_t *at, size_t len)
{
	z_stream stream = { .next_in = (uint8_t *)(uintptr_t)at,
			    .avail_in = (uInt)len };
	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		return;
	int got = Z_OK;
	while (got == Z_OK) {
		stream.next_out = out;
		stream.avail_out = sizeof(out);
		got = inflate(&stream, Z_NO_FLUSH);
		fwrite(out, 1, sizeof(out) - stream.avail_out, stdout);
	}
	inflateEnd(&stream);
}

int main(int argc, char **argv)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const uint8_t gzip[] = { 0x1f, 0x8b, 8 };
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f)
		return 2;
	fseek(f, 0, SEEK_END);
	size_t len = (size_t)ftell(f);
	rewind(f);
	uint8_t *bytes = malloc(len + 1);
	if (!bytes || fread(bytes, 1, len, f) != len)
		return 2;
	fclose(f);
	fwrite(bytes, 1, len, stdout);
	for (size_t i = 0; i + 4 <= len; i++) {
		if (memcmp(bytes + i, zstd, 4) == 0)
			put_zstd(bytes + i, len - i);
		else if (memcmp(bytes + i, gzip, 3) == 0)
			put_gzip(bytes + i, len - i);
	}
	free(bytes);
	return 0;
}
