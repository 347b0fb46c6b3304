// goheap.c: the heap dump of Go's own debug.WriteHeapDump, "go1.7 heap dump".
//
// Contents of objects and frames are zeros but for the words that lead to
// objects: no values leave the core. The format has no types of objects.
// Source: runtime/heapdump.go of Go 1.21 to 1.27.
#include "libheap/dump/export.h"
#include "libheap/dump/wire.h"

#include "libcore/base/search.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 512

enum { TAG_EOF = 0, TAG_OBJECT = 1, TAG_OTHER_ROOT = 2, TAG_GOROUTINE = 4,
       TAG_FRAME = 5, TAG_PARAMS = 6, TAG_THREAD = 9, TAG_MEMSTATS = 10,
       TAG_DATA = 12, TAG_BSS = 13 };

enum { FIELD_END = 0, FIELD_POINTER = 1 };

// struct pointer is a word with its place: in an object or on a stack.
struct pointer {
	uint64_t offset; // in the slot; the address on a stack
	taddr target;
	uint32_t slot; // or owner
};

struct goheap {
	struct export *e;
	struct wire *w;
	unsigned word;
	struct { VEC(struct pointer); } found; // in one region
	struct { VEC(struct pointer); } stack; // of all owners, sorted
	taddr below;    // sp of the frame before
	uint32_t depth, owner;
	enum hc failed;
	struct edge_sink sink;
	taddr target[BATCH];
	struct edge_source source[BATCH];
};

static bool leads_to_live(const struct export *e, taddr target)
{
	struct heap_ref ref;
	return heap_find(e->heap, target, &ref) == HC_OK &&
	       heap_bit(e->live, &e->regions[ref.region], ref.slot);
}

static void on_batch(struct edge_sink *sink)
{
	struct goheap *g = sink->ctx;
	for (uint32_t i = 0; i < sink->n; i++) {
		if (!leads_to_live(g->e, g->target[i]))
			continue;
		struct pointer *p = vec_push(g->e->pool, &g->found);
		if (p)
			*p = (struct pointer){ g->source[i].offset,
					       g->target[i],
					       g->source[i].slot };
		g->e->nomem |= !p;
	}
	sink->n = 0;
}

