// typespecial.h: following what the runtime lays out by hand: maps, channels,
// closures.
#pragma once

#include "libheap/go/types/typing.h"

// go_typing_special claims what an object of special type id points to: its len
// bytes are at mem, at address `at`.
// Source: runtime/map.go hmap, bmap, mapextra (1.18–1.23);
//         internal/runtime/maps Map, table, group (1.24–1.27);
//         runtime/chan.go hchan (1.18–1.27).
void go_typing_special(struct go_typing *t, go_typeid id, const uint8_t *mem,
		       taddr at, uint64_t len);

// go_typing_closure claims an object as that of a func value: it is one if its
// first word is the code of a function.
void go_typing_closure(struct go_typing *t, taddr at);
