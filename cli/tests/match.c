// match.c: see match.h.
//
// Texts are "{Name: 1, …}" for structs, "[1 2 …]" for arrays, "len 2 cap 4
// [1 2]" for slices, T(1) for interfaces, 0x… for what truth has as an address
// (with more behind it: what a pointer leads to, a channel's state), func
// names, and "len 1 {…}" for maps, which truth has as addresses too.
#include "cli/tests/match.h"

#include <stdlib.h>
#include <string.h>

#define CUT "…"

struct value *item(const struct value *v, const char *key)
{
	for (struct value *c = v ? v->first : NULL; c; c = c->next)
		if (c->key && strcmp(c->key, key) == 0)
			return c;
	return NULL;
}

static bool take(const char **p, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*p, word, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool value_at(const struct value *v, const char **p);

static bool number_at(const struct value *v, const char **p)
{
	char *end;
	size_t n = strlen(v->text);
	if (strncmp(*p, "0x", 2) == 0) {
		bool same = strtoull(*p, &end, 16) ==
			    strtoull(v->text, NULL, 10);
		*p = end;
		return same;
	}
	if (strncmp(*p, v->text, n) == 0 &&
	    strspn(*p + n, "0123456789.e") == 0) {
		*p += n;
		return true;
	}
	double want = strtod(v->text, NULL), got = strtod(*p, &end);
	bool is_float = strpbrk(v->text, ".eE") != NULL;
	bool same = end != *p && is_float &&
		    (got <= want && got >= want ? true :
		     (float)got <= (float)want && (float)got >= (float)want);
	*p = end;
	return same;
}

// quoted_at compares a Go string literal with the text it must be.
static bool quoted_at(const char *want, const char **p)
{
	const char *c = *p + 1;
	for (; *c && *c != '"'; want++) {
		char is = *c++;
		if (is == '\\') {
			char e = *c++;
			is = e == 'n' ? '\n' : e == 't' ? '\t' : e;
			if (e == 'x') {
				char hex[3] = { c[0], c[0] ? c[1] : '\0', 0 };
				is = (char)strtoul(hex, NULL, 16);
				c += strlen(hex);
			}
		}
		if (is != *want)
			return false;
	}
	if (*c != '"')
		return strncmp(c, CUT, 3) == 0;
	*p = c + 1;
	if (take(p, CUT)) { // "… (N bytes)"
		const char *end = strchr(*p, ')');
		*p = end ? end + 1 : *p;
		return end != NULL;
	}
	return *want == '\0';
}

// skip_rest goes to the end of the value in whose text p is: to the bracket
// that closes what is around it, or to a comma or blank between elements.
static void skip_rest(const char **p)
{
	int depth = 0;
	for (bool quoted = false; **p; ++*p) {
		if (**p == '\\' && quoted && (*p)[1]) {
			++*p;
		} else if (**p == '"') {
			quoted = !quoted;
		} else if (!quoted && strchr("([{", **p)) {
			depth++;
		} else if (!quoted && strchr(")]}", **p)) {
			if (depth-- == 0)
				return;
		} else if (!quoted && depth == 0 && **p == ',') {
			return;
		}
	}
}

// address_at compares what truth has as an address.
static bool address_at(const char *want, const char **p)
{
	unsigned long long at = strtoull(want, NULL, 16);
	bool same = true;
	if (take(p, "nil"))
		return at == 0;
	if (strncmp(*p, "0x", 2) == 0)
		same = strtoull(*p, NULL, 16) == at;
	else // a func's name, a map's entries
		same = at != 0;
	skip_rest(p);
	return same;
}

// bytes_at compares a list of numbers with a string literal.
static bool bytes_at(const struct value *v, const char **p)
{
	char *want = calloc(v->n + 1, 1);
	size_t n = 0;
	for (const struct value *c = v->first; want && c; c = c->next)
		want[n++] = (char)strtoul(c->text ? c->text : "0", NULL, 10);
	return want && quoted_at(want, p);
}

// elements_at compares what is between brackets.
static bool elements_at(const struct value *v, const char **p, char close)
{
	bool is_struct = close == '}';
	for (const struct value *c = v->first; c; c = c->next) {
		if (take(p, CUT))
			break;
		if (is_struct) {
			const char *colon = strstr(*p, ": ");
			if (!colon)
				return false;
			*p = colon + 2;
		}
		if (!value_at(c, p))
			return false;
		if (c->next && !take(p, ", ") && !take(p, " "))
			return false;
	}
	(void)take(p, CUT);
	if (**p != close)
		return false;
	++*p;
	return true;
}

static bool list_at(const struct value *v, const char **p)
{
	char *end;
	if (take(p, "nil"))
		return v->n == 0;
	if (**p == '(') { // a complex number
		double re = strtod(*p + 1, &end), im = strtod(end, &end);
		*p = end;
		return v->n == 2 && take(p, "i)") &&
		       re <= strtod(v->first->text, NULL) &&
		       re >= strtod(v->first->text, NULL) &&
		       im <= strtod(v->last->text, NULL) &&
		       im >= strtod(v->last->text, NULL);
	}
	if (take(p, "len ")) { // a slice
		if (strtoull(*p, &end, 10) != v->n)
			return false;
		*p = end;
		if (!take(p, " cap "))
			return false;
		(void)strtoull(*p, &end, 10);
		*p = end;
		if (v->n == 0)
			return true;
		if (!take(p, " "))
			return false;
	}
	if (**p == '"')
		return bytes_at(v, p);
	if (take(p, "{"))
		return elements_at(v, p, '}');
	return take(p, "[") && elements_at(v, p, ']');
}

static bool value_at(const struct value *v, const char **p)
{
	switch (v->kind) {
	case V_NULL:
		return take(p, "nil");
	case V_TRUE:
		return take(p, "true");
	case V_FALSE:
		return take(p, "false");
	case V_NUMBER:
		return number_at(v, p);
	case V_TEXT:
		return **p == '"' ? quoted_at(v->text, p) :
		       strncmp(v->text, "0x", 2) == 0 && address_at(v->text, p);
	case V_ARRAY:
		return list_at(v, p);
	case V_OBJECT: // {"TYPE": VALUE}
		return v->n == 1 && take(p, v->first->key) && take(p, "(") &&
		       value_at(v->first, p) && take(p, ")");
	}
	return false;
}

bool matches(const struct value *v, const char *text)
{
	return value_at(v, &text) && *text == '\0';
}
