// verify.c: see verify.h.
#include "libheap/go/verify/verify.h"

#include <stdarg.h>
#include <stdio.h>

#define TOLD 20u // findings of one kind with a text each

void verify_note(struct go_verify *v, taddr at, const char *fmt, ...)
{
	char text[400];
	va_list args;

	if (v->n++ >= TOLD)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	findings_add(v->out, v->kind, at, "%s", text);
}

// part runs one part and says how much was left untold.
static void part(struct go_verify *v, const char *kind,
		 void (*run)(struct go_verify *v))
{
	v->kind = kind;
	v->n = 0;
	run(v);
	if (v->n > TOLD)
		findings_add(v->out, kind, 0, "%" PRIu64 " more of this kind",
			     v->n - TOLD);
}

bool verify_span(const struct go_verify *v, const struct go_span *s,
		 const uint8_t **ret)
{
	return core_view(v->process->core, s->at,
			 v->process->layout.size[S_mspan], ret, NULL) == HC_OK;
}

int32_t verify_sweep(const struct go_verify *v, const uint8_t *mspan)
{
	uint32_t gen = (uint32_t)go_get(&v->process->layout, mspan,
					F_mspan_sweepgen);
	return (int32_t)(gen - v->process->spans->sweepgen);
}

bool verify_is_new(const struct go_verify *v, const struct go_span *s,
		   uint32_t slot)
{
	const struct go_layout *l = &v->process->layout;
	const uint8_t *view;

	if (!verify_span(v, s, &view))
		return true;
	uint64_t free = go_get(l, view, F_mspan_freeindex);
	uint64_t seen = go_get(l, view, F_mspan_freeIndexForScan);
	return slot < free && (slot + 1 == free || slot >= seen);
}

void go_verify(struct go_process *process, struct findings *out)
{
	struct go_verify v = { .process = process, .out = out };

	part(&v, "collector", verify_collector);
	part(&v, "span fields", verify_fields);
	part(&v, "pages", verify_pages);
	part(&v, "allocation bits", verify_counts);
	part(&v, "pointer map", verify_maps);
	part(&v, "bad pointer", verify_pointers);
	part(&v, "goroutine", verify_threads);
}
