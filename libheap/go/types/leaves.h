// leaves.h: claims for objects without pointers, settled beside the others.
//
// Nothing is followed from an object in a HEAP_NOSCAN region, so nobody waits for
// the answer: claims for those go into letters, and a second thread, where there
// is a processor for it, settles them in the order in which they were made. It
// alone looks at those regions, so types are the same with it and without.
//
//	typing: claims --> objects with pointers --> visits ...
//	              '--> letters --> leaves
//
// A claim of a type without pointers for an object that has some comes back. It
// is settled when all letters are.
#pragma once

#include "libheap/go/types/typing.h"

enum {
	GO_LETTER = 8192, // claims from which on a letter is sent: waking a
			  // thread takes as long as settling some hundred
	GO_LETTERS = 8,   // under way
};

// struct go_letter is claims, with room for those of one value more.
struct go_letter {
	uint32_t n;
	taddr at[GO_LETTER + 2 * GO_STEPS];
	struct go_claim claim[GO_LETTER + 2 * GO_STEPS];
};

struct go_leaves;

// go_leaves_open makes t->leaves. Fails: NOMEM.
// Owns: go_leaves_close lets go of it; NULL is fine.
HC_MUST enum hc go_leaves_open(struct go_typing *t, struct hc_err *err);
void go_leaves_close(struct go_leaves *leaves);

// go_leaves_hold says whether the regions without pointers are the caller's to
// look at for now: then the second thread gets no letters. None may be under
// way.
void go_leaves_hold(struct go_leaves *leaves, bool hold);

// go_leaves_send hands over the open letter and opens the next.
void go_leaves_send(struct go_typing *t);

// go_leaves_put says what lies at an address, probably without pointers. The
// type's brief must have been made; it is none that takes a look at the bytes.
static inline void go_leaves_put(struct go_typing *t, taddr at,
				 struct go_claim claim)
{
	struct go_letter *letter = t->letter;
	letter->at[letter->n] = at;
	letter->claim[letter->n] = claim;
	letter->n += at != 0;
	if (letter->n >= GO_LETTER)
		go_leaves_send(t);
}

// go_leaves_settle waits until all claims so far are settled, and makes those
// anew that were for objects with pointers. It returns whether there were any.
bool go_leaves_settle(struct go_typing *t);
