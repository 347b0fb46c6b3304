// specialroots.c: what finalizers, cleanups and weak handles keep alive.
//
// An object with a finalizer is not kept, but all that it points to is, since
// the finalizer will get it.
// Source: runtime/mgcmark.go, markrootSpans (1.18–1.27).
#include "libheap/go/heap/edges.h"
#include "libheap/go/roots/rootparts.h"
#include "libheap/go/roots/roots.h"
#include "libheap/go/heap/specials.h"

#define BATCH 256

struct special_roots {
	struct go_process *process;
	heap_root_fn *fn;
	void *ctx;
};

// What the sink needs to turn the object's words into roots.
struct finalized {
	struct special_roots *out;
	taddr object;
};

static void flush_finalized(struct edge_sink *sink)
{
	struct finalized *f = sink->ctx;
	uint32_t i;

	for (i = 0; i < sink->n; i++) {
		uint64_t off = sink->source[i].offset;

		f->out->fn(f->out->ctx,
			   &(struct heap_root){
				   .target = sink->target[i],
				   .at = f->object + off,
				   .kind = HEAP_ROOT_FINALIZER,
				   .owner = HEAP_NO_OWNER,
				   .detail = go_detail(GO_IN_FINALIZED, 0, 0),
			   });
	}
	sink->n = 0;
}

static void scan_finalized(struct special_roots *out,
			   const struct go_special *special)
{
	const struct go_span *span = special->span;
	taddr targets[BATCH];
	struct edge_source sources[BATCH];
	struct finalized f = { out, span->base + (uint64_t)special->object *
						 span->elemsize };
	struct edge_sink sink = { targets, sources, 0, BATCH, flush_finalized,
				  &f };

	if (span->noscan || span->region == UINT32_MAX)
		return;
	go_object_words(out->process, span->region, special->object, &sink);
	flush_finalized(&sink);
}

// put_word makes a root of the word of the special at byte off.
static void put_word(struct special_roots *out,
		     const struct go_special *special, uint64_t off,
		     enum heap_root_kind kind, enum go_place place,
		     uint32_t number)
{
	struct hc_err why;
	taddr value;

	if (core_ptr(out->process->core, special->at + off, &value, &why)) {
		findings_add_err(out->process->findings, "bad special", &why);
		return;
	}
	if (value != 0)
		out->fn(out->ctx, &(struct heap_root){
					  .target = value,
					  .at = special->at + off,
					  .kind = kind,
					  .owner = HEAP_NO_OWNER,
					  .detail = go_detail(place, 0,
							      number),
				  });
}

// A cleanup is a function (1.24, 1.25) or {call, fn, arg} (1.26 on).
static void scan_cleanup(struct special_roots *out,
			 const struct go_special *special)
{
	const struct go_layout *l = &out->process->layout;
	unsigned word = core_info(out->process->core)->word;
	uint32_t i, n = 1;
	uint64_t off;

	if (go_has(l, F_specialCleanup_cleanup)) {
		off = go_off(l, F_specialCleanup_cleanup);
		n = l->size[S_cleanupFn] / word;
	} else if (go_has(l, F_specialCleanup_fn)) {
		off = go_off(l, F_specialCleanup_fn);
	} else {
		return;
	}
	for (i = 0; i < n && i < 8; i++)
		put_word(out, special, off + (uint64_t)i * word,
			 HEAP_ROOT_CLEANUP, GO_IN_CLEANUP, i);
}

static void scan_special(void *ctx, const struct go_special *special)
{
	struct special_roots *out = ctx;
	const struct go_process *process = out->process;
	const struct go_layout *l = &process->layout;

	if (go_special_is(process, special, C_KindSpecialFinalizer)) {
		scan_finalized(out, special);
		put_word(out, special, go_off(l, F_specialfinalizer_fn),
			 HEAP_ROOT_FINALIZER, GO_IN_FINALIZER, 0);
	} else if (go_special_is(process, special, C_KindSpecialWeakHandle)) {
		put_word(out, special, go_off(l, F_specialWeakHandle_handle),
			 HEAP_ROOT_WEAK_HANDLE, GO_IN_WEAK, 0);
	} else if (go_special_is(process, special, C_KindSpecialCleanup)) {
		scan_cleanup(out, special);
	}
}

void go_special_roots(struct go_process *process, heap_root_fn *fn, void *ctx)
{
	struct special_roots out = { process, fn, ctx };

	go_specials_each(process, scan_special, &out);
}

struct weak {
	struct go_process *process;
	void (*fn)(void *ctx, taddr at, taddr target);
	void *ctx;
};

static void take_weak(void *ctx, const struct go_special *special)
{
	struct weak *weak = ctx;
	struct hc_err why;
	taddr handle;

	if (!go_special_is(weak->process, special, C_KindSpecialWeakHandle) ||
	    core_ptr(weak->process->core,
		     special->at + go_off(&weak->process->layout,
					  F_specialWeakHandle_handle),
		     &handle, &why) ||
	    handle == 0)
		return;
	weak->fn(weak->ctx, handle, special->span->base + special->offset);
}

void go_weak(struct go_process *process,
	     void (*fn)(void *ctx, taddr at, taddr target), void *ctx)
{
	struct weak weak = { process, fn, ctx };

	go_specials_each(process, take_weak, &weak);
}
