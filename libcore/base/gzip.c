// gzip.c: deflate in its gzip and zlib wrappers; the only file that knows zlib.
#include "libcore/base/codec.h"

#include <limits.h>
#include <zlib.h>

// struct gzip is the stream; ended says that a member just ended.
struct gzip {
	z_stream z;
	bool ended;
};

static enum hc gzip_start(struct gzip *g, int window_bits, struct hc_err *err)
{
	if (inflateInit2(&g->z, window_bits) != Z_OK)
		return hc_nomem(err);
	return HC_OK;
}

// Source: zlib.h, inflateInit2: windowBits + 16 is the gzip wrapper.
static enum hc gzip_open(void *state, struct hc_err *err)
{
	return gzip_start(state, 15 + 16, err);
}

static enum hc zlib_open(void *state, struct hc_err *err)
{
	return gzip_start(state, 15, err);
}

static unsigned clip(uint64_t len)
{
	return len > UINT_MAX ? UINT_MAX : (unsigned)len;
}

// gzip_inflate lets zlib take one bite of at most 4 GiB.
static int gzip_inflate(struct gzip *g, struct codec_io *io)
{
	unsigned in = clip(io->in_len), out = clip(io->out_len);
	g->z.next_in = (Bytef *)(uintptr_t)io->in;
	g->z.avail_in = in;
	g->z.next_out = io->out;
	g->z.avail_out = out;
	int rc = inflate(&g->z, Z_NO_FLUSH);
	io->in += in - g->z.avail_in;
	io->in_len -= in - g->z.avail_in;
	io->out += out - g->z.avail_out;
	io->out_len -= out - g->z.avail_out;
	return rc;
}

static enum hc gzip_step(void *state, struct codec_io *io, struct hc_err *err)
{
	struct gzip *g = state;
	if (g->ended && inflateReset(&g->z) != Z_OK)
		return hc_nomem(err);
	g->ended = false;
	int rc;
	do {
		rc = gzip_inflate(g, io);
	} while (rc == Z_OK && io->in_len && io->out_len);
	if (rc == Z_STREAM_END) {
		g->ended = true;
		return HC_NONE;
	}
	if (rc == Z_MEM_ERROR)
		return hc_nomem(err);
	if (rc != Z_OK && rc != Z_BUF_ERROR)
		return hc_fail(err, HC_CORRUPT, 0, "deflate: %s",
			       g->z.msg ? g->z.msg : "bad stream");
	return HC_OK;
}

static void gzip_close(void *state)
{
	struct gzip *g = state;
	inflateEnd(&g->z);
}

const struct codec_format codec_gzip = {
	.name = "gzip",
	.magic = { 0x1f, 0x8b, 0x08 },
	.magic_len = 3,
	.state_len = sizeof(struct gzip),
	.open = gzip_open,
	.step = gzip_step,
	.close = gzip_close,
};

const struct codec_format codec_zlib = {
	.name = "zlib",
	.state_len = sizeof(struct gzip),
	.open = zlib_open,
	.step = gzip_step,
	.close = gzip_close,
};

uint32_t crc32_more(uint32_t crc, const void *bytes, uint64_t len)
{
	const uint8_t *at = bytes;
	while (len > 0) {
		unsigned part = clip(len);
		crc = (uint32_t)crc32(crc, at, part);
		at += part;
		len -= part;
	}
	return crc;
}

enum hc gzip_begin(struct packer *g, struct pool *pool,
		   struct hc_err *err)
{
	z_stream *z = pool_new(pool, z_stream, 1);
	if (!z || deflateInit2(z, 6, Z_DEFLATED, 15 + 16, 8,
			       Z_DEFAULT_STRATEGY) != Z_OK)
		return hc_nomem(err);
	g->stream = z;
	return HC_OK;
}

// gzip_run lets deflate work until it wants no more.
static enum hc gzip_run(struct packer *g, const uint8_t *at, unsigned len,
			int flush, struct hc_err *err)
{
	uint8_t out[16384];
	z_stream *z = g->stream;
	z->next_in = (Bytef *)(uintptr_t)at;
	z->avail_in = len;
	do {
		z->next_out = out;
		z->avail_out = sizeof(out);
		(void)deflate(z, flush); // fails only on a bad state
		HC_TRY(g->write(g->ctx, out, sizeof(out) - z->avail_out, err));
	} while (z->avail_out == 0);
	return HC_OK;
}

enum hc gzip_more(struct packer *g, const void *bytes, uint64_t len,
		  struct hc_err *err)
{
	const uint8_t *at = bytes;
	while (len > 0) {
		unsigned part = clip(len);
		HC_TRY(gzip_run(g, at, part, Z_NO_FLUSH, err));
		at += part;
		len -= part;
	}
	return HC_OK;
}

enum hc gzip_end(struct packer *g, bool done, struct hc_err *err)
{
	enum hc got = HC_OK;
	if (!g->stream)
		return HC_OK;
	if (done)
		got = gzip_run(g, NULL, 0, Z_FINISH, err);
	deflateEnd(g->stream);
	g->stream = NULL;
	return got;
}
