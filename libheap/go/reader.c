// reader.c: the Go reader as heap_open sees it: its parts, in order.
#include "libheap/go/go.h"

#include "libheap/go/values/allocs.h"
#include "libheap/go/heap/arenas.h"
#include "libheap/go/memory/counters.h"
#include "libheap/go/heap/edges.h"
#include "libheap/go/memory/facts.h"
#include "libheap/go/values/fields.h"
#include "libheap/go/stacks/goroutines.h"
#include "libheap/go/roots/holder.h"
#include "libheap/go/memory/memtree.h"
#include "libheap/go/roots/roots.h"
#include "libheap/go/suspects/suspects.h"
#include "libheap/go/stacks/threads.h"
#include "libheap/go/values/partlabel.h"
#include "libheap/go/values/typetext.h"
#include "libheap/go/verify/verify.h"

static enum hc reader_probe(const struct core *core, struct hc_err *err)
{
	(void)err;
	return go_probe(core);
}

static void reader_close(void *self)
{
	struct go_process *p = self;
	go_types_close(p->types);
	go_edges_close(p);
	go_threads_done(p);
	go_discover_done(p);
}

// open_parts fills the process, part by part.
static enum hc open_parts(struct go_process *p, struct hc_err *err)
{
	HC_TRY(go_discover(p, err));
	go_phase(p, "find the runtime", p->n_modules, "modules");
	HC_TRY(go_arenas_read(p, err));
	HC_TRY(go_spans_read(p, err));
	go_phase(p, "read the spans", p->spans->n, "spans");
	HC_TRY(go_edges_open(p, err));
	HC_TRY(go_threads_find(p, err));
	go_phase(p, "find threads and pointer maps", p->spans->n, "spans");
	return HC_OK;
}

static enum hc reader_open(struct core *core,
			   const struct heap_options *options,
			   struct pool *pool, struct heap *heap,
			   void **ret_self, struct hc_err *err)
{
	struct go_process *p = pool_new(pool, struct go_process, 1);
	if (!p)
		return hc_nomem(err);
	p->core = core;
	p->pool = pool;
	p->heap = heap;
	p->findings = core_findings(core);
	p->options = options;
	enum hc got = open_parts(p, err);
	if (got) {
		reader_close(p);
		return got;
	}
	*ret_self = p;
	return HC_OK;
}

static void reader_edges(void *self, uint32_t region, const uint64_t *slots,
			 struct edge_sink *sink)
{
	go_edges(self, region, slots, sink);
}

static void reader_prefetch(void *self, uint32_t region)
{
	go_edges_prefetch(self, region);
}

static void reader_roots(void *self, heap_root_fn *fn, void *ctx)
{
	go_roots(self, fn, ctx);
}

static enum hc reader_root_text(void *self, const struct heap_root *root,
				struct pool *pool, struct heap_root_text *ret,
				struct hc_err *err)
{
	return go_root_text(self, root, pool, ret, err);
}

static uint64_t reader_holder(void *self, struct heap_root *root)
{
	return go_holder(self, root);
}

static void reader_weak(void *self,
			void (*fn)(void *ctx, taddr at, taddr target),
			void *ctx)
{
	go_weak(self, fn, ctx);
}

static enum hc reader_identity(void *self, struct heap_identity *ret,
			       struct hc_err *err)
{
	struct go_process *p = self;
	struct heap_identity id = { .runtime = p->version.text,
				    .layouts = p->layout.source };
	(void)err;
	go_crash_text(p, &id.crash);
	id.n_owners = go_owner_count(p);
	*ret = id;
	return HC_OK;
}

static void reader_facts(void *self, heap_fact_fn *fn, void *ctx)
{
	go_facts(self, fn, ctx);
}

static enum hc reader_counters(void *self, struct heap_counters *ret,
			       struct hc_err *err)
{
	return go_counters(self, ret, err);
}

