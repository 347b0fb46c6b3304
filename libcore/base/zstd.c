// zstd.c: the zstd format (RFC 8878); the only file that knows libzstd.
#include "libcore/base/codec.h"
#include "libcore/base/limits.h"

#include <zstd.h>

static enum hc zstd_open(void *state, struct hc_err *err)
{
	ZSTD_DCtx **ctx = state;
	*ctx = ZSTD_createDCtx();
	if (!*ctx)
		return hc_nomem(err);
	// The window is taken as the stream fills it, so a frame that only
	// claims a large one costs address space, not memory.
	ZSTD_DCtx_setParameter(*ctx, ZSTD_d_windowLogMax, LIMIT_WINDOW_LOG);
	return HC_OK;
}

static enum hc zstd_step(void *state, struct codec_io *io, struct hc_err *err)
{
	ZSTD_DCtx **ctx = state;
	ZSTD_inBuffer in = { io->in, io->in_len, 0 };
	ZSTD_outBuffer out = { io->out, io->out_len, 0 };
	size_t left = 1;
	do {
		size_t was_in = in.pos, was_out = out.pos;
		left = ZSTD_decompressStream(*ctx, &out, &in);
		if (ZSTD_isError(left))
			break;
		if (in.pos == was_in && out.pos == was_out)
			break;
	} while (left && out.pos < out.size);
	io->in += in.pos;
	io->in_len -= in.pos;
	io->out += out.pos;
	io->out_len -= out.pos;
	if (ZSTD_isError(left))
		return hc_fail(err, HC_CORRUPT, 0, "zstd: %s",
			       ZSTD_getErrorName(left));
	return left ? HC_OK : HC_NONE;
}

static void zstd_close(void *state)
{
	ZSTD_DCtx **ctx = state;
	ZSTD_freeDCtx(*ctx);
}

const struct codec_format codec_zstd = {
	.name = "zstd",
	.magic = { 0x28, 0xb5, 0x2f, 0xfd },
	.magic_len = 4,
	.state_len = sizeof(ZSTD_DCtx *),
	.open = zstd_open,
	.step = zstd_step,
	.close = zstd_close,
};

uint64_t pack_bound(uint64_t len)
{
	return ZSTD_compressBound(len);
}

enum hc pack_zstd(struct bytes in, int level, uint8_t *out, uint64_t cap,
		  uint64_t *ret_len, struct hc_err *err)
{
	size_t n = ZSTD_compress(out, cap, in.at, in.len, level);
	if (ZSTD_isError(n))
		return hc_fail(err, cap < pack_bound(in.len) ? HC_LIMIT :
							       HC_NOMEM,
			       0, "zstd: %s", ZSTD_getErrorName(n));
	*ret_len = n;
	return HC_OK;
}

enum hc unpack_zstd(struct bytes in, uint8_t *out, uint64_t len,
		    struct hc_err *err)
{
	size_t n = ZSTD_decompress(out, len, in.at, in.len);
	if (ZSTD_isError(n))
		return hc_fail(err, HC_CORRUPT, in.org, "zstd: %s",
			       ZSTD_getErrorName(n));
	if (n != len)
		return hc_fail(err, HC_CORRUPT, in.org,
			       "zstd: %zu bytes instead of %" PRIu64, n, len);
	return HC_OK;
}

enum hc zstd_begin(struct packer *z, int level, struct hc_err *err)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	if (!ctx)
		return hc_nomem(err);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level);
	z->stream = ctx;
	return HC_OK;
}

static enum hc zstd_run(struct packer *z, const void *at, uint64_t len,
			ZSTD_EndDirective end, struct hc_err *err)
{
	uint8_t room[16384];
	ZSTD_inBuffer in = { at, len, 0 };
	for (;;) {
		ZSTD_outBuffer out = { room, sizeof(room), 0 };
		size_t left = ZSTD_compressStream2(z->stream, &out, &in, end);
		if (ZSTD_isError(left))
			return hc_fail(err, HC_NOMEM, 0, "zstd: %s",
				       ZSTD_getErrorName(left));
		if (out.pos)
			HC_TRY(z->write(z->ctx, room, out.pos, err));
		if (end == ZSTD_e_end ? left == 0 :
					in.pos == in.size && out.pos < out.size)
			return HC_OK;
	}
}

enum hc zstd_more(struct packer *z, const void *bytes, uint64_t len,
		  struct hc_err *err)
{
	return zstd_run(z, bytes, len, ZSTD_e_continue, err);
}

enum hc zstd_end(struct packer *z, bool done, struct hc_err *err)
{
	enum hc got = HC_OK;
	if (!z->stream)
		return HC_OK;
	if (done)
		got = zstd_run(z, NULL, 0, ZSTD_e_end, err);
	ZSTD_freeCCtx(z->stream);
	z->stream = NULL;
	return got;
}
