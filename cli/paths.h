// paths.h: a path from a root to an object, in words.
#pragma once

#include "cli/session.h"

// path_text prints one path, a line a step; the middle of a very long one is
// left out and counted. Fails: as the reader's root_text.
HC_MUST enum hc path_text(struct session *s, const struct heap_path *path);

// path_json writes one path, whole. Fails: as the reader's root_text.
HC_MUST enum hc path_json(struct json *j, struct session *s,
			  const struct heap_path *path);

// root_json writes {"kind", "name", "owner", "function", "address"} under a
// key. Fails: as the reader's root_text.
HC_MUST enum hc root_json(struct json *j, const char *key, struct session *s,
			  const struct heap_root *root);
