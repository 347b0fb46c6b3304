// object.h: all about one object, on its way to text or JSON.
#pragma once

#include "cli/session.h"

// struct object is what was found out before anything is printed.
// Shape: path has no steps when the object is not live.
struct object {
	struct heap_ref ref;
	struct heap_region region;
	bool live, unswept;
	struct heap_path path;
	struct heap_referrer *referrers;
	size_t n_referrers;
	uint64_t all_referrers;
};

// object_find fills *ret for the object that holds address at; at most max
// referrers are kept.
// Fails: NONE when there is no object; NOMEM.
HC_MUST enum hc object_find(struct session *s, taddr at, size_t max,
			    struct object *ret);

// object_references calls fn for each pointer of the object that leads to an
// object. Fails: NOMEM.
typedef void object_reference_fn(void *ctx, struct heap_ref from,
				 uint64_t offset, struct heap_ref to);
HC_MUST enum hc object_references(struct session *s, struct heap_ref ref,
				  object_reference_fn *fn, void *ctx);

// object_text and object_json write it. Fails: as path_text; NOMEM.
HC_MUST enum hc object_text(struct session *s, const struct object *o);
HC_MUST enum hc object_json(struct session *s, const struct object *o);

// referrers_json writes words that point to an object, as "referrers".
void referrers_json(struct json *j, struct session *s,
		    const struct heap_referrer *referrers, size_t n);

// no_object_text says that an address is in no object, and what is there.
void no_object_text(struct session *s, taddr at);
