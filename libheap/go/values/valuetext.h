// valuetext.h: a line of text about a value, and how Go writes numbers and
// strings on it.
#pragma once

#include "libcore/core.h"

#define GO_TEXT_LEN 400u   // bytes of a value's text
#define GO_STRING_LEN 96u  // of one string in it

// struct go_text is a line as far as it is written; what does not fit is cut
// off. Shape: text has no NUL at its end.
struct go_text {
	char text[GO_TEXT_LEN + 64];
	size_t len;
	bool cut;
};

// go_text_put and go_text_printf add text.
void go_text_put(struct go_text *l, const char *text, size_t len);
__attribute__((format(printf, 2, 3))) void go_text_printf(struct go_text *l,
							  const char *fmt,
							  ...);

// go_text_quoted adds len bytes as a Go string literal, cut to GO_STRING_LEN:
// no more of them are read.
void go_text_quoted(struct go_text *l, const uint8_t *s, uint64_t len);

// go_text_number adds the value at mem of a kind (enum go_kind) that is one or
// two numbers, and returns false for the others.
bool go_text_number(struct go_text *l, uint8_t kind, const uint8_t *mem);
