// reader.c: what only the runtime's own types tell, as its reader finds it.
#include "libheap/heap.h"

// struct taking copies what the reader says.
struct taking {
	struct heap_suspects *s;
	bool full;
};

static void take(void *ctx, const struct heap_reader_suspect *from)
{
	struct taking *t = ctx;
	struct heap_suspect *to = suspects_add(t->s, from->kind, from->bytes,
					       from->count);
	if (!to) {
		t->full = true;
		return;
	}
	to->text = pool_printf(t->s->pool, "%s", from->text);
	t->full |= !to->text;
	to->has_keeper = from->has_object &&
			 heap_keeper_of(t->s->retained, from->object,
					&to->keeper) == HC_OK;
}

enum hc suspects_reader(struct heap_suspects *s, struct hc_err *err)
{
	struct taking t = { .s = s };
	const struct heap_reader *reader = heap_reader_of(s->heap);
	if (!reader->suspects)
		return HC_OK;
	reader->suspects(heap_self(s->heap), s->least, take, &t);
	return t.full ? hc_nomem(err) : HC_OK;
}
