// escape.h: names from outside made harmless for whoever will read them.
//
// A name out of a dead process may hold anything: terminal control sequences,
// quotes, markup, bytes that are no UTF-8. Each function below writes such a
// name so that its reader sees text and nothing else.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// enum escape_for says who will read the text.
enum escape_for {
	ESCAPE_TERMINAL, // one line on a terminal: `\x1b`, `\n`, `\u202e`
	ESCAPE_DOT,      // inside a double-quoted DOT string, as a label
	ESCAPE_XML,      // XML 1.0 or HTML, text or a double-quoted attribute
	ESCAPE_JSON,     // inside a JSON string; U+FFFD for what is no UTF-8
};

// ESCAPE_MAX is the most bytes that one input byte can become.
#define ESCAPE_MAX 8

// escape puts the escaped form of the first bytes of in into out, as much as
// fits, and returns how many bytes of in it took; *ret_len is what it wrote.
// Units:  all lengths are bytes. out_len is at least 4 * ESCAPE_MAX.
// Shape:  the output of a whole name is valid UTF-8 without control
//         characters; it takes at least one byte of a non-empty in, and never
//         parts a character.
// Source: RFC 3629 for UTF-8; RFC 8259 section 7 for JSON; XML 1.0 section
//         2.2 for characters that no XML may hold; DOT's escString.
size_t escape(enum escape_for who, const char *in, size_t len, char *out,
	      size_t out_len, size_t *ret_len);

// utf8_take decodes the first character of in and returns how many bytes it
// has, or 0 when they are no UTF-8 (overlong, surrogate, past U+10FFFF, cut).
size_t utf8_take(const char *in, size_t len, uint32_t *ret);
