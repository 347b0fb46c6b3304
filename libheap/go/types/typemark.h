// typemark.h: marking on the way. What is typed is followed anyway, so while
// marking goes on (see heap_marking) the objects that are known to live mark
// what they point to:
//
//	pointers of the type == the collector's --> claims that mark as well
//	else: the collector's pointers become claims of no type, and then the
//	      type's are claimed as ever
//
// Objects that are reached but get no type keep their `pending` bit; the marker
// takes them in the end.
#pragma once

#include "libheap/go/types/typing.h"

// go_typemark_open gets what the rest needs, for n regions, and takes over what
// was marked before.
bool go_typemark_open(struct go_typing *t, size_t n);

// go_typemark_close hands back what was marked.
void go_typemark_close(struct go_typing *t);

// go_typemark_mask returns the pointer mask of n values of a type, 0 when the
// collector's may be another even if it looks the same.
uint64_t go_typemark_mask(const struct go_brief *b, uint64_t n);

// go_typemark_words marks what the words of a mask point to, of the object at
// mem: a live one that has those pointers.
void go_typemark_words(struct go_typing *t, const uint8_t *mem, uint64_t mask);

// go_typemark_object marks what an object points to, if it lives and did not do
// so yet.
void go_typemark_object(struct go_typing *t, uint32_t region, uint32_t word,
			uint32_t bit);

// go_typemark_late does so for the objects of a word that were scanned before
// they were known to live: not those of bits, which are about to be.
void go_typemark_late(struct go_typing *t, uint32_t region, uint32_t word,
		      uint64_t bits);
