// read.c: a file in our own format as heap_open sees it.
#include "libheap/dump/read.h"

#include "libcore/base/search.h"

#define FACTS_MAX 20000u // Go programs have as many as modules

static enum hc reader_probe(const struct core *core, struct hc_err *err)
{
	(void)err;
	return core_origin(core) ? HC_OK : HC_NONE;
}

static enum hc reader_open(struct core *core,
			   const struct heap_options *options,
			   struct pool *pool, struct heap *heap,
			   void **ret_self, struct hc_err *err)
{
	struct dump *d = (struct dump *)(uintptr_t)core_origin(core);
	(void)options;
	HC_TRY(read_identity(d, err));
	HC_TRY(read_regions(d, heap, err));
	HC_TRY(pool_open((uint64_t)(pool->end - pool->next) + 1, &d->late,
			 err));
	pthread_mutex_init(&d->lock, NULL);
	*ret_self = d;
	return HC_OK;
}

static void reader_close(void *self)
{
	struct dump *d = self;
	pthread_mutex_destroy(&d->lock);
	pool_close(&d->late);
	unpack_close(&d->file);
}

static void reader_edges(void *self, uint32_t region, const uint64_t *slots,
			 struct edge_sink *sink)
{
	read_edges(self, region, slots, sink);
}

// note makes a finding of what a function that cannot fail could not read.
static bool note(struct dump *d, enum hc got, const struct hc_err *err)
{
	if (got)
		findings_add_err(core_findings(d->core), "bad dump", err);
	return got == HC_OK;
}

static void reader_roots(void *self, heap_root_fn *fn, void *ctx)
{
	struct dump *d = self;
	struct hc_err err = { 0 };
	if (!note(d, read_roots(d, &err), &err))
		return;
	for (uint64_t i = 0; i < d->roots.n; i++)
		fn(ctx, &d->roots.at[i].root);
}

static enum hc reader_root_text(void *self, const struct heap_root *root,
				struct pool *pool, struct heap_root_text *ret,
				struct hc_err *err)
{
	struct dump *d = self;
	(void)pool;
	uint64_t i = root->detail & ~DUMP_WHOLE;
	if (i >= d->roots.n)
		return hc_fail(err, HC_CORRUPT, root->at,
			       "not a root of this dump");
	*ret = root->detail & DUMP_WHOLE ? d->roots.at[i].whole_text :
					   d->roots.at[i].text;
	return HC_OK;
}

// reader_holder does what the graph does without one where the reader of the
// core had none.
static uint64_t reader_holder(void *self, struct heap_root *root)
{
	struct dump *d = self;
	uint64_t i = root->detail;
	if (i < d->roots.n && d->roots.at[i].has_whole) {
		*root = d->roots.at[i].whole;
		return d->roots.at[i].number;
	}
	if (root->owner != HEAP_NO_OWNER)
		return root->owner;
	return root->at ? root->at : ~root->target;
}

static enum hc reader_mark(void *self, uint64_t *live, struct hc_err *err)
{
	return read_live(self, live, err);
}

static void reader_weak(void *self,
			void (*fn)(void *ctx, taddr at, taddr target),
			void *ctx)
{
	struct dump *d = self;
	struct fields f;
	struct hc_err err = { 0 };
	if (note(d, fields_open(d, DUMP_WEAK, d->pool, &f, &err), &err)) {
		while (fields_u(&f) && !f.failed) {
			taddr at = fields_u(&f), target = fields_u(&f);
			if (!f.failed)
				fn(ctx, at, target);
		}
		(void)note(d, fields_end(&f, &err), &err);
	}
}

static enum hc reader_identity(void *self, struct heap_identity *ret,
			       struct hc_err *err)
{
	struct dump *d = self;
	(void)err;
	*ret = d->identity;
	return HC_OK;
}

static void reader_facts(void *self, heap_fact_fn *fn, void *ctx)
{
	struct dump *d = self;
	struct fields f;
	uint64_t kind, n = 0;
	struct hc_err err = { 0 };
	if (!note(d, fields_open(d, DUMP_FACTS, d->pool, &f, &err), &err))
		return;
	while ((kind = fields_u(&f)) && !f.failed) {
		if (n++ == FACTS_MAX)
			fields_bad(&f, "more facts than anybody writes");
		struct heap_fact fact = { .group = fields_text(&f) };
		fact.key = fields_text(&f);
		fact.text = fields_text(&f);
		fact.number = fields_u(&f);
		if (kind > 1 + FACT_ADDRESS || !fact.group || !fact.key)
			fields_bad(&f, "a fact of no kind");
		fact.kind = (enum heap_fact_kind)(kind - 1);
		if (!f.failed)
			fn(ctx, &fact);
	}
	(void)note(d, fields_end(&f, &err), &err);
}

static enum hc reader_counters(void *self, struct heap_counters *ret,
			       struct hc_err *err)
{
	struct dump *d = self;
	(void)err;
	*ret = d->counters;
	return HC_OK;
}

static enum hc reader_memory(void *self, bool marked, struct pool *pool,
			     struct mem_tree *ret, struct hc_err *err)
{
	struct dump *d = self;
	(void)marked;
	(void)pool;
	(void)err;
	*ret = d->memory;
	return HC_OK;
}

static void reader_owners(void *self, heap_owner_fn *fn, void *ctx)
{
	struct dump *d = self;
	struct hc_err err = { 0 };
	bool more = note(d, read_owners(d, &err), &err);
	for (uint64_t i = 0; more && i < d->owners.n; i++)
		more = fn(ctx, &d->owners.at[i].owner);
}

