// lz4.c: the LZ4 frame format; the only file that knows liblz4.
#include "libcore/base/codec.h"

#include <lz4frame.h>

static enum hc lz4_open(void *state, struct hc_err *err)
{
	LZ4F_dctx **ctx = state;
	if (LZ4F_isError(LZ4F_createDecompressionContext(ctx, LZ4F_VERSION)))
		return hc_nomem(err);
	return HC_OK;
}

static enum hc lz4_step(void *state, struct codec_io *io, struct hc_err *err)
{
	LZ4F_dctx **ctx = state;
	size_t hint;
	do {
		size_t in = io->in_len, out = io->out_len;
		hint = LZ4F_decompress(*ctx, io->out, &out, io->in, &in, NULL);
		if (LZ4F_isError(hint))
			return hc_fail(err, HC_CORRUPT, 0, "LZ4: %s",
				       LZ4F_getErrorName(hint));
		io->in += in;
		io->in_len -= in;
		io->out += out;
		io->out_len -= out;
		if (!in && !out)
			break;
	} while (hint && io->out_len);
	return hint ? HC_OK : HC_NONE;
}

static void lz4_close(void *state)
{
	LZ4F_dctx **ctx = state;
	LZ4F_freeDecompressionContext(*ctx);
}

const struct codec_format codec_lz4 = {
	.name = "LZ4",
	.magic = { 0x04, 0x22, 0x4d, 0x18 },
	.magic_len = 4,
	.state_len = sizeof(LZ4F_dctx *),
	.open = lz4_open,
	.step = lz4_step,
	.close = lz4_close,
};
