// goal.h: how far every live object is from one of them, and the roots that
// reach it.
#pragma once

#include "libheap/number.h"

#define GOAL_NEVER UINT32_MAX

// struct lead is a root word that reaches the goal.
// Units: left counts the edges from object, which it points to, to the goal.
struct lead {
	struct heap_root root;
	struct heap_ref object;
	uint32_t left;
	uint64_t nth; // call of heap_reader.roots
};

// struct goal is the object asked for and what leads to it.
// Shape: left[number] counts the edges to it, GOAL_NEVER when there is no
//        way. Leads are sorted by left, then nth; no two are the same word.
// Owns:  the pool it was opened in.
struct goal {
	const struct heap *heap;
	struct heap_ref object;
	struct numbers numbers;
	uint32_t *left;
	struct { VEC(struct lead); } leads;
};

// goal_open finds all that, after heap_mark.
// Fails: NONE when the object is not live; LIMIT; NOMEM.
HC_MUST enum hc goal_open(const struct heap *heap, struct heap_ref object,
			  struct pool *pool, struct goal *ret,
			  struct hc_err *err);

// goal_left returns how many edges lead from the object that holds address at
// to the goal, and sets *ret to that object unless it is GOAL_NEVER.
uint32_t goal_left(const struct goal *goal, taddr at, struct heap_ref *ret);