static enum hc reader_memory(void *self, bool marked, struct pool *pool,
			     struct mem_tree *ret, struct hc_err *err)
{
	if (marked)
		go_edges_report(self);
	return go_memory(self, marked, pool, ret, err);
}

static void reader_owners(void *self, heap_owner_fn *fn, void *ctx)
{
	go_owners(self, fn, ctx);
}

static void reader_frames(void *self, uint32_t owner, heap_frame_fn *fn,
			  void *ctx)
{
	go_frames(self, owner, fn, ctx);
}

static const char *reader_use(void *self, taddr at, uint64_t len)
{
	return go_memory_use(self, at, len);
}

static const char *reader_symbol(void *self, taddr at, struct pool *pool)
{
	struct go_process *p = self;
	struct go_func fn;
	if (go_func_at(p, at, &fn))
		return NULL;
	return fn.entry == at ? fn.name :
				pool_printf(pool, "%s+0x%" PRIx64, fn.name,
					    at - fn.entry);
}

static enum hc reader_type_objects(void *self, const struct heap_types *types,
				   struct hc_err *err)
{
	return go_type_objects(self, types, err);
}

static uint32_t reader_type_count(void *self)
{
	struct go_process *p = self;
	return p->types ? 2 * go_type_count(p->types) : 1;
}

static enum hc reader_type_text(void *self, uint32_t type, struct pool *pool,
				struct heap_type_text *ret, struct hc_err *err)
{
	return go_type_text(self, type, pool, ret, err);
}

static const char *reader_object_type(void *self, struct heap_ref ref,
				      struct pool *pool)
{
	return go_object_type(self, ref, pool);
}

static const char *reader_label(void *self, struct heap_ref ref,
				uint64_t offset, struct pool *pool)
{
	return go_label(self, ref, offset, false, pool);
}

static const char *reader_key_label(void *self, struct heap_ref ref,
				    uint64_t offset, struct pool *pool)
{
	return go_label(self, ref, offset, true, pool);
}

static void reader_fields(void *self, struct heap_ref ref, heap_field_fn *fn,
			  void *ctx)
{
	go_fields(self, ref, fn, ctx);
}

static void reader_globals(void *self, heap_global_fn *fn, void *ctx)
{
	go_global_variables(self, fn, ctx);
}

static void reader_verify(void *self, struct findings *out)
{
	go_verify(self, out);
}

static enum hc reader_profile(void *self, struct heap_profile *ret,
			      struct hc_err *err)
{
	return go_profile(self, ret, err);
}

static void reader_alloc_sites(void *self, heap_alloc_site_fn *fn, void *ctx)
{
	go_alloc_sites(self, fn, ctx);
}

static void reader_sampled(void *self,
			   void (*fn)(void *ctx, taddr object, taddr site),
			   void *ctx)
{
	go_sampled(self, fn, ctx);
}

static void reader_suspects(void *self, uint64_t least, heap_suspect_fn *fn,
			    void *ctx)
{
	go_suspects(self, least, fn, ctx);
}

const struct heap_reader go_reader = {
	.name = "go",
	.probe = reader_probe,
	.open = reader_open,
	.close = reader_close,
	.edges = reader_edges,
	.prefetch = reader_prefetch,
	.roots = reader_roots,
	.root_text = reader_root_text,
	.holder = reader_holder,
	.weak = reader_weak,
	.identity = reader_identity,
	.facts = reader_facts,
	.counters = reader_counters,
	.memory = reader_memory,
	.owners = reader_owners,
	.frames = reader_frames,
	.use = reader_use,
	.symbol = reader_symbol,
	.type_objects = reader_type_objects,
	.type_count = reader_type_count,
	.type_text = reader_type_text,
	.object_type = reader_object_type,
	.label = reader_label,
	.key_label = reader_key_label,
	.fields = reader_fields,
	.globals = reader_globals,
	.suspects = reader_suspects,
	.suspects_beside = true,
	.verify = reader_verify,
	.profile = reader_profile,
	.alloc_sites = reader_alloc_sites,
	.sampled = reader_sampled,
};
