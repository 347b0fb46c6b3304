// codec.c: see codec.h. Which format it is, by its first bytes.
#include "libcore/base/codec.h"

const struct codec_format *codec_find(struct bytes first)
{
	static const struct codec_format *const all[] = {
		&codec_zstd, &codec_gzip, &codec_xz, &codec_lz4
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (first.len >= all[i]->magic_len &&
		    !memcmp(first.at, all[i]->magic, all[i]->magic_len))
			return all[i];
	}
	// Source: RFC 8878 section 3.1.2: a skippable frame may come first.
	if (first.len >= 4 && (get_u32(first.at) & ~0xfu) == 0x184d2a50)
		return &codec_zstd;
	return NULL;
}

enum hc codec_open(const struct codec_format *format, struct pool *pool,
		   struct codec *ret, struct hc_err *err)
{
	void *state = pool_alloc(pool, format->state_len, 16, 1);
	if (!state)
		return hc_nomem(err);
	HC_TRY(format->open(state, err));
	*ret = (struct codec){ format, state };
	return HC_OK;
}

enum hc codec_step(struct codec *codec, struct codec_io *io,
		   struct hc_err *err)
{
	return codec->format->step(codec->state, io, err);
}

void codec_close(struct codec *codec)
{
	if (codec->format)
		codec->format->close(codec->state);
	*codec = (struct codec){ 0 };
}
