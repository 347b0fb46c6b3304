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
