// json.h: a strict reader of JSON for tests; it shares nothing with cli.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum value_kind { V_NULL, V_TRUE, V_FALSE, V_NUMBER, V_TEXT, V_ARRAY,
		  V_OBJECT };

// struct value is one value; children of arrays and objects are in a list.
// Owns: itself; most tests are short and let it be.
struct value {
	enum value_kind kind;
	char *key;  // in an object
	char *text; // of a number or a string, unescaped
	struct value *first, *last, *next;
	size_t n;
};

// json_read reads one value that fills the len bytes at text, or returns NULL
// and sets *ret_why and the place.
struct value *json_read(const char *text, size_t len, const char **ret_why,
			size_t *ret_at);

// json_free lets go of a value and all in it. A NULL is fine.
void json_free(struct value *v);
