// wire.c: see wire.h.
#include "libheap/dump/wire.h"

#include <string.h>

enum hc wire_open(const struct dump_sink *sink, struct pool *pool,
		  struct wire **ret, struct hc_err *err)
{
	struct wire *w = pool_new(pool, struct wire, 1);
	if (!w)
		return hc_nomem(err);
	w->sink = *sink;
	*ret = w;
	return HC_OK;
}

void wire_flush(struct wire *w)
{
	if (!w->failed && w->n)
		w->failed = w->sink.write(w->sink.ctx, w->buf, w->n,
					  &w->err) != HC_OK;
	w->n = 0;
}

enum hc wire_close(struct wire *w, struct hc_err *err)
{
	wire_flush(w);
	if (!w->failed)
		return HC_OK;
	if (err)
		*err = w->err;
	return HC_FAIL;
}

void wire_bytes(struct wire *w, const void *bytes, uint64_t len)
{
	const uint8_t *from = bytes;
	w->len += len;
	while (len > 0) {
		uint64_t room = sizeof(w->buf) - w->n;
		uint64_t part = len < room ? len : room;
		memcpy(w->buf + w->n, from, part);
		w->n += (uint32_t)part;
		from += part;
		len -= part;
		if (w->n == sizeof(w->buf))
			wire_flush(w);
	}
}

void wire_zeros(struct wire *w, uint64_t len)
{
	static const uint8_t zeros[4096];
	for (; len > sizeof(zeros) && !w->failed; len -= sizeof(zeros))
		wire_bytes(w, zeros, sizeof(zeros));
	if (!w->failed)
		wire_bytes(w, zeros, len);
}

void wire_text(struct wire *w, const char *text)
{
	wire_bytes(w, text, strlen(text));
}

void wire_uleb(struct wire *w, uint64_t v)
{
	while (v >= 128) {
		wire_u8(w, (uint8_t)(v | 128));
		v >>= 7;
	}
	wire_u8(w, (uint8_t)v);
}

void wire_decimal(struct wire *w, uint64_t v)
{
	char digits[20];
	size_t i = sizeof(digits);
	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	wire_bytes(w, digits + i, sizeof(digits) - i);
}
