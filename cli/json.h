// json.h: JSON written as it is found, never held.
#pragma once

#include "cli/out.h"

#define JSON_DEPTH 64

// struct json is one document being written.
// Shape: depth is how many objects and arrays are open; has_item says of each
//        whether the next item needs a comma.
struct json {
	struct out *out;
	unsigned depth;
	bool has_item[JSON_DEPTH];
	bool one_line; // no line breaks: for JSON Lines
};

// json_begin opens the document with "heapcore" and "schema"; json_end closes
// it with a line feed.
void json_begin(struct json *j, struct out *out);
void json_end(struct json *j);

// json_line_begin and json_line_end are the same for one line of JSON Lines,
// which has no header.
void json_line_begin(struct json *j, struct out *out);
void json_line_end(struct json *j);

// json_open and json_close write '{' or '[' and its partner; key is NULL
// inside an array.
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);

// json_u64, json_addr ("0x…"), json_bool, json_text (NULL becomes null) and
// json_null write one value; key is NULL inside an array. Keys may come from
// outside.
void json_u64(struct json *j, const char *key, uint64_t value);
void json_addr(struct json *j, const char *key, uint64_t at);
void json_bool(struct json *j, const char *key, bool value);
void json_text(struct json *j, const char *key, const char *text);
void json_null(struct json *j, const char *key);

// json_key writes a key alone, for a value that the caller writes.
void json_key(struct json *j, const char *key);