static const struct dump_owner *owner_of(struct dump *d, uint32_t index)
{
	const struct dump_owner *o = d->owners.at;
	uint64_t i = search_while(k, d->owners.n,
				  o[d->by_index[k]].owner.index < index);
	if (i == d->owners.n || o[d->by_index[i]].owner.index != index)
		return NULL;
	return &o[d->by_index[i]];
}

static void reader_frames(void *self, uint32_t owner, heap_frame_fn *fn,
			  void *ctx)
{
	uint64_t kind;
	struct dump *d = self;
	struct hc_err err = { 0 };
	if (!note(d, read_owners(d, &err), &err))
		return;
	const struct dump_owner *o = owner_of(d, owner);
	struct fields f = { .dump = d, .section = DUMP_OWNERS };
	if (!o || bytes_sub(d->frames, o->frames, d->frames.len - o->frames,
			    &f.at, NULL))
		return;
	taddr sp = o->owner.stack_low;
	while ((kind = fields_u(&f)) && !f.failed) {
		struct heap_frame frame;
		read_frame(&f, kind, &sp, &frame);
		if (f.failed || !fn(ctx, &frame))
			return;
	}
}

static const char *reader_use(void *self, taddr at, uint64_t len)
{
	size_t n;
	struct dump *d = self;
	const struct core_segment *s = core_segments(d->core, &n);
	(void)len;
	for (size_t i = 0; i < n; i++)
		if (at >= s[i].base && at - s[i].base < s[i].len)
			return d->uses[i];
	return NULL;
}

static const char *reader_symbol(void *self, taddr at, struct pool *pool)
{
	size_t n;
	struct dump *d = self;
	const struct core_thread *t = core_threads(d->core, &n);
	(void)pool;
	for (size_t i = 0; i < n; i++)
		if (t[i].pc == at)
			return d->symbols[i];
	return NULL;
}

static enum hc reader_type_objects(void *self, const struct heap_types *types,
				   struct hc_err *err)
{
	return read_objects(self, types->of, err);
}

static uint32_t reader_type_count(void *self)
{
	struct dump *d = self;
	return d->n_types ? d->n_types : 1;
}

static enum hc reader_type_text(void *self, uint32_t type, struct pool *pool,
				struct heap_type_text *ret, struct hc_err *err)
{
	struct dump *d = self;
	(void)pool;
	(void)err;
	*ret = (struct heap_type_text){ "unknown", "" };
	if (type >= d->n_types || !d->type_at || !d->type_at[type])
		return HC_OK;
	const struct dump_type *t = &d->types.at[d->type_at[type] - 1];
	if (t->name)
		ret->name = t->name;
	if (t->package)
		ret->package = t->package;
	return HC_OK;
}

static const char *reader_object_type(void *self, struct heap_ref ref,
				      struct pool *pool)
{
	(void)pool;
	return read_object_type(self, ref);
}

static const char *reader_label(void *self, struct heap_ref ref,
				uint64_t offset, struct pool *pool)
{
	return read_label(self, ref, offset, pool);
}

static void reader_globals(void *self, heap_global_fn *fn, void *ctx)
{
	struct dump *d = self;
	struct fields f;
	struct hc_err err = { 0 };
	if (!note(d, fields_open(d, DUMP_GLOBALS, d->pool, &f, &err), &err))
		return;
	while (fields_u(&f) && !f.failed) {
		struct heap_global g = { .name = fields_text(&f) };
		g.type = fields_text(&f);
		g.at = fields_u(&f);
		g.size = fields_u(&f);
		if (f.failed || !fn(ctx, &g))
			return;
	}
	(void)note(d, fields_end(&f, &err), &err);
}

static enum hc reader_profile(void *self, struct heap_profile *ret,
			      struct hc_err *err)
{
	struct dump *d = self;
	HC_TRY(read_profile(d, err));
	*ret = d->profile;
	return HC_OK;
}

static void reader_alloc_sites(void *self, heap_alloc_site_fn *fn, void *ctx)
{
	struct dump *d = self;
	bool more = read_profile(d, NULL) == HC_OK;
	for (uint64_t i = 0; more && i < d->sites.n; i++)
		more = fn(ctx, &d->sites.at[i]);
}

static void reader_sampled(void *self,
			   void (*fn)(void *ctx, taddr object, taddr site),
			   void *ctx)
{
	struct dump *d = self;
	if (read_profile(d, NULL))
		return;
	for (uint64_t i = 0; i < d->sampled.n; i++)
		fn(ctx, d->sampled.at[i].at, d->sampled.at[i].target);
}

static void reader_suspects(void *self, uint64_t least, heap_suspect_fn *fn,
			    void *ctx)
{
	struct dump *d = self;
	struct hc_err err = { 0 };
	(void)note(d, read_suspects(d, least, fn, ctx, &err), &err);
}

const struct heap_reader dump_reader = {
	.name = "heap-dump",
	.probe = reader_probe,
	.open = reader_open,
	.close = reader_close,
	.edges = reader_edges,
	.roots = reader_roots,
	.root_text = reader_root_text,
	.holder = reader_holder,
	.mark = reader_mark,
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
	.globals = reader_globals,
	.suspects = reader_suspects,
	.profile = reader_profile,
	.alloc_sites = reader_alloc_sites,
	.sampled = reader_sampled,
};
