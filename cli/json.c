// json.c: see json.h.
#include "cli/json.h"

#include "cli/commands.h"

#include <assert.h>

// item starts an item: comma, line break where a reader wants one, key.
static void item(struct json *j, const char *key)
{
	unsigned depth = j->depth;
	if (depth > 0 && j->has_item[depth - 1])
		out_text(j->out, ",");
	if (depth > 0 && depth <= 2 && !j->one_line) {
		out_text(j->out, "\n");
		out_pad(j->out, 2 * (size_t)depth);
	} else if (depth > 0 && j->has_item[depth - 1]) {
		out_text(j->out, " ");
	}
	if (depth > 0)
		j->has_item[depth - 1] = true;
	if (key) {
		out_text(j->out, "\"");
		out_escaped(j->out, ESCAPE_JSON, key);
		out_text(j->out, "\": ");
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	item(j, key);
	assert(j->depth < JSON_DEPTH);
	j->has_item[j->depth++] = false;
	out_bytes(j->out, &bracket, 1);
}

void json_close(struct json *j, char bracket)
{
	assert(j->depth > 0);
	bool had = j->has_item[--j->depth];
	if (had && j->depth < 2 && !j->one_line) {
		out_text(j->out, "\n");
		out_pad(j->out, 2 * (size_t)j->depth);
	}
	out_bytes(j->out, &bracket, 1);
}

void json_begin(struct json *j, struct out *out)
{
	*j = (struct json){ .out = out };
	json_open(j, NULL, '{');
	json_text(j, "heapcore", HEAPCORE_VERSION);
	json_u64(j, "schema", HEAPCORE_SCHEMA);
}

void json_end(struct json *j)
{
	json_close(j, '}');
	out_text(j->out, "\n");
}

void json_line_begin(struct json *j, struct out *out)
{
	*j = (struct json){ .out = out, .one_line = true };
	json_open(j, NULL, '{');
}

void json_line_end(struct json *j)
{
	json_end(j);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	item(j, key);
	out_u64(j->out, value);
}

void json_addr(struct json *j, const char *key, uint64_t at)
{
	item(j, key);
	out_text(j->out, "\"");
	out_addr(j->out, at);
	out_text(j->out, "\"");
}

void json_bool(struct json *j, const char *key, bool value)
{
	item(j, key);
	out_text(j->out, value ? "true" : "false");
}

void json_text(struct json *j, const char *key, const char *text)
{
	if (!text) {
		json_null(j, key);
		return;
	}
	item(j, key);
	out_text(j->out, "\"");
	out_escaped(j->out, ESCAPE_JSON, text);
	out_text(j->out, "\"");
}

void json_null(struct json *j, const char *key)
{
	item(j, key);
	out_text(j->out, "null");
}

void json_key(struct json *j, const char *key)
{
	item(j, key);
}
