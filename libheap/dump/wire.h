// wire.h: bytes, numbers and text on their way into a sink, buffered.
#pragma once

#include "libheap/dump/dump.h"

// struct wire is one stream.
// Units: len counts all bytes put so far. Shape: a failure is kept; what comes
// after it is dropped.
struct wire {
	struct dump_sink sink;
	uint64_t len;
	uint32_t n;
	bool failed;
	struct hc_err err;
	uint8_t buf[1 << 16];
};

// wire_open begins a stream. Owns: pool. Fails: NOMEM.
HC_MUST enum hc wire_open(const struct dump_sink *sink, struct pool *pool,
			  struct wire **ret, struct hc_err *err);

// wire_close writes what is buffered. Fails: with the first failure.
HC_MUST enum hc wire_close(struct wire *w, struct hc_err *err);

void wire_flush(struct wire *w);
void wire_bytes(struct wire *w, const void *bytes, uint64_t len);

// wire_zeros puts len bytes of 0; wire_text a string without its NUL.
void wire_zeros(struct wire *w, uint64_t len);
void wire_text(struct wire *w, const char *text);

// wire_uleb puts LEB128; wire_decimal digits.
void wire_uleb(struct wire *w, uint64_t v);
void wire_decimal(struct wire *w, uint64_t v);

static inline void wire_u8(struct wire *w, uint8_t v)
{
	if (w->n == sizeof(w->buf))
		wire_flush(w);
	w->buf[w->n++] = v;
	w->len++;
}
static inline void wire_u16(struct wire *w, uint16_t v)
{
	wire_bytes(w, &v, sizeof(v));
}
static inline void wire_u32(struct wire *w, uint32_t v)
{
	wire_bytes(w, &v, sizeof(v));
}
static inline void wire_u64(struct wire *w, uint64_t v)
{
	wire_bytes(w, &v, sizeof(v));
}
