// bytes.h: a run of bytes that we hold, read little-endian through one gate.
//
// A failed read moves nothing. A piece made by bytes_sub or bytes_take cannot
// reach outside the run it came from.
#pragma once

#include "libcore/base/err.h"

#include <stdbool.h>
#include <string.h>

// struct bytes is len bytes at at.
// Units: org is the file offset or address of the first byte, for messages.
// Owns:  nothing; the bytes live as long as what they were made from.
struct bytes {
	const uint8_t *at;
	uint64_t len;
	uint64_t org;
};

// bytes_sub sets *ret to the len bytes at byte offset off of b.
// Fails: TRUNCATED at b's org if they are not all inside.
static inline HC_MUST enum hc bytes_sub(struct bytes b, uint64_t off,
					uint64_t len, struct bytes *ret,
					struct hc_err *err)
{
	if (off > b.len || len > b.len - off)
		return hc_fail(err, HC_TRUNCATED, b.org,
			       "%" PRIu64 " bytes at +%" PRIu64 " of %" PRIu64,
			       len, off, b.len);
	*ret = (struct bytes){ b.at + off, len, b.org + off };
	return HC_OK;
}

// bytes_take cuts the first len bytes off *b into *ret (len may be 0).
// Fails: TRUNCATED; *b and *ret then stay as they were.
static inline HC_MUST enum hc bytes_take(struct bytes *b, uint64_t len,
					 struct bytes *ret, struct hc_err *err)
{
	HC_TRY(bytes_sub(*b, 0, len, ret, err));
	*b = (struct bytes){ b->at + len, b->len - len, b->org + len };
	return HC_OK;
}

// bytes_u8, _u16, _u32 and _u64 take one little-endian number off *b.
// Fails: TRUNCATED; *b and *ret then stay as they were.
#define BYTES_TAKE_UINT(T, name)                                              \
	static inline HC_MUST enum hc bytes_##name(struct bytes *b, T *ret,   \
						   struct hc_err *err)        \
	{                                                                     \
		struct bytes piece;                                           \
		HC_TRY(bytes_take(b, sizeof(T), &piece, err));                \
		memcpy(ret, piece.at, sizeof(T));                             \
		return HC_OK;                                                 \
	}
BYTES_TAKE_UINT(uint8_t, u8)
BYTES_TAKE_UINT(uint16_t, u16)
BYTES_TAKE_UINT(uint32_t, u32)
BYTES_TAKE_UINT(uint64_t, u64)

// bytes_uleb takes one unsigned LEB128 number of at most 64 bits off *b.
// Fails: TRUNCATED; CORRUPT when it has more bits. *b then stays.
// Source: DWARF 5, section 7.6; Go's binary.Uvarint is the same code.
HC_MUST enum hc bytes_uleb(struct bytes *b, uint64_t *ret, struct hc_err *err);

// bytes_sleb takes one signed LEB128 number of at most 64 bits off *b.
// Fails: as bytes_uleb.
HC_MUST enum hc bytes_sleb(struct bytes *b, int64_t *ret, struct hc_err *err);

// bytes_cstr takes a NUL-terminated string off *b; *ret points into b.
// Fails: TRUNCATED when there is no NUL. *b then stays.
HC_MUST enum hc bytes_cstr(struct bytes *b, const char **ret,
			   struct hc_err *err);

// bytes_equal says whether b holds exactly the len bytes at other.
static inline bool bytes_equal(struct bytes b, const void *other, uint64_t len)
{
	return b.len == len && (len == 0 || memcmp(b.at, other, len) == 0);
}

// get_u16, get_u32 and get_u64 read a little-endian number at p, which the
// caller has checked (hot loops over a checked window, fixed records).
static inline uint16_t get_u16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}
static inline uint32_t get_u32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}
static inline uint64_t get_u64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "heapcore reads little-endian cores on little-endian machines"
#endif
