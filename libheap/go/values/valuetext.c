// valuetext.c: see valuetext.h.
#include "libheap/go/values/valuetext.h"

#include "libheap/go/types/types.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void go_text_put(struct go_text *l, const char *text, size_t len)
{
	if (len > GO_TEXT_LEN - l->len) {
		len = GO_TEXT_LEN - l->len;
		l->cut = true;
	}
	memcpy(l->text + l->len, text, len);
	l->len += len;
}

void go_text_printf(struct go_text *l, const char *fmt, ...)
{
	char text[160];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		go_text_put(l, text, (size_t)n < sizeof(text) ?
					     (size_t)n :
					     sizeof(text) - 1);
}

// character returns how many of the n bytes at s are one character of UTF-8
// beyond ASCII, 0 when they are none. Source: RFC 3629.
static unsigned character(const uint8_t *s, uint64_t n)
{
	unsigned len = *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 :
		       *s < 0xf5 ? 4 : 0;
	if (!len || len > n)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	bool bad = (*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
		   (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f);
	return bad ? 0 : len;
}

void go_text_quoted(struct go_text *l, const uint8_t *s, uint64_t len)
{
	uint64_t shown = len < GO_STRING_LEN ? len : GO_STRING_LEN;
	go_text_put(l, "\"", 1);
	for (uint64_t i = 0; i < shown; i++) {
		char c = (char)s[i];
		unsigned n = character(s + i, shown - i);
		if (c == '"' || c == '\\')
			go_text_printf(l, "\\%c", c);
		else if (c == '\n')
			go_text_put(l, "\\n", 2);
		else if (c == '\t')
			go_text_put(l, "\\t", 2);
		else if (n || (s[i] >= 0x20 && s[i] < 0x7f))
			go_text_put(l, (const char *)s + i, n ? n : 1);
		else
			go_text_printf(l, "\\x%02x", s[i]);
		i += n ? n - 1 : 0;
	}
	go_text_put(l, "\"", 1);
	if (shown < len)
		go_text_printf(l, "… (%" PRIu64 " bytes)", len);
}

static void put_float(struct go_text *l, double v)
{
	if (isnan(v))
		go_text_put(l, "NaN", 3);
	else if (isinf(v))
		go_text_put(l, v < 0 ? "-Inf" : "+Inf", 4);
	else
		go_text_printf(l, "%.17g", v);
}

static float get_f32(const uint8_t *mem)
{
	float v;
	memcpy(&v, mem, sizeof(v));
	return v;
}

static double get_f64(const uint8_t *mem)
{
	double v;
	memcpy(&v, mem, sizeof(v));
	return v;
}

bool go_text_number(struct go_text *l, uint8_t kind, const uint8_t *mem)
{
	switch (kind) {
	case GO_KIND_BOOL:
		go_text_printf(l, "%s", *mem == 0 ? "false" :
					*mem == 1 ? "true" :
						    "(damaged)");
		return true;
	case GO_KIND_INT8:
		go_text_printf(l, "%d", (int8_t)*mem);
		return true;
	case GO_KIND_UINT8:
		go_text_printf(l, "%u", *mem);
		return true;
	case GO_KIND_INT16:
		go_text_printf(l, "%d", (int16_t)get_u16(mem));
		return true;
	case GO_KIND_UINT16:
		go_text_printf(l, "%u", get_u16(mem));
		return true;
	case GO_KIND_INT32:
		go_text_printf(l, "%" PRId32, (int32_t)get_u32(mem));
		return true;
	case GO_KIND_UINT32:
		go_text_printf(l, "%" PRIu32, get_u32(mem));
		return true;
	case GO_KIND_INT:
	case GO_KIND_INT64:
		go_text_printf(l, "%" PRId64, (int64_t)get_u64(mem));
		return true;
	case GO_KIND_UINT:
	case GO_KIND_UINT64:
		go_text_printf(l, "%" PRIu64, get_u64(mem));
		return true;
	case GO_KIND_UINTPTR:
		go_text_printf(l, "0x%" PRIx64, get_u64(mem));
		return true;
	case GO_KIND_FLOAT32:
		put_float(l, (double)get_f32(mem));
		return true;
	case GO_KIND_FLOAT64:
		put_float(l, get_f64(mem));
		return true;
	case GO_KIND_COMPLEX64:
		go_text_printf(l, "(%g%+gi)", (double)get_f32(mem),
			       (double)get_f32(mem + 4));
		return true;
	case GO_KIND_COMPLEX128:
		go_text_printf(l, "(%g%+gi)", get_f64(mem), get_f64(mem + 8));
		return true;
	default:
		return false;
	}
}
