// counters.c: see counters.h.
#include "libheap/go/memory/counters.h"

#include "libheap/go/memory/freepages.h"
#include "libheap/go/memory/stacks.h"

// span_alloc returns the bytes of a heap span's allocated slots.
static uint64_t span_alloc(const struct go_process *process,
			   const struct go_span *s)
{
	size_t n;
	const struct heap_region *r =
		&heap_regions(process->heap, &n)[s->region];
	const uint64_t *alloc = heap_allocated(process->heap) + r->first_word;
	uint64_t objects = 0;
	for (uint64_t w = 0; w * 64 < s->nelems; w++)
		objects += (uint64_t)__builtin_popcountll(alloc[w]);
	return objects * s->elemsize;
}

enum hc go_counters(struct go_process *process, struct heap_counters *ret,
		    struct hc_err *err)
{
	const struct go_spans *spans = process->spans;
	struct heap_counters c = { 0 };
	struct go_free_pages pages = { 0 };
	struct claims work;
	struct hc_err why;
	char *mark = pool_mark(process->pool);

	for (size_t i = 0; i < spans->n; i++) {
		const struct go_span *s = &spans->at[i];
		if (s->state == GO_SPAN_MANUAL) {
			c.stack_inuse += go_span_len(s);
			continue;
		}
		c.heap_inuse += go_span_len(s);
		c.heap_alloc += span_alloc(process, s);
	}
	HC_TRY(go_work_spans_find(process, process->pool, &work, err));
	for (uint64_t i = 0; i < work.n; i++)
		c.stack_inuse -= work.at[i].len < c.stack_inuse ?
					 work.at[i].len :
					 c.stack_inuse;
	enum hc got = go_free_pages_read(process, process->pool, &pages, &why);
	if (got)
		findings_add_err(process->findings, "bad page bitmap", &why);
	for (uint64_t i = 0; i < pages.n; i++) {
		c.heap_idle += pages.at[i].len;
		if (pages.at[i].scavenged)
			c.heap_released += pages.at[i].len;
	}
	pool_rewind(process->pool, mark);
	*ret = c;
	return HC_OK;
}
