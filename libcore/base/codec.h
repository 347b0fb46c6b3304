// codec.h: one way to unpack a stream, whatever its format.
//
// Each format lives in one file of its own (zstd.c, gzip.c, xz.c, lz4.c), and
// the types of its library never leave that file. The libraries take their
// working memory themselves; it is bounded by the window of the format.
#pragma once

#include "libcore/base/bytes.h"
#include "libcore/base/pool.h"

// struct codec_io is what one step may read and write; it advances both.
struct codec_io {
	const uint8_t *in;
	uint64_t in_len;
	uint8_t *out;
	uint64_t out_len;
};

// struct codec_format is one format: how to recognise it and how to unpack it.
struct codec_format {
	const char *name;
	uint8_t magic[8];
	unsigned magic_len;
	uint64_t state_len; // bytes of state, zeroed before open
	HC_MUST enum hc (*open)(void *state, struct hc_err *err);
	// step unpacks until in is used up or out is full. HC_NONE means that
	// a frame ended; a further step begins the next one.
	HC_MUST enum hc (*step)(void *state, struct codec_io *io,
				struct hc_err *err);
	void (*close)(void *state);
};

extern const struct codec_format codec_zstd, codec_gzip, codec_xz, codec_lz4;
extern const struct codec_format codec_zlib; // bare, of ELF sections; no magic

// struct codec is one stream being unpacked.
// Owns: the library's memory, from codec_open to codec_close.
struct codec {
	const struct codec_format *format;
	void *state;
};

// codec_find returns the format that a file of these first bytes is in, or
// NULL.
const struct codec_format *codec_find(struct bytes first);

// codec_open starts a stream. Owns: its state is the pool's.
// Fails: NOMEM.
HC_MUST enum hc codec_open(const struct codec_format *format,
			   struct pool *pool, struct codec *ret,
			   struct hc_err *err);

// codec_step unpacks until io's input is used up or its output is full; it
// answers NONE when a frame ended.
// Fails: CORRUPT for a bad stream; LIMIT for a window over LIMIT_WINDOW_LOG;
//        NOMEM.
HC_MUST enum hc codec_step(struct codec *codec, struct codec_io *io,
			   struct hc_err *err);

// codec_close ends the stream. A zeroed codec is fine.
void codec_close(struct codec *codec);

// pack_bound returns how many bytes pack_zstd may need for len bytes.
uint64_t pack_bound(uint64_t len);

// pack_zstd packs the bytes into one zstd frame at out, which has cap bytes.
// Safe to call from several threads. Units: level is zstd's, 1 to 19.
// Fails: NOMEM; LIMIT when cap is too small.
HC_MUST enum hc pack_zstd(struct bytes in, int level, uint8_t *out,
			  uint64_t cap, uint64_t *ret_len, struct hc_err *err);

// unpack_zstd unpacks one zstd frame that must give exactly len bytes.
// Safe to call from several threads. Fails: CORRUPT.
HC_MUST enum hc unpack_zstd(struct bytes in, uint8_t *out, uint64_t len,
			    struct hc_err *err);

// crc32_more adds bytes to a CRC-32, which begins as 0.
// Source: RFC 1952 section 8; gzip's and Ethernet's polynomial.
uint32_t crc32_more(uint32_t crc, const void *bytes, uint64_t len);

// struct packer is a stream being packed.
// Owns: the library's memory, from a begin to its end.
struct packer {
	void *stream;
	enum hc (*write)(void *ctx, const void *bytes, uint64_t len,
			 struct hc_err *err);
	void *ctx;
};

// gzip_begin and zstd_begin start a stream that goes to write; _more packs
// bytes; _end ends the stream (done false: lets go of it) and frees it.
// Fails: NOMEM; as write.
HC_MUST enum hc gzip_begin(struct packer *g, struct pool *pool,
			   struct hc_err *err);
HC_MUST enum hc gzip_more(struct packer *g, const void *bytes,
			  uint64_t len, struct hc_err *err);
HC_MUST enum hc gzip_end(struct packer *g, bool done, struct hc_err *err);
HC_MUST enum hc zstd_begin(struct packer *z, int level, struct hc_err *err);
HC_MUST enum hc zstd_more(struct packer *z, const void *bytes,
			  uint64_t len, struct hc_err *err);
HC_MUST enum hc zstd_end(struct packer *z, bool done, struct hc_err *err);
