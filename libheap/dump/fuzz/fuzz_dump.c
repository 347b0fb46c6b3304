// fuzz_dump.c: any sections as a dump whose sums are right, and every question
// asked. Input: a byte, the section; four, its length; that many bytes; again.
// The section MORE begins another snapshot in the same file; of several, all
// are written in a format of others, too.
#include "libcore/base/codec.h"
#include "libheap/dump/append.h"
#include "libheap/dump/pack.h"
#include "libheap/dump/read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define promise(claim)           \
	do {                     \
		if (!(claim))    \
			abort(); \
	} while (0)

enum { MORE = 255, SNAPSHOTS = 4 };

static volatile uint64_t sink;

static void touch(const char *text)
{
	for (; text && *text; text++)
		sink += (uint8_t)*text;
}

struct file {
	uint8_t *at;
	uint64_t len;
};

static enum hc to_file(void *ctx, const void *bytes, uint64_t len,
		       struct hc_err *err)
{
	struct file *f = ctx;
	(void)err;
	f->at = realloc(f->at, f->len + len + 1);
	memcpy(f->at + f->len, bytes, len);
	f->len += len;
	return HC_OK;
}

// more_snapshots ends a snapshot and begins one behind it.
static void more_snapshots(struct pack *p, struct dump_sink *to,
			   struct file *f, struct file *old, struct pool *pool)
{
	struct hc_err err;
	struct dump_base *base;
	struct dump_options options = { .threads = 1 };
	promise(pack_close(p, true, &err) == HC_OK);
	free(old->at);
	*old = *f;
	*f = (struct file){ 0 };
	struct bytes file = { old->at, old->len, 0 };
	// Strings that the input made up may not do to go on from.
	if (dump_base_of(file, false, pool, &base, &err) == HC_OK)
		options.base = base;
	promise(pack_open(to, &options, pool, p, &err) == HC_OK);
}

// write_file packs the sections; what pack adds itself (strings) comes from
// the input when it has any. MORE begins the next snapshot.
static void write_file(const uint8_t *data, size_t size, struct pool *pool,
		       struct file *f)
{
	struct pack p;
	struct hc_err err;
	struct file old = { 0 };
	unsigned snapshots = 1;
	struct dump_sink to = { to_file, f };
	struct dump_options options = { .threads = 1 };
	promise(pack_open(&to, &options, pool, &p, &err) == HC_OK);
	while (size >= 5) {
		uint32_t len = get_u32(data + 1);
		len = len < size - 5 ? len : (uint32_t)(size - 5);
		if (data[0] == MORE && snapshots < SNAPSHOTS) {
			more_snapshots(&p, &to, f, &old, pool);
			snapshots++;
		} else if (data[0] == DUMP_STRINGS) {
			p.strings.at = pool_copy(pool, data + 5, len);
			p.strings.n = len;
		} else {
			pack_section(&p, (enum dump_section)data[0]);
			pack_bytes(&p, data + 5, len);
		}
		data += 5 + len;
		size -= 5 + len;
	}
	promise(pack_close(&p, true, &err) == HC_OK);
	free(old.at);
}

struct asking {
	struct heap *heap;
	const struct heap_reader *reader;
	void *self;
	struct pool *pool;
	uint64_t left;
	uint32_t region;
};

static void on_edges(struct edge_sink *to)
{
	struct asking *a = to->ctx;
	for (uint32_t i = 0; i < to->n && a->left > 0; i++, a->left--) {
		struct heap_ref ref = { a->region, to->source[i].slot };
		touch(a->reader->label(a->self, ref, to->source[i].offset,
				       a->pool));
	}
	to->n = 0;
}

static void on_root(void *ctx, const struct heap_root *root)
{
	struct asking *a = ctx;
	struct heap_root whole = *root;
	struct heap_root_text text;
	promise(root->kind < HEAP_N_ROOT_KINDS);
	sink += a->reader->holder(a->self, &whole);
	if (a->reader->root_text(a->self, &whole, a->pool, &text, NULL))
		return;
	touch(text.name);
	touch(text.owner);
	touch(text.function);
}

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	(void)ctx;
	touch(f->function);
	touch(f->file);
	return true;
}

static bool on_owner(void *ctx, const struct heap_owner *o)
{
	struct asking *a = ctx;
	for (size_t i = 0; i < o->n_labels; i++)
		touch(o->labels[i].key);
	a->reader->frames(a->self, o->index, on_frame, a);
	return true;
}

static void on_fact(void *ctx, const struct heap_fact *fact)
{
	(void)ctx;
	touch(fact->group);
	touch(fact->text);
}

static bool on_global(void *ctx, const struct heap_global *g)
{
	(void)ctx;
	touch(g->name);
	return true;
}

static void on_weak(void *ctx, taddr at, taddr target)
{
	(void)ctx;
	sink += at ^ target;
}

static bool on_site(void *ctx, const struct heap_alloc_site *site)
{
	for (uint32_t i = 0; i < site->n_frames; i++)
		on_frame(ctx, &site->frames[i]);
	return true;
}

static void on_suspect(void *ctx, const struct heap_reader_suspect *suspect)
{
	(void)ctx;
	touch(suspect->kind);
	touch(suspect->text);
}

