// options.c: see options.h.
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct option_row option_rows[N_OPTIONS] = {
#define X(id, name, letter, value, kind, member, help)                     \
	[OPT_##id] = { name, letter, value, OPTION_##kind,                 \
		       offsetof(struct options, member), help },
	OPTIONS(X)
#undef X
};

// Everything below speaks to people, so the message is the whole line.
#define usage(err, ...) hc_fail(err, HC_UNSUPPORTED, 0, __VA_ARGS__)

enum hc parse_addr(const char *text, taddr *ret)
{
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	size_t n = strspn(text, "0123456789abcdefABCDEF");
	if (n == 0 || n > 16 || text[n])
		return HC_NONE;
	*ret = strtoull(text, NULL, 16);
	return HC_OK;
}

enum hc parse_size(const char *text, uint64_t *ret)
{
	static const char units[] = "kmgtp";
	char *end;
	if (text[0] < '0' || text[0] > '9')
		return HC_NONE;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	if (hex && !strchr("0123456789abcdefABCDEF", text[2]))
		return HC_NONE;
	size_t digits = strspn(text, "0123456789");
	if (digits > 19 || (hex && strlen(text) > 18))
		return HC_NONE;
	uint64_t value = strtoull(text, &end, hex ? 16 : 10);
	while (*end == ' ')
		end++;
	const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	end += unit ? 1 : 0;
	if (unit && *end == 'i' && (end[1] | 0x20) == 'b')
		end++;
	if (*end && (*end | 0x20) == 'b')
		end++;
	if (*end || value > UINT64_MAX >> shift)
		return HC_NONE;
	*ret = value << shift;
	return HC_OK;
}

static enum hc parse_count(const char *text, uint64_t *ret)
{
	if (strcmp(text, "all") == 0 || strcmp(text, "0") == 0) {
		*ret = UINT64_MAX;
		return HC_OK;
	}
	size_t n = strspn(text, "0123456789");
	if (n == 0 || n > 18 || text[n])
		return HC_NONE;
	*ret = strtoull(text, NULL, 10);
	return HC_OK;
}

// set_option stores one option's value (NULL for a flag).
static enum hc set_option(struct options *o, unsigned id, const char *value,
			  struct hc_err *err)
{
	const struct option_row *row = &option_rows[id];
	void *member = (char *)o + row->member;
	const char *text = value ? value : "";
	enum hc ok = HC_OK;
	o->given |= UINT64_C(1) << id;
	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)member = true;
		break;
	case OPTION_TEXT:
		*(const char **)member = value;
		if (id == OPT_EXE && o->n_exes++ < OPTIONS_MAX_WORDS)
			o->exes[o->n_exes - 1] = value;
		break;
	case OPTION_COUNT:
		ok = parse_count(text, member);
		break;
	case OPTION_SIZE:
		ok = parse_size(text, member);
		break;
	case OPTION_ADDR:
		ok = parse_addr(text, member);
		break;
	}
	if (ok)
		return usage(err, "--%s %s: '%s' is not %s", row->name,
			     row->value, text,
			     row->kind == OPTION_ADDR  ? "an address" :
			     row->kind == OPTION_COUNT ? "a number, or 'all'" :
							 "a size");
	return HC_OK;
}

static enum hc unknown_option(const char *name, size_t len, struct hc_err *err)
{
	char word[32];
	snprintf(word, sizeof(word), "%.*s", (int)(len < 31 ? len : 31), name);
	const char *near = nearest(word, &option_rows[0].name,
				   sizeof(option_rows[0]), N_OPTIONS);
	return usage(err, "unknown option '--%.*s'%s%s%s",
		     (int)(len < 80 ? len : 80), name,
		     near ? "; did you mean '--" : "", near ? near : "",
		     near ? "'?" : " (`heapcore help` lists them)");
}

static enum hc long_option(struct options *o, int *i, int argc, char **argv,
			   struct hc_err *err)
{
	const char *name = argv[*i] + 2;
	const char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	unsigned id = 0;
	while (id < N_OPTIONS && !(strlen(option_rows[id].name) == len &&
				   strncmp(option_rows[id].name, name, len) ==
					   0))
		id++;
	if (id == N_OPTIONS)
		return unknown_option(name, len, err);
	bool wants = option_rows[id].value != NULL;
	if (!wants && equals)
		return usage(err, "--%s takes no value", option_rows[id].name);
	if (wants && !equals && *i + 1 == argc)
		return usage(err, "--%s needs a value: --%s %s",
			     option_rows[id].name, option_rows[id].name,
			     option_rows[id].value);
	return set_option(o, id,
			  !wants ? NULL :
			  equals ? equals + 1 :
				   argv[++*i],
			  err);
}

// short_options reads one word of letters: -q, -qv, -n5, -n 5.
static enum hc short_options(struct options *o, int *i, int argc, char **argv,
			     struct hc_err *err)
{
	for (const char *s = argv[*i] + 1; *s; s++) {
		unsigned id = 0;
		while (id < N_OPTIONS && option_rows[id].letter != *s)
			id++;
		if (id == N_OPTIONS)
			return usage(err, "unknown option '-%c' (`heapcore "
				     "help` lists them)", *s);
		if (!option_rows[id].value) {
			HC_TRY(set_option(o, id, NULL, err));
			continue;
		}
		if (!s[1] && *i + 1 == argc)
			return usage(err, "-%c needs a value: -%c %s", *s, *s,
				     option_rows[id].value);
		return set_option(o, id, s[1] ? s + 1 : argv[++*i], err);
	}
	return HC_OK;
}

enum hc options_parse(int argc, char **argv, struct options *ret,
		      struct hc_err *err)
{
	struct options o = { 0 };
	bool only_words = false;
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i];
		if (!only_words && strcmp(word, "--") == 0) {
			only_words = true;
		} else if (!only_words && strncmp(word, "--", 2) == 0) {
			HC_TRY(long_option(&o, &i, argc, argv, err));
		} else if (!only_words && word[0] == '-' && word[1]) {
			HC_TRY(short_options(&o, &i, argc, argv, err));
		} else if (o.n_words == OPTIONS_MAX_WORDS) {
			return usage(err, "'%s' is one argument too many",
				     word);
		} else {
			o.words[o.n_words++] = word;
		}
	}
	*ret = o;
	return HC_OK;
}
