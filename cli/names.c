// names.c: see names.h.
#include "cli/names.h"

const char *name_address(struct session *s, taddr at)
{
	struct heap_ref ref;
	if (!s->heap)
		return NULL;
	if (heap_find(s->heap, at, &ref))
		return s->reader->symbol ?
			       s->reader->symbol(s->self, at, &s->scratch) :
			       NULL;
	taddr base = heap_ref_at(s->heap, ref);
	struct word size = word_size(heap_ref_size(s->heap, ref),
				     s->out->exact);
	if (at == base)
		return pool_printf(&s->scratch, "object of %s", size.at);
	return pool_printf(&s->scratch, "0x%" PRIx64 "+0x%" PRIx64 " (%s)", base,
			   at - base, size.at);
}

const char *name_use(struct session *s, taddr at, uint64_t len)
{
	if (!s->heap || !s->reader->use)
		return NULL;
	return s->reader->use(s->self, at, len);
}
