// inflate.c: see inflate.h.
#include "libcore/base/inflate.h"

#include "libcore/base/codec.h"
#include "libcore/base/limits.h"

// struct wrapper is a section's header, read: what follows, how much it is.
struct wrapper {
	const struct codec_format *format; // NULL: nothing to unpack
	uint64_t len;
	struct bytes stream;
};

static enum hc chdr_format(uint32_t type, uint64_t at, struct wrapper *w,
			   struct hc_err *err)
{
	if (type == 1)
		w->format = &codec_zlib;
	else if (type == 2)
		w->format = &codec_zstd;
	else
		return hc_fail(err, HC_UNSUPPORTED, at,
			       "a section compressed by method %" PRIu32, type);
	return HC_OK;
}

static enum hc chdr64_read(struct wrapper *w, struct hc_err *err)
{
	uint64_t at = w->stream.org, align;
	uint32_t type, reserved;
	HC_TRY(bytes_u32(&w->stream, &type, err));
	HC_TRY(bytes_u32(&w->stream, &reserved, err));
	HC_TRY(bytes_u64(&w->stream, &w->len, err));
	HC_TRY(bytes_u64(&w->stream, &align, err));
	return chdr_format(type, at, w, err);
}

static enum hc chdr32_read(struct wrapper *w, struct hc_err *err)
{
	uint64_t at = w->stream.org;
	uint32_t type, len, align;
	HC_TRY(bytes_u32(&w->stream, &type, err));
	HC_TRY(bytes_u32(&w->stream, &len, err));
	HC_TRY(bytes_u32(&w->stream, &align, err));
	w->len = len;
	return chdr_format(type, at, w, err);
}

static enum hc zdebug_read(struct wrapper *w, struct hc_err *err)
{
	uint64_t at = w->stream.org, big_endian;
	struct bytes magic;
	HC_TRY(bytes_take(&w->stream, 4, &magic, err));
	if (!bytes_equal(magic, "ZLIB", 4))
		return hc_fail(err, HC_CORRUPT, at,
			       "a .zdebug section without its mark");
	HC_TRY(bytes_u64(&w->stream, &big_endian, err));
	w->len = __builtin_bswap64(big_endian);
	w->format = &codec_zlib;
	return HC_OK;
}

// wrapper_read reads the header and refuses sizes that no honest file has.
static enum hc wrapper_read(struct bytes in, enum inflate_kind kind,
			    struct wrapper *w, struct hc_err *err)
{
	*w = (struct wrapper){ NULL, in.len, in };
	switch (kind) {
	case INFLATE_NONE:
		return HC_OK;
	case INFLATE_CHDR64:
		HC_TRY(chdr64_read(w, err));
		break;
	case INFLATE_CHDR32:
		HC_TRY(chdr32_read(w, err));
		break;
	case INFLATE_ZDEBUG:
		HC_TRY(zdebug_read(w, err));
		break;
	}
	if (w->len > LIMIT_SECTION_INFLATED ||
	    w->len / LIMIT_INFLATE_RATIO > w->stream.len)
		return hc_fail(err, HC_LIMIT, in.org,
			       "%" PRIu64 " bytes that claim to unpack to %" PRIu64,
			       w->stream.len, w->len);
	return HC_OK;
}

// stream_unpack fills out with what stream unpacks to, exactly.
static enum hc stream_unpack(struct codec *codec, struct bytes stream,
			     uint8_t *out, uint64_t len, struct hc_err *err)
{
	// One byte of room behind the end shows a stream that is too long.
	struct codec_io io = { stream.at, stream.len, out, len + 1 };
	for (;;) {
		uint64_t in_was = io.in_len, out_was = io.out_len;
		enum hc rc = codec_step(codec, &io, err);
		if (rc == HC_FAIL)
			return rc;
		if (io.out_len == 0)
			return hc_fail(err, HC_CORRUPT, stream.org,
				       "a section longer than it claims");
		if (rc == HC_NONE && io.out_len == 1)
			return HC_OK;
		if (io.in_len == 0 ||
		    (io.in_len == in_was && io.out_len == out_was))
			return hc_fail(err, HC_CORRUPT, stream.org,
				       "a section of %" PRIu64
				       " bytes, of %" PRIu64 " that it claims",
				       len + 1 - io.out_len, len);
	}
}

enum hc inflate_len(struct bytes in, enum inflate_kind kind, uint64_t *ret,
		    struct hc_err *err)
{
	struct wrapper w;
	HC_TRY(wrapper_read(in, kind, &w, err));
	*ret = w.len;
	return HC_OK;
}

enum hc inflate_section(struct bytes in, enum inflate_kind kind,
			struct pool *pool, struct bytes *ret,
			struct hc_err *err)
{
	struct wrapper w;
	HC_TRY(wrapper_read(in, kind, &w, err));
	if (!w.format) {
		*ret = in;
		return HC_OK;
	}
	char *mark = pool_mark(pool);
	uint8_t *out = pool_new(pool, uint8_t, w.len + 1);
	if (!out)
		return hc_fail(err, HC_NOMEM, in.org,
			       "no room for %" PRIu64 " bytes", w.len);
	struct codec codec = { 0 };
	enum hc rc = codec_open(w.format, pool, &codec, err);
	if (rc == HC_OK)
		rc = stream_unpack(&codec, w.stream, out, w.len, err);
	codec_close(&codec);
	if (rc) {
		pool_rewind(pool, mark);
		return rc;
	}
	*ret = (struct bytes){ out, w.len, 0 };
	return HC_OK;
}
