// specials.c: see specials.h.
#include "libheap/go/heap/specials.h"

#include "libheap/go/heap/chain.h"

static bool take(struct go_process *process, const struct go_span *span,
		 taddr at, struct go_special *ret, taddr *ret_next)
{
	struct go_record record;

	if (go_record_view(process, at, S_special, &record, NULL))
		return false;
	*ret = (struct go_special){
		.at = at,
		.span = span,
		.offset = go_rec(process, record, F_special_offset),
		.kind = (uint8_t)go_rec(process, record, F_special_kind),
	};
	*ret_next = go_rec(process, record, F_special_next);
	if (span->elemsize == 0 || ret->offset >= go_span_len(span) ||
	    ret->offset / span->elemsize >= span->nelems)
		return false;
	ret->object = (uint32_t)(ret->offset / span->elemsize);
	return true;
}

static void each_of_span(struct go_process *process,
			 const struct go_span *span,
			 void (*fn)(void *ctx,
				    const struct go_special *special),
			 void *ctx)
{
	struct go_chain chain = { 0 };
	taddr at = span->specials;

	while (go_chain_on(&chain, at)) {
		struct go_special special;
		taddr next;

		if (!take(process, span, at, &special, &next))
			break;
		fn(ctx, &special);
		at = next;
	}
	if (at != 0)
		findings_add(process->findings, "bad special", at,
			     "the list of specials of the span at 0x%" PRIx64
			     " is damaged", span->base);
}

void go_specials_each(struct go_process *process,
		      void (*fn)(void *ctx, const struct go_special *special),
		      void *ctx)
{
	size_t i;

	for (i = 0; i < process->spans->n; i++)
		if (process->spans->at[i].state == GO_SPAN_HEAP &&
		    process->spans->at[i].specials != 0)
			each_of_span(process, &process->spans->at[i], fn,
				     ctx);
}
