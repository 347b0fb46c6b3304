// specials.h: the records that hang on spans for single objects.
#pragma once

#include "libheap/go/heap/record.h"
#include "libheap/go/heap/spans.h"

// struct go_special is one of them.
// Shape: object is the slot's number in the span, offset the byte of the span
//        that it was set on.
struct go_special {
	taddr at;
	const struct go_span *span;
	uint64_t offset;
	uint32_t object;
	uint8_t kind; // _KindSpecial…, see constants.def
};

// go_specials_each calls fn for every special of every heap span, by address
// of span and then in list order. A broken list ends there, with a finding.
// Source: runtime/mheap.go, type special (1.18–1.27).
void go_specials_each(struct go_process *process,
		      void (*fn)(void *ctx, const struct go_special *special),
		      void *ctx);

// go_special_is says whether it is of the kind of that constant.
static inline bool go_special_is(const struct go_process *process,
				 const struct go_special *special,
				 enum go_const c)
{
	return process->layout.has_constant[c] &&
	       process->layout.constant[c] == special->kind;
}
