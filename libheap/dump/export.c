// export.c: objects, edges and names of export.h.
#include "libheap/dump/export.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 1024
#define CACHE (1u << 16)
#define NAME_MAX_BYTES 512u

struct cached_name {
	uint64_t slot, offset;
	uint32_t type, flags;
	bool known;
	struct word_name name;
};

static uint64_t words_of(const struct export *e)
{
	if (e->n_regions == 0)
		return 0;
	const struct heap_region *r = &e->regions[e->n_regions - 1];
	return r->first_word + ((uint64_t)r->n_slots + 63) / 64;
}

static enum hc number_all(struct export *e)
{
	uint64_t n = words_of(e);
	e->before = pool_new(e->pool, uint64_t, n + 1);
	if (!e->before)
		return hc_nomem(e->err);
	for (size_t i = 0; i < e->n_regions; i++) {
		const struct heap_region *r = &e->regions[i];
		for (uint64_t w = 0; w < ((uint64_t)r->n_slots + 63) / 64; w++) {
			uint64_t bits = e->live[r->first_word + w];
			uint64_t k = (uint64_t)__builtin_popcountll(bits);
			e->before[r->first_word + w] = e->n_objects;
			e->n_objects += k;
			e->n_bytes += k * r->slot;
		}
	}
	return HC_OK;
}

enum hc export_open(struct heap *heap, struct strings *strings,
		    struct pool *pool, struct pool *names, struct export *ret,
		    struct hc_err *err)
{
	struct export e = { .heap = heap, .reader = heap_reader_of(heap),
			    .self = heap_self(heap), .core = heap_core(heap),
			    .pool = pool, .names = names,
			    .strings = strings, .err = err };
	if (e.reader->type_objects)
		HC_TRY(heap_type(heap, err));
	HC_TRY(heap_mark(heap, err));
	e.regions = heap_regions(heap, &e.n_regions);
	e.live = heap_live(heap);
	HC_TRY(number_all(&e));
	e.n_types = e.reader->type_count ? e.reader->type_count(e.self) : 1;
	e.type_name = pool_new(pool, uint64_t, e.n_types + UINT64_C(1));
	e.cache = pool_new(pool, struct cached_name, CACHE);
	if (!strings)
		e.strings = pool_new(e.pool, struct strings, 1);
	if (!e.type_name || !e.cache || !e.strings)
		return hc_nomem(err);
	if (!strings)
		e.strings->pool = pool;
	*ret = e;
	return HC_OK;
}

uint64_t export_number(const struct export *e, struct heap_ref ref)
{
	uint64_t w = e->regions[ref.region].first_word + ref.slot / 64;
	uint64_t below = e->live[w] & ((UINT64_C(1) << ref.slot % 64) - 1);
	return e->before[w] + (uint64_t)__builtin_popcountll(below);
}

void export_objects(const struct export *e, export_object_fn *fn, void *ctx)
{
	uint64_t number = 0;
	for (size_t i = 0; i < e->n_regions; i++) {
		const struct heap_region *r = &e->regions[i];
		for (uint32_t w = 0; w < (r->n_slots + UINT64_C(63)) / 64; w++) {
			uint64_t bits = e->live[r->first_word + w];
			for (; bits; bits &= bits - 1)
				fn(ctx, number++, (struct heap_ref){
					(uint32_t)i,
					64 * w + (uint32_t)__builtin_ctzll(
							 bits) });
		}
	}
}

// struct scan hands the edges of one region on.
struct scan {
	const struct export *e;
	export_edge_fn *fn;
	void *ctx;
	uint32_t region;
	struct edge_sink sink;
	taddr target[BATCH];
	struct edge_source source[BATCH];
	struct heap_aim aim[BATCH];
};

static void on_batch(struct edge_sink *sink)
{
	struct scan *s = sink->ctx;
	const struct export *e = s->e;
	heap_aim(e->heap, s->target, sink->n, e->live, 3, s->aim);
	for (uint32_t i = 0; i < sink->n; i++) {
		uint32_t w = s->aim[i].word, bit = s->aim[i].bit;
		if (!(e->live[w] >> bit & 1))
			continue;
		uint64_t below = e->live[w] & ((UINT64_C(1) << bit) - 1);
		struct export_edge edge = {
			.source = { s->region, s->source[i].slot },
			.offset = s->source[i].offset,
			.target = { s->aim[i].region, 0 },
			.to = e->before[w] +
			      (uint64_t)__builtin_popcountll(below),
		};
		edge.target.slot =
			64 * (w - e->regions[edge.target.region].first_word) +
			bit;
		edge.from = export_number(e, edge.source);
		s->fn(s->ctx, &edge);
	}
	sink->n = 0;
}

