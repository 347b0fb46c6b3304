// xz.c: the xz format; the only file that knows liblzma.
#include "libcore/base/codec.h"
#include "libcore/base/limits.h"

#include <lzma.h>

// struct xz is the stream; ended says that a stream of the file just ended.
struct xz {
	lzma_stream s;
	bool ended;
};

static enum hc xz_start(struct xz *x, struct hc_err *err)
{
	if (lzma_stream_decoder(&x->s, UINT64_C(1) << LIMIT_WINDOW_LOG, 0) !=
	    LZMA_OK)
		return hc_nomem(err);
	return HC_OK;
}

static enum hc xz_open(void *state, struct hc_err *err)
{
	struct xz *x = state;
	x->s = (lzma_stream)LZMA_STREAM_INIT;
	return xz_start(x, err);
}

static enum hc xz_say(lzma_ret rc, struct hc_err *err)
{
	if (rc == LZMA_MEM_ERROR)
		return hc_nomem(err);
	if (rc == LZMA_MEMLIMIT_ERROR)
		return hc_fail(err, HC_LIMIT, 0,
			       "xz: a dictionary of over 2 GiB");
	if (rc == LZMA_OPTIONS_ERROR)
		return hc_fail(err, HC_UNSUPPORTED, 0,
			       "xz: a filter that liblzma does not know");
	return hc_fail(err, HC_CORRUPT, 0, "xz: bad stream (%d)", (int)rc);
}

static enum hc xz_step(void *state, struct codec_io *io, struct hc_err *err)
{
	struct xz *x = state;
	if (x->ended) {
		// Source: the .xz file format 1.2.1, section 2.2: streams may
		// be padded with zeros in fours.
		while (io->in_len && io->in[0] == 0) {
			io->in++;
			io->in_len--;
		}
		if (!io->in_len)
			return HC_NONE;
		HC_TRY(xz_start(x, err));
		x->ended = false;
	}
	x->s.next_in = io->in;
	x->s.avail_in = io->in_len;
	x->s.next_out = io->out;
	x->s.avail_out = io->out_len;
	lzma_ret rc = lzma_code(&x->s, LZMA_RUN);
	io->in = x->s.next_in;
	io->in_len = x->s.avail_in;
	io->out = x->s.next_out;
	io->out_len = x->s.avail_out;
	x->ended = rc == LZMA_STREAM_END;
	if (x->ended)
		return HC_NONE;
	if (rc != LZMA_OK && rc != LZMA_BUF_ERROR)
		return xz_say(rc, err);
	return HC_OK;
}

static void xz_close(void *state)
{
	struct xz *x = state;
	lzma_end(&x->s);
}

const struct codec_format codec_xz = {
	.name = "xz",
	.magic = { 0xfd, '7', 'z', 'X', 'Z', 0 },
	.magic_len = 6,
	.state_len = sizeof(struct xz),
	.open = xz_open,
	.step = xz_step,
	.close = xz_close,
};
