// bytes.c: the numbers of variable length; see bytes.h.
#include "libcore/base/bytes.h"

// leb_take reads the bytes of one LEB128 number: its value bits in *ret_value
// and how many bits they are in *ret_bits.
static HC_MUST enum hc leb_take(struct bytes *b, uint64_t *ret_value,
				unsigned *ret_bits, uint8_t *ret_last,
				struct hc_err *err)
{
	uint64_t value = 0;
	unsigned bits = 0;
	for (uint64_t i = 0; i < b->len; i++) {
		uint8_t byte = b->at[i];
		if (bits < 64)
			value |= (uint64_t)(byte & 0x7f) << bits;
		bits += 7;
		if (!(byte & 0x80)) {
			*ret_value = value;
			*ret_bits = bits;
			*ret_last = byte;
			struct bytes gone;
			return bytes_take(b, i + 1, &gone, err);
		}
		if (i == 9)
			return hc_fail(err, HC_CORRUPT, b->org,
				       "a number of over 64 bits");
	}
	return hc_fail(err, HC_TRUNCATED, b->org, "a number without an end");
}

enum hc bytes_uleb(struct bytes *b, uint64_t *ret, struct hc_err *err)
{
	unsigned bits;
	uint8_t last;
	return leb_take(b, ret, &bits, &last, err);
}

enum hc bytes_sleb(struct bytes *b, int64_t *ret, struct hc_err *err)
{
	uint64_t value;
	unsigned bits;
	uint8_t last;
	HC_TRY(leb_take(b, &value, &bits, &last, err));
	if ((last & 0x40) && bits < 64)
		value |= ~UINT64_C(0) << bits;
	*ret = (int64_t)value;
	return HC_OK;
}

enum hc bytes_cstr(struct bytes *b, const char **ret, struct hc_err *err)
{
	const uint8_t *nul = b->len ? memchr(b->at, 0, b->len) : NULL;
	if (!nul)
		return hc_fail(err, HC_TRUNCATED, b->org,
			       "a string without an end");
	struct bytes piece;
	HC_TRY(bytes_take(b, (uint64_t)(nul - b->at) + 1, &piece, err));
	*ret = (const char *)piece.at;
	return HC_OK;
}