void export_edges(const struct export *e, export_edge_fn *fn, void *ctx)
{
	struct scan s; // some 50 kB
	s.e = e;
	s.fn = fn;
	s.ctx = ctx;
	s.sink = (struct edge_sink){ s.target, s.source, 0, BATCH, on_batch,
				     &s };
	for (size_t i = 0; i < e->n_regions; i++) {
		s.region = (uint32_t)i;
		if (e->regions[i].flags & HEAP_NOSCAN)
			continue;
		heap_scan(e->heap, s.region,
			  e->live + e->regions[i].first_word, &s.sink);
		on_batch(&s.sink);
	}
}

struct counting {
	uint32_t *count;
	uint64_t all;
};

static void count_edge(void *ctx, const struct export_edge *edge)
{
	struct counting *c = ctx;
	c->count[edge->from]++;
	c->all++;
}

enum hc export_counts(struct export *e, uint32_t **ret, uint64_t *ret_all)
{
	struct counting c = { pool_new(e->pool, uint32_t, e->n_objects + 1),
			      0 };
	if (!c.count)
		return hc_nomem(e->err);
	export_edges(e, count_edge, &c);
	*ret = c.count;
	*ret_all = c.all;
	return HC_OK;
}

const char *export_type(struct export *e, uint32_t type)
{
	struct heap_type_text text = { "unknown", "" };
	if (!e->reader->type_text ||
	    e->reader->type_text(e->self, type, e->names, &text, NULL))
		return "unknown";
	return text.name ? text.name : "unknown";
}

uint64_t export_type_string(struct export *e, uint32_t type)
{
	type = type < e->n_types ? type : 0;
	if (!e->type_name[type]) {
		char *mark = pool_mark(e->names);
		e->type_name[type] = 1 + strings_number(e->strings,
							export_type(e, type));
		pool_rewind(e->names, mark);
	}
	return e->type_name[type] - 1;
}

// name_of makes a name out of a label: "[7]" is an index, and "[7].key" is
// called "[].key" for all 7.
static struct word_name name_of(struct export *e, const char *label,
				uint64_t offset)
{
	char text[NAME_MAX_BYTES];
	size_t n = 0;
	if (!label || !*label)
		return (struct word_name){
			true, offset / core_info(e->core)->word };
	size_t digits = label[0] == '[' ? strspn(label + 1, "0123456789") : 0;
	if (digits && digits < 19 && strcmp(label + 1 + digits, "]") == 0)
		return (struct word_name){ true,
					   strtoull(label + 1, NULL, 10) };
	label += label[0] == '.';
	for (; *label && n + 1 < sizeof(text); label++) {
		text[n++] = *label;
		digits = strspn(label + 1, "0123456789");
		if (*label == '[' && label[1 + digits] == ']')
			label += digits;
	}
	text[n] = '\0';
	return (struct word_name){ false, strings_number(e->strings, text) };
}

struct word_name export_word(struct export *e, struct heap_ref ref,
			     uint64_t offset)
{
	const struct heap_region *r = &e->regions[ref.region];
	uint32_t type = heap_type_of(e->heap, ref);
	uint64_t h = (r->slot ^ offset << 20 ^ (uint64_t)type << 40) *
		     UINT64_C(0x9e3779b97f4a7c15);
	struct cached_name *c = &e->cache[h >> 48];
	if (c->known && c->slot == r->slot && c->offset == offset &&
	    c->type == type && c->flags == r->flags)
		return c->name;
	char *mark = pool_mark(e->names);
	const char *label = e->reader->label && type ?
				    e->reader->label(e->self, ref, offset,
						     e->names) :
				    NULL;
	*c = (struct cached_name){ r->slot, offset, type, r->flags, true,
				   name_of(e, label, offset) };
	pool_rewind(e->names, mark);
	return c->name;
}
