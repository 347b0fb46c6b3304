// escape.c: see escape.h.
#include "cli/escape.h"

#include <stdio.h>
#include <string.h>

size_t utf8_take(const char *in, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)in;
	if (len == 0)
		return 0;
	size_t n = s[0] < 0x80			   ? 1 :
		   s[0] >= 0xc2 && s[0] < 0xe0	   ? 2 :
		   s[0] >= 0xe0 && s[0] < 0xf0	   ? 3 :
		   s[0] >= 0xf0 && s[0] < 0xf5	   ? 4 :
						     0;
	if (n == 0 || n > len)
		return 0;
	uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return n;
}

// is_unseen says whether a character would act on a reader rather than be
// seen: controls, and what changes the direction or the lines of a text.
static bool is_unseen(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad ||
	       c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
	       c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c & 0xfffe) == 0xfffe || (c >= 0xe0000 && c < 0xe0080);
}

// spell_unseen writes a character by its number, as the reader spells it.
static size_t spell_unseen(enum escape_for who, uint32_t c, char *out)
{
	const char *slash = who == ESCAPE_DOT ? "\\\\" : "\\";
	int n;
	if (who == ESCAPE_JSON && c > 0xffff)
		n = sprintf(out, "\\u%04x\\u%04x",
			    (unsigned)(0xd7c0 + (c >> 10)),
			    (unsigned)(0xdc00 + (c & 0x3ff)));
	else if (who == ESCAPE_JSON)
		n = sprintf(out, "\\u%04x", (unsigned)c);
	else if (c == '\n')
		n = sprintf(out, "%sn", slash);
	else if (c == '\t')
		n = sprintf(out, "%st", slash);
	else if (c < 0x80)
		n = sprintf(out, "%sx%02x", slash, (unsigned)c);
	else
		n = sprintf(out, "%su%04x", slash, (unsigned)c);
	return (size_t)n;
}

// spell_markup returns what stands for a character that means something in
// the reader's language, or NULL.
static const char *spell_markup(enum escape_for who, uint32_t c)
{
	switch (who) {
	case ESCAPE_JSON:
		return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL;
	case ESCAPE_DOT:
		// Graphviz reads entities in labels.
		return c == '"'	 ? "\\\"" :
		       c == '\\' ? "\\\\" :
		       c == '&'	 ? "&amp;" :
				   NULL;
	case ESCAPE_XML:
		return c == '&'	 ? "&amp;" :
		       c == '<'	 ? "&lt;" :
		       c == '>'	 ? "&gt;" :
		       c == '"'	 ? "&quot;" :
		       c == '\'' ? "&#39;" :
				   NULL;
	case ESCAPE_TERMINAL:
		break;
	}
	return NULL;
}

// spell_byte writes a byte that belongs to no character.
static size_t spell_byte(enum escape_for who, char byte, char *out)
{
	if (who == ESCAPE_JSON)
		return (size_t)sprintf(out, "\xef\xbf\xbd");
	return (size_t)sprintf(out, "%sx%02x",
			       who == ESCAPE_DOT ? "\\\\" : "\\",
			       (unsigned)(unsigned char)byte);
}

// plain_run returns how many bytes of in no reader minds.
static size_t plain_run(const char *in, size_t len)
{
	size_t n = 0;
	while (n < len && in[n] >= 0x20 && in[n] < 0x7f && in[n] != '"' &&
	       in[n] != '&' && in[n] != '\'' && in[n] != '<' &&
	       in[n] != '>' && in[n] != '\\')
		n++;
	return n;
}

size_t escape(enum escape_for who, const char *in, size_t len, char *out,
	      size_t out_len, size_t *ret_len)
{
	size_t took = 0, n = 0;
	while (took < len && out_len - n >= 4 * ESCAPE_MAX) {
		uint32_t c;
		size_t room = out_len - n, left = len - took;
		size_t plain = plain_run(in + took, left < room ? left : room);
		if (plain) {
			memcpy(out + n, in + took, plain);
			took += plain;
			n += plain;
			continue;
		}
		size_t step = utf8_take(in + took, left, &c);
		const char *markup = step ? spell_markup(who, c) : NULL;
		if (step == 0) {
			n += spell_byte(who, in[took], out + n);
			step = 1;
		} else if (markup) {
			n += (size_t)sprintf(out + n, "%s", markup);
		} else if (is_unseen(c)) {
			n += spell_unseen(who, c, out + n);
		} else {
			memcpy(out + n, in + took, step);
			n += step;
		}
		took += step;
	}
	*ret_len = n;
	return took;
}
