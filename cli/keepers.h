// keepers.h: what keeps memory, in words: one keeper a line.
#pragma once

#include "cli/json.h"
#include "cli/session.h"

// keepers_open finds what is retained, of garbage with --garbage, and says
// which smaller command still answers when the memory does not allow it.
HC_MUST enum hc keepers_open(struct session *s, struct heap_retained **ret);

// keeper_text writes what a keeper is ("global main.cache", "0xc000012000
// main.Node"), without a line end. Fails: as the reader's root_text.
HC_MUST enum hc keeper_text(struct session *s, const struct heap_keeper *k);

// keeper_json writes {"kind", "name", "object", "type", "bytes",
// "retained_bytes", "retained_objects"} under a key or in an array (NULL).
// Fails: as the reader's root_text.
HC_MUST enum hc keeper_json(struct json *j, const char *key, struct session *s,
			    const struct heap_keeper *k);

// keeper_numbers writes the columns before keeper_text: objects, bytes that
// are retained, their share of whole.
void keeper_numbers(struct out *out, uint64_t objects, uint64_t bytes,
		    uint64_t whole);
