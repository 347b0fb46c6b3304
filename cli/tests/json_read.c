// json_read.c: see json.h.
//
// Source: RFC 8259; duplicate keys, which it only advises against, are errors
// here, and so is what is no UTF-8 (RFC 3629) or a lone surrogate.
#include "cli/tests/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 200

struct reader {
	const char *at, *end;
	const char *why;
	unsigned depth;
};

static struct value *bad(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return NULL;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

static bool take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static struct value *new_value(enum value_kind kind)
{
	struct value *v = calloc(1, sizeof(*v));
	if (!v)
		abort();
	v->kind = kind;
	return v;
}

// utf8_len returns how many bytes the character at p has, 0 when it is none.
static size_t utf8_len(const char *p, const char *end)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t left = (size_t)(end - p);
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 :
		   s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static bool take_hex(struct reader *r, uint32_t *ret)
{
	uint32_t v = 0;
	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *d = r->at < r->end && *r->at ?
					strchr(digits, *r->at) :
					NULL;
		if (!d)
			return false;
		v = v << 4 | (uint32_t)((d - digits) & 15);
		r->at++;
	}
	*ret = v;
	return true;
}

static char *put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 63));
		*out++ = (char)(0x80 | (c & 63));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 63));
		*out++ = (char)(0x80 | (c >> 6 & 63));
		*out++ = (char)(0x80 | (c & 63));
	}
	return out;
}

// take_escape reads what follows a backslash.
static char *take_escape(struct reader *r, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	uint32_t c, low;
	if (r->at == r->end)
		return NULL;
	const char *simple = *r->at ? strchr(from, *r->at) : NULL;
	if (simple) {
		r->at++;
		*out = to[simple - from];
		return out + 1;
	}
	if (!take(r, 'u') || !take_hex(r, &c))
		return NULL;
	if (c >= 0xdc00 && c < 0xe000)
		return NULL;
	if (c >= 0xd800 && c < 0xdc00) {
		if (!take(r, '\\') || !take(r, 'u') || !take_hex(r, &low) ||
		    low < 0xdc00 || low >= 0xe000)
			return NULL;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return put_utf8(out, c);
}

static char *take_text(struct reader *r)
{
	if (!take(r, '"')) {
		bad(r, "a string was expected");
		return NULL;
	}
	size_t room = 1;
	for (const char *p = r->at; p < r->end && *p != '"'; p++, room++)
		p += *p == '\\' && p + 1 < r->end;
	char *text = malloc(2 * room + 8), *out = text;
	while (text && r->at < r->end && *r->at != '"') {
		size_t n = utf8_len(r->at, r->end);
		if (n == 0 || (unsigned char)*r->at < 0x20) {
			bad(r, n ? "a control character" : "no UTF-8");
			return NULL;
		}
		if (*r->at == '\\') {
			r->at++;
			out = take_escape(r, out);
			if (!out) {
				bad(r, "a bad escape");
				return NULL;
			}
			continue;
		}
		memcpy(out, r->at, n);
		out += n;
		r->at += n;
	}
	if (!text || !take(r, '"')) {
		bad(r, "a string without end");
		return NULL;
	}
	*out = '\0';
	return text;
}

static bool take_digits(struct reader *r)
{
	const char *from = r->at;
	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		r->at++;
	return r->at > from;
}

static struct value *take_number(struct reader *r)
{
	const char *from = r->at;
	take(r, '-');
	if (!take(r, '0') && !take_digits(r))
		return bad(r, "a value was expected");
	if (take(r, '.') && !take_digits(r))
		return bad(r, "digits were expected");
	if (take(r, 'e') || take(r, 'E')) {
		if (!take(r, '-'))
			take(r, '+');
		if (!take_digits(r))
			return bad(r, "digits were expected");
	}
	struct value *v = new_value(V_NUMBER);
	v->text = strndup(from, (size_t)(r->at - from));
	return v;
}

static struct value *take_word(struct reader *r, const char *word,
			       enum value_kind kind)
{
	size_t n = strlen(word);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
		return bad(r, "a value was expected");
	r->at += n;
	return new_value(kind);
}

static struct value *take_value(struct reader *r);

static bool has_key(const struct value *v, const char *key)
{
	for (const struct value *c = v->first; c; c = c->next)
		if (strcmp(c->key, key) == 0)
			return true;
	return false;
}

static struct value *take_items(struct reader *r, struct value *v, char end)
{
	skip_blanks(r);
	if (take(r, end))
		return v;
	for (;;) {
		char *key = NULL;
		skip_blanks(r);
		if (v->kind == V_OBJECT) {
			key = take_text(r);
			if (!key)
				return NULL;
			if (has_key(v, key))
				return bad(r, "a key comes twice");
			skip_blanks(r);
			if (!take(r, ':'))
				return bad(r, "':' was expected");
		}
		struct value *c = take_value(r);
		if (!c)
			return NULL;
		c->key = key;
		*(v->last ? &v->last->next : &v->first) = c;
		v->last = c;
		v->n++;
		skip_blanks(r);
		if (take(r, end))
			return v;
		if (!take(r, ','))
			return bad(r, "',' or an end was expected");
	}
}

static struct value *take_value(struct reader *r)
{
	struct value *v;
	skip_blanks(r);
	if (r->at == r->end)
		return bad(r, "it ends too soon");
	if (*r->at == '{' || *r->at == '[') {
		bool is_object = *r->at++ == '{';
		if (++r->depth > DEPTH_MAX)
			return bad(r, "too deep");
		v = take_items(r, new_value(is_object ? V_OBJECT : V_ARRAY),
			       is_object ? '}' : ']');
		r->depth--;
		return v;
	}
	if (*r->at == '"') {
		char *text = take_text(r);
		if (!text)
			return NULL;
		v = new_value(V_TEXT);
		v->text = text;
		return v;
	}
	return *r->at == 't' ? take_word(r, "true", V_TRUE) :
	       *r->at == 'f' ? take_word(r, "false", V_FALSE) :
	       *r->at == 'n' ? take_word(r, "null", V_NULL) :
			       take_number(r);
}

struct value *json_read(const char *text, size_t len, const char **ret_why,
			size_t *ret_at)
{
	struct reader r = { text, text + len, NULL, 0 };
	struct value *v = take_value(&r);
	skip_blanks(&r);
	if (v && r.at < r.end)
		v = bad(&r, "something follows");
	*ret_why = r.why;
	*ret_at = (size_t)(r.at - text);
	return v;
}

void json_free(struct value *v)
{
	while (v && v->first) {
		struct value *c = v->first;
		v->first = c->next;
		json_free(c);
	}
	if (v) {
		free(v->key);
		free(v->text);
	}
	free(v);
}