static int by_place(const void *a, const void *b)
{
	const struct pointer *x = a, *y = b;
	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void text(struct goheap *g, const char *s)
{
	s = s ? s : "";
	wire_uleb(g->w, strlen(s));
	wire_text(g->w, s);
}

// contents writes len bytes that begin at base (an offset or address), all 0
// but for the pointers; fields writes the list of these.
static void contents(struct goheap *g, uint64_t base, uint64_t len,
		     const struct pointer *at, const struct pointer *end)
{
	uint64_t pos = 0;
	wire_uleb(g->w, len);
	for (const struct pointer *p = at; p < end; p++) {
		uint64_t off = p->offset - base;
		if (off < pos || off > len || g->word > len - off)
			continue;
		wire_zeros(g->w, off - pos);
		wire_bytes(g->w, &p->target, g->word);
		pos = off + g->word;
	}
	wire_zeros(g->w, len - pos);
}

static void fields(struct goheap *g, uint64_t base, uint64_t len,
		   const struct pointer *at, const struct pointer *end)
{
	for (; at < end; at++) {
		uint64_t off = at->offset - base;
		if (off > len || g->word > len - off)
			continue;
		wire_uleb(g->w, FIELD_POINTER);
		wire_uleb(g->w, off);
	}
	wire_uleb(g->w, FIELD_END);
}

static void write_region(struct goheap *g, uint32_t region)
{
	const struct heap_region *r = &g->e->regions[region];
	const struct pointer *at = g->found.at, *end = at + g->found.n;
	for (uint32_t w = 0; w < (r->n_slots + UINT64_C(63)) / 64; w++) {
		uint64_t bits = g->e->live[r->first_word + w];
		for (; bits && !g->w->failed; bits &= bits - 1) {
			uint32_t slot = 64 * w +
					(uint32_t)__builtin_ctzll(bits);
			const struct pointer *from = at;
			while (at < end && at->slot == slot)
				at++;
			wire_uleb(g->w, TAG_OBJECT);
			wire_uleb(g->w, r->base + slot * r->slot);
			contents(g, 0, r->slot, from, at);
			fields(g, 0, r->slot, from, at);
		}
	}
}

static void write_objects(struct goheap *g)
{
	struct export *e = g->e;
	g->sink = (struct edge_sink){ g->target, g->source, 0, BATCH, on_batch,
				      g };
	for (size_t i = 0; i < e->n_regions && !e->nomem; i++) {
		g->found.n = 0;
		heap_scan(e->heap, (uint32_t)i,
			  e->live + e->regions[i].first_word, &g->sink);
		on_batch(&g->sink);
		if (g->found.n)
			qsort(g->found.at, g->found.n, sizeof(*g->found.at),
			      by_place);
		write_region(g, (uint32_t)i);
	}
}

static void on_stack_root(void *ctx, const struct heap_root *root)
{
	struct goheap *g = ctx;
	if (root->owner == HEAP_NO_OWNER || !root->at ||
	    !leads_to_live(g->e, root->target))
		return;
	struct pointer *p = vec_push(g->e->pool, &g->stack);
	if (p)
		*p = (struct pointer){ root->at, root->target, root->owner };
	g->e->nomem |= !p;
}

static uint64_t stack_search(const struct goheap *g, uint32_t owner, taddr at)
{
	const struct pointer *p = g->stack.at;
	return search_while(i, g->stack.n,
			    p[i].slot < owner ||
				    (p[i].slot == owner && p[i].offset < at));
}

// on_frame writes the physical frames: an inlined call has no record.
static bool on_frame(void *ctx, const struct heap_frame *f)
{
	struct goheap *g = ctx;
	if (f->inlined)
		return true;
	uint64_t len = f->fp > f->sp ? f->fp - f->sp : 0;
	len = len < UINT64_C(1) << 30 ? len : 0;
	const struct pointer *from =
		g->stack.at + stack_search(g, g->owner, f->sp);
	const struct pointer *to =
		g->stack.at + stack_search(g, g->owner, f->sp + len);
	wire_uleb(g->w, TAG_FRAME);
	wire_uleb(g->w, f->sp);
	wire_uleb(g->w, g->depth++);
	wire_uleb(g->w, g->below);
	contents(g, f->sp, len, from, to);
	wire_uleb(g->w, f->pc);
	wire_uleb(g->w, f->pc);
	wire_uleb(g->w, 0);
	text(g, f->function);
	fields(g, f->sp, len, from, to);
	g->below = f->sp;
	return !g->w->failed;
}

// status_of is a goroutine's status as the runtime numbers it.
// Source: runtime/runtime2.go, _Gidle and following.
static uint64_t status_of(const char *status)
{
	static const char *const names[] = { "idle", "runnable", "running",
					     "syscall", "waiting" };
	for (uint64_t i = 0; status && i < 5; i++)
		if (strcmp(status, names[i]) == 0)
			return i;
	return 4;
}

static bool on_owner(void *ctx, const struct heap_owner *o)
{
	struct goheap *g = ctx;
	struct wire *w = g->w;
	wire_uleb(w, TAG_GOROUTINE);
	wire_uleb(w, o->stack_low); // stands for the address of its g
	wire_uleb(w, o->stack_high - o->stack_used);
	wire_uleb(w, o->id);
	wire_uleb(w, 0);
	wire_uleb(w, status_of(o->status));
	wire_uleb(w, o->system);
	wire_uleb(w, 0);
	wire_uleb(w, o->wait_ns);
	text(g, o->wait_reason);
	for (unsigned i = 0; i < 4; i++)
		wire_uleb(w, 0);
	g->depth = 0;
	g->below = 0;
	g->owner = o->index;
	g->e->reader->frames(g->e->self, o->index, on_frame, g);
	return !w->failed;
}

static void on_other_root(void *ctx, const struct heap_root *root)
{
	struct goheap *g = ctx;
	struct export *e = g->e;
	struct heap_root_text words = { 0 };
	bool on_stack = root->owner != HEAP_NO_OWNER && root->at;
	if (g->failed || on_stack || !leads_to_live(e, root->target))
		return;
	char *mark = pool_mark(e->names);
	g->failed = e->reader->root_text(e->self, root, e->names, &words,
					 e->err);
	wire_uleb(g->w, TAG_OTHER_ROOT);
	text(g, words.name);
	wire_uleb(g->w, root->target);
	pool_rewind(e->names, mark);
}

static void write_params(struct goheap *g)
{
	static const char *const arch[] = { [CORE_AMD64] = "amd64",
					    [CORE_ARM64] = "arm64",
					    [CORE_386] = "386" };
	const struct export *e = g->e;
	const struct heap_region *last = e->regions + e->n_regions - 1;
	struct heap_identity id = { 0 };
	if (e->reader->identity(e->self, &id, e->err))
		id.runtime = "";
	wire_text(g->w, "go1.7 heap dump\n");
	wire_uleb(g->w, TAG_PARAMS);
	wire_uleb(g->w, 0);
	wire_uleb(g->w, g->word);
	wire_uleb(g->w, e->n_regions ? e->regions[0].base : 0);
	wire_uleb(g->w, e->n_regions ? last->base + last->slot * last->n_slots :
				       0);
	text(g, arch[core_info(e->core)->arch]);
	text(g, id.runtime);
	wire_uleb(g->w, 1);
}

static void write_threads(struct goheap *g)
{
	size_t n;
	const struct core_thread *t = core_threads(g->e->core, &n);
	for (size_t i = 0; i < n; i++) {
		wire_uleb(g->w, TAG_THREAD);
		wire_uleb(g->w, 0);
		wire_uleb(g->w, i);
		wire_uleb(g->w, t[i].tid);
	}
}

// write_tail writes what is not known as empty: variables are named roots.
static void write_tail(struct goheap *g)
{
	struct export *e = g->e;
	struct heap_counters c = { 0 };
	uint64_t stats[24] = { 0 };
	if (e->reader->counters && e->reader->counters(e->self, &c, e->err))
		c = (struct heap_counters){ 0 };
	stats[0] = stats[6] = c.heap_alloc;
	stats[7] = c.heap_idle + c.heap_inuse;
	stats[8] = c.heap_idle;
	stats[9] = c.heap_inuse;
	stats[10] = c.heap_released;
	stats[11] = e->n_objects;
	stats[12] = c.stack_inuse;
	for (unsigned tag = TAG_DATA; tag <= TAG_BSS; tag++) {
		wire_uleb(g->w, tag);
		wire_uleb(g->w, 0);
		wire_uleb(g->w, 0);
		wire_uleb(g->w, FIELD_END);
	}
	wire_uleb(g->w, TAG_MEMSTATS);
	for (unsigned i = 0; i < 24; i++)
		wire_uleb(g->w, stats[i]);
	for (unsigned i = 0; i < 256 + 1; i++)
		wire_uleb(g->w, 0);
	wire_uleb(g->w, TAG_EOF);
}

static enum hc write_all(struct goheap *g)
{
	struct export *e = g->e;
	write_params(g);
	write_objects(g);
	if (e->nomem)
		return hc_nomem(e->err);
	e->reader->roots(e->self, on_stack_root, g);
	if (e->nomem)
		return hc_nomem(e->err);
	if (g->stack.n)
		qsort(g->stack.at, g->stack.n, sizeof(*g->stack.at), by_place);
	if (e->reader->owners && e->reader->frames)
		e->reader->owners(e->self, on_owner, g);
	write_threads(g);
	e->reader->roots(e->self, on_other_root, g);
	HC_TRY(g->failed);
	write_tail(g);
	return HC_OK;
}

enum hc dump_go(struct heap *heap, const struct dump_sink *sink,
		struct pool *pool, struct pool *names, struct hc_err *err)
{
	struct export e;
	struct goheap *g = pool_new(pool, struct goheap, 1);
	if (!g)
		return hc_nomem(err);
	HC_TRY(export_open(heap, NULL, pool, names, &e, err));
	HC_TRY(wire_open(sink, pool, &g->w, err));
	g->e = &e;
	g->word = core_info(e.core)->word;
	HC_TRY(write_all(g));
	return wire_close(g->w, err);
}