static void ask_objects(struct asking *a)
{
	size_t n;
	taddr target[64];
	struct edge_source source[64];
	struct edge_sink to = { target, source, 0, 64, on_edges, a };
	const struct heap_region *r = heap_regions(a->heap, &n);
	for (size_t i = 0; i < n && i < 4096; i++) {
		struct heap_ref ref = { (uint32_t)i, r[i].n_slots - 1 };
		struct heap_type_text text;
		a->region = (uint32_t)i;
		heap_scan(a->heap, a->region, NULL, &to);
		on_edges(&to);
		touch(a->reader->object_type(a->self, ref, a->pool));
		promise(!a->reader->type_text(a->self,
					      heap_type_of(a->heap, ref),
					      a->pool, &text, NULL));
		touch(text.name);
		touch(text.package);
	}
}

static void ask(struct heap *heap, struct pool *pool)
{
	struct hc_err err;
	struct heap_identity id;
	struct mem_tree tree;
	struct heap_retained *retained;
	struct asking a = { heap, heap_reader_of(heap), heap_self(heap), pool,
			    20000, 0 };
	if (heap_mark(heap, &err))
		return;
	(void)heap_totals(heap);
	promise(!a.reader->identity(a.self, &id, &err));
	touch(id.runtime);
	promise(!a.reader->memory(a.self, true, pool, &tree, &err));
	a.reader->facts(a.self, on_fact, &a);
	a.reader->roots(a.self, on_root, &a);
	a.reader->owners(a.self, on_owner, &a);
	a.reader->globals(a.self, on_global, &a);
	a.reader->weak(a.self, on_weak, &a);
	a.reader->alloc_sites(a.self, on_site, &a);
	a.reader->sampled(a.self, on_weak, &a);
	a.reader->suspects(a.self, 0, on_suspect, &a);
	if (heap_type(heap, &err) == HC_OK)
		ask_objects(&a);
	if (heap_retain(heap, false, &retained, &err) == HC_OK)
		sink += heap_keeper_all(retained).bytes;
}

// struct others are the snapshots of a file whose last one is open.
struct others {
	struct core *last, *core;
	struct heap *heap;
	struct pool pool;
	const struct heap_reader *const *readers;
};

static void close_other(void *ctx)
{
	struct others *o = ctx;
	heap_close(o->heap);
	core_close(o->core);
	pool_close(&o->pool);
	o->heap = NULL;
	o->core = NULL;
}

static enum hc open_other(void *ctx, unsigned i, struct heap **ret,
			  struct hc_err *err)
{
	struct others *o = ctx;
	struct heap_options options = { .threads = 1, .quiet = true };
	promise(!o->heap && !o->core);
	promise(!pool_open(UINT64_C(1) << 28, &o->pool, err));
	enum hc got = dump_open_other(o->last, i + 1, &o->pool, &o->core, err);
	if (got == HC_OK)
		got = heap_open(o->core, o->readers, 1, &options, &o->pool,
				&o->heap, err);
	if (got)
		close_other(o);
	*ret = o->heap;
	return got;
}

static enum hc to_nowhere(void *ctx, const void *bytes, uint64_t len,
			  struct hc_err *err)
{
	(void)err;
	*(uint32_t *)ctx = crc32_more(*(uint32_t *)ctx, bytes, len);
	return HC_OK;
}

static void write_all(struct core *last,
		      const struct heap_reader *const *readers, bool packed)
{
	struct others o = { .last = last, .readers = readers };
	struct dump_heaps heaps = { core_info(last)->n_snapshots, open_other,
				    close_other, &o };
	struct pool pool, names;
	struct hc_err err;
	uint32_t crc = 0;
	struct dump_sink to = { to_nowhere, &crc };
	promise(!pool_open(UINT64_C(1) << 28, &pool, &err));
	promise(!pool_open(UINT64_C(1) << 24, &names, &err));
	enum hc got = packed ? dump_moar3(&heaps, &to, &pool, &names, &err) :
			       dump_moar2(&heaps, &to, &pool, &names, &err);
	sink += crc + (uint64_t)got;
	promise(!o.heap && !o.core);
	pool_close(&pool);
	pool_close(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct heap_reader *const readers[] = { &dump_reader };
	struct pool writing, pool;
	struct hc_err err;
	struct core *core;
	struct heap *heap;
	struct file f = { 0 };
	struct heap_options options = { .threads = 1, .quiet = true };
	promise(!pool_open(UINT64_C(1) << 26, &writing, &err));
	promise(!pool_open(UINT64_C(1) << 28, &pool, &err));
	write_file(data, size, &writing, &f);
	struct bytes file = { f.at, f.len, 0 };
	if (dump_open_bytes(file, "fuzz", 0, &pool, &core, &err) == HC_OK) {
		if (heap_open(core, readers, 1, &options, &pool, &heap, &err) ==
		    HC_OK) {
			ask(heap, &pool);
			// Version 3 packs, which takes long.
			if (core_info(core)->n_snapshots > 1)
				write_all(core, readers, size % 64 == 0);
			heap_close(heap);
		}
		core_close(core);
	}
	pool_close(&writing);
	pool_close(&pool);
	free(f.at);
	return 0;
}
