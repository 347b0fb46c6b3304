// mapiter.h: the entries of a Go map, old or Swiss, growing or not.
#pragma once

#include "libheap/go/types/types.h"

// struct go_map_entry is one entry. Owns: key and elem point into the core,
// as long as their types' sizes; elem_at is the elem's address.
struct go_map_entry {
	const uint8_t *key, *elem;
	taddr key_at, elem_at;
};
typedef bool go_map_fn(void *ctx, const struct go_map_entry *entry);

// go_map_each calls fn for every entry of the map of type `map` whose header
// is at an address, until fn returns false or about max groups or buckets have
// been looked at (those of a damaged map may have no end). It returns how many
// entries it met; what is damaged is left out.
// Source: runtime/map.go mapiternext, evacuated (1.18–1.23);
//         internal/runtime/maps/map.go, table.go Iter (1.24–1.27).
uint64_t go_map_each(struct go_types *types, go_typeid map, taddr header,
		     uint64_t max, go_map_fn *fn, void *ctx);

// go_map_len returns the number of entries the map says it has.
uint64_t go_map_len(struct go_types *types, taddr header);
