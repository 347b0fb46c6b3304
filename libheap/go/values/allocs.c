// allocs.c: see allocs.h.
//
// A bucket is {next, allnext, typ, hash, size, nstk}, nstk return addresses,
// and a record: the published counts ("active") and three cycles that are not
// published yet. Each has allocs and frees, and up to Go 1.26 their bytes.
#include "libheap/go/values/allocs.h"

#include "libheap/go/heap/chain.h"
#include "libheap/go/heap/specials.h"

#define BUCKET_HEADER 48u
#define STACK_MAX 4096u  // debug.profstackdepth is at most 1,024
#define FRAMES_MAX 8192u // with inlined calls
#define LINES_MAX 64u    // logical frames at one pc
#define CYCLES 3u        // memRecord.future

enum hc go_profile(struct go_process *process, struct heap_profile *ret,
		   struct hc_err *err)
{
	// The linker keeps a profile only for programs that read it.
	static const char *const readers[] = {
		"runtime.MemProfile", "runtime.memProfileInternal",
		"runtime.pprof_memProfileInternal",
	};
	enum { N_READERS = sizeof(readers) / sizeof(*readers) };
	struct go_func fn[N_READERS] = { 0 };
	uint64_t rate = 0;
	taddr at = process->globals.at[G_MemProfileRate];
	struct heap_profile p = { 0 };

	if (at)
		HC_TRY(core_u64(process->core, at, &rate, err));
	go_funcs_named(process, readers, N_READERS, fn);
	for (unsigned i = 0; i < N_READERS; i++)
		p.compiled_in |= fn[i].record != NULL;
	p.rate = rate > INT64_MAX ? 0 : rate;
	*ret = p;
	return HC_OK;
}

// add_frames appends the innermost logical frame at a return address, or all.
// An inlined call's caller has an address of its own in the list, but for the
// outermost address, where the list may have been cut.
// Source: Go runtime/traceback.go, gentraceback (1.18 to 1.20) and
// tracebackPCs (1.21 to 1.27); symtab.go, expandFinalStack.
static uint32_t add_frames(const struct go_process *process, taddr pc, bool all,
			   struct heap_frame *to, uint32_t room)
{
	struct go_line line[LINES_MAX];
	struct go_func fn;
	uint32_t n = 0;
	if (!pc || go_func_at(process, pc - 1, &fn))
		return 0;
	unsigned n_lines = go_lines(process, &fn, pc - 1, line, LINES_MAX);
	if (!all && n_lines > 1)
		n_lines = 1;
	for (unsigned i = 0; i < n_lines && n < room; i++)
		to[n++] = (struct heap_frame){ .function = line[i].function,
					       .file = line[i].file,
					       .line = line[i].line,
					       .pc = pc,
					       .inlined = line[i].inlined };
	return n;
}

// struct counts is one memRecordCycle.
struct counts {
	uint64_t allocs, frees, alloc_bytes, free_bytes;
};

// counts_read reads a memRecordCycle of `words` words.
static struct counts counts_read(const uint8_t *at, unsigned words,
				 uint64_t size)
{
	struct counts c = { get_u64(at), get_u64(at + 8), 0, 0 };
	if (words == 4) {
		c.alloc_bytes = get_u64(at + 16);
		c.free_bytes = get_u64(at + 24);
	} else {
		c.alloc_bytes = c.allocs * size;
		c.free_bytes = c.frees * size;
	}
	return c;
}

// site_tell hands out one bucket, whose bytes are at v.
static bool site_tell(const struct go_process *process, const uint8_t *v,
		      taddr at, uint64_t nstk, struct heap_frame *frames,
		      heap_alloc_site_fn *fn, void *ctx)
{
	unsigned words = process->version.minor >= 27 ? 2 : 4;
	const uint8_t *record = v + BUCKET_HEADER + 8 * nstk;
	uint64_t size = get_u64(v + 32);
	struct counts now = counts_read(record, words, size);
	struct heap_alloc_site site = {
		.at = at,
		.size = size,
		.alloc_objects = now.allocs,
		.alloc_bytes = now.alloc_bytes,
		.free_objects = now.frees,
		.free_bytes = now.free_bytes,
		.frames = frames,
	};
	for (unsigned i = 1; i <= CYCLES; i++) {
		struct counts later = counts_read(record + 8 * words * i,
						  words, size);
		site.pending_alloc_objects += later.allocs;
		site.pending_alloc_bytes += later.alloc_bytes;
		site.pending_free_objects += later.frees;
		site.pending_free_bytes += later.free_bytes;
	}
	uint32_t n = 0;
	for (uint64_t i = 0; i < nstk; i++)
		n += add_frames(process, get_u64(v + BUCKET_HEADER + 8 * i),
				i + 1 == nstk, frames + n, FRAMES_MAX - n);
	site.n_frames = n;
	return fn(ctx, &site);
}

void go_alloc_sites(struct go_process *process, heap_alloc_site_fn *fn,
		    void *ctx)
{
	struct go_chain chain = { 0 };
	char *mark = pool_mark(process->pool);
	struct heap_frame *frames =
		pool_new(process->pool, struct heap_frame, FRAMES_MAX);
	unsigned words = process->version.minor >= 27 ? 2 : 4;
	taddr at = process->globals.at[G_mbuckets];
	const uint8_t *v;

	if (!frames || !at || core_u64(process->core, at, &at, NULL))
		at = 0;
	while (go_chain_on(&chain, at)) {
		uint64_t nstk = 0;
		if (core_view(process->core, at, BUCKET_HEADER, &v, NULL) ||
		    (nstk = get_u64(v + 40)) > STACK_MAX ||
		    core_view(process->core, at,
			      BUCKET_HEADER + 8 * nstk +
				      8 * words * (1 + CYCLES),
			      &v, NULL)) {
			findings_add(process->findings, "bad bucket", at,
				     "the memory profile's list is damaged "
				     "here; the rest of it is not shown");
			break;
		}
		if (!site_tell(process, v, at, nstk, frames, fn, ctx))
			break;
		at = get_u64(v + 8);
	}
	pool_rewind(process->pool, mark);
}

struct sampled {
	struct go_process *process;
	void (*fn)(void *ctx, taddr object, taddr site);
	void *ctx;
};

static void sampled_special(void *ctx, const struct go_special *special)
{
	const struct sampled *s = ctx;
	uint64_t bucket;
	if (!go_special_is(s->process, special, C_KindSpecialProfile) ||
	    go_field(s->process, special->at, F_specialprofile_b, &bucket,
		     NULL))
		return;
	s->fn(s->ctx, special->span->base + special->offset, bucket);
}

void go_sampled(struct go_process *process,
		void (*fn)(void *ctx, taddr object, taddr site), void *ctx)
{
	struct sampled s = { process, fn, ctx };
	go_specials_each(process, sampled_special, &s);
}
