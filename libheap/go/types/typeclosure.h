// typeclosure.h: what a closure's object holds behind its code pointer.
#pragma once

#include "libheap/go/types/typing.h"

// go_typing_captured claims what the variables captured by the closure at mem
// (len bytes at address `at`, of GO_KIND_CLOSURE type id) point to. With the
// first closure of each function its fields are learned: from debug
// information (Go 1.23 on), from the receiver that a method value's name
// tells, from the only closure type of the program that has this pointer mask
// and whose parts are variables of the function, or from the only variable that
// the function shares with the one around it.
// Source: cmd/compile/internal/typecheck, ClosureType and MethodValueType;
//         DW_AT_go_closure_offset.
void go_typing_captured(struct go_typing *t, go_typeid id, const uint8_t *mem,
			taddr at, uint64_t len);

// go_typing_stack_closure looks for a closure that lies on a stack around the
// word at an address, and claims what that word points to. It returns whether
// something is known to be captured there.
bool go_typing_stack_closure(struct go_typing *t, taddr at);
