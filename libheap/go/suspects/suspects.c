// suspects.c: all values of known type, one after the other; see suspects.h.
#include "libheap/go/suspects/suspects.h"

#include "libheap/go/heap/spans.h"
#include "libheap/go/types/typing.h"

#include "libdwarfread/dwarfread.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void go_look_say(struct go_look *look, const char *kind, uint64_t bytes,
		 uint64_t count, const struct heap_ref *object,
		 const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct heap_reader_suspect suspect = { .kind = kind, .text = text,
					       .bytes = bytes,
					       .count = count };
	if (object) {
		suspect.has_object = true;
		suspect.object = *object;
	}
	look->fn(look->ctx, &suspect);
}

uint64_t go_look_kept(struct go_look *look, struct heap_ref ref)
{
	struct heap_keeper k;
	if (look->retained)
		return heap_keeper_of(look->retained, ref, &k) ? 0 : k.bytes;
	if (!look->below || look->unsure)
		return 0;
	return heap_below_bytes(look->below, ref, look->least);
}

bool go_look_again(struct go_look *look)
{
	if (!look->unsure)
		return false;
	look->unsure = false;
	look->below = NULL;
	if (heap_retain(look->process->heap, false, &look->retained, NULL))
		look->retained = NULL;
	return true;
}

#define ASKED 128u // of a type's bits in wants

// struct each is one pass of go_look_each, where it is in a region.
// Shape: type is the record of number, that of the object before.
struct each {
	struct go_look *look;
	const struct go_way *const *ways;
	unsigned n_ways;
	const struct heap_region *region;
	const struct go_span *span;
	uint32_t region_index, number;
	const struct go_type *type;
	uint64_t data, len; // of the region's objects
};

// ask says which ways want objects of a type.
static uint8_t ask(const struct each *e, uint32_t type)
{
	unsigned all = ASKED;
	for (unsigned i = 0; i < e->n_ways; i++)
		if (e->ways[i]->wants(e->look, type >> 1,
				      type & GO_TYPE_ARRAY))
			all |= 1u << i;
	return (uint8_t)all;
}

// object_at fills *ret for one object. Fails: NONE when nothing is known.
static enum hc object_at(const struct each *e, uint32_t slot,
			 struct go_object *ret)
{
	const struct go_process *p = e->look->process;
	struct go_object o = { .ref = { e->region_index, slot },
			       .type = e->number >> 1, .n = 1,
			       .array = e->number & GO_TYPE_ARRAY,
			       .data = e->data, .len = e->len };
	uint64_t off = slot * e->region->slot + o.data;
	o.index = UINT64_C(64) * e->region->first_word + slot;
	o.at = e->region->base + off;
	if (!o.type || !e->type->size || e->type->size > o.len)
		return HC_NONE;
	if (e->span->mem)
		o.mem = e->span->mem + off;
	else if (core_view(p->core, o.at, o.len, &o.mem, NULL))
		return HC_NONE;
	if (o.array)
		o.n = o.len / e->type->size;
	*ret = o;
	return HC_OK;
}

// is_wanted says whether any way wants objects of a type.
static bool is_wanted(const struct each *e, uint32_t type)
{
	uint8_t *wants = e->look->wants;
	if (!wants[type])
		wants[type] = ask(e, type);
	return wants[type] != ASKED;
}

// each_of_word looks at the objects of one bitmap word of the region.
static void each_of_word(struct each *e, const struct heap_types *types,
			 uint32_t slot, uint64_t bits)
{
	uint64_t first = UINT64_C(64) * e->region->first_word + slot;
	const uint8_t *wants = e->look->wants;
	struct go_object o;
	for (; bits; bits &= bits - 1) {
		uint32_t bit = (uint32_t)__builtin_ctzll(bits);
		uint32_t type = heap_types_at(types, e->region_index,
					      first + bit);
		if (!is_wanted(e, type))
			continue;
		if (type != e->number || !e->type) {
			e->number = type;
			e->type = go_type_get(e->look->types, type >> 1);
		}
		if (object_at(e, slot + bit, &o))
			continue;
		for (unsigned i = 0; i < e->n_ways; i++)
			if (wants[type] >> i & 1)
				e->ways[i]->fn(e->look, &o);
	}
}

void go_look_each(struct go_look *look, const struct go_way *const *ways,
		  unsigned n_ways)
{
	const struct go_process *p = look->process;
	struct each e = { .look = look, .ways = ways, .n_ways = n_ways };
	size_t n;
	const struct heap_region *r = heap_regions(p->heap, &n);
	const uint64_t *live = heap_live(p->heap);
	const struct heap_types *types = heap_types(p->heap);
	memset(look->wants, 0, look->n_wants);
	for (size_t i = 0; i < n; i++) {
		uint32_t type = types->of_region[i];
		if (type != HEAP_MIXED && !is_wanted(&e, type))
			continue;
		e.region = &r[i];
		e.region_index = (uint32_t)i;
		e.span = &p->spans->at[p->spans->of_region[i]];
		e.data = go_object_data(e.span, &e.len);
		for (uint32_t k = 0; k < r[i].n_slots; k += 64) {
			uint64_t w = r[i].first_word + k / 64;
			each_of_word(&e, types, k, live[w]);
		}
	}
}

// values_of is walk_of for objects, which mostly are of the type of the last.
static const struct walk *values_of(struct go_look *look, go_typeid type)
{
	if (look->walk_type != type || !look->walk.at)
		look->walk = walk_of(look->walks, type);
	look->walk_type = type;
	return &look->walk;
}

// take_values notes the slices and strings in n values of a type.
static void take_values(struct go_look *look, go_typeid type,
			const uint8_t *mem, uint64_t n)
{
	struct walk w = *values_of(look, type);
	for (uint64_t k = 0; w.n && k < n; k++, mem += w.size) {
		for (uint32_t i = 0; i < w.n; i++) {
			const struct walk_item *item = &w.at[i];
			const uint8_t *at = mem + item->off;
			uint64_t len;
			if (item->op != WALK_SLICE && item->op != WALK_STRING)
				continue;
			len = get_u64(at + 8);
			if (item->op == WALK_STRING)
				go_look_string(look, get_u64(at), len);
			else if (!__builtin_mul_overflow(
					 len,
					 go_type_get(look->types, item->type)
						 ->size,
					 &len))
				go_look_slice(look, get_u64(at), len);
		}
	}
}

static void take_object(struct go_look *look, const struct go_object *o)
{
	take_values(look, o->type, o->mem, o->n);
}

// has_headers says whether values of a type have slices or strings in them.
static bool has_headers(struct go_look *look, go_typeid type, bool array)
{
	struct walk w = walk_of(look->walks, type);
	(void)array;
	if (go_type_get(look->types, type)->kind >= GO_KIND_STRING_DATA)
		return false;
	for (uint32_t i = 0; i < w.n; i++)
		if (w.at[i].op == WALK_SLICE || w.at[i].op == WALK_STRING)
			return true;
	return false;
}

// take_globals notes those of package variables, where debug information
// tells their types.
static bool take_globals(struct go_look *look)
{
	struct go_process *p = look->process;
	const struct core_module *exe = core_exe(p->core);
	struct dwarf *dwarf;
	uint64_t n;
	if (go_dwarf(p, &dwarf) || dwarf_global_count(dwarf, &n, NULL))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		struct dwarf_global g;
		const uint8_t *mem;
		if (dwarf_global_at(dwarf, i, &g, NULL))
			continue;
		go_typeid type = go_type_by_die(look->types, g.type);
		uint64_t size = go_type_get(look->types, type)->size;
		if (size && core_view(p->core, g.addr + (exe ? exe->bias : 0),
				      size, &mem, NULL) == HC_OK)
			take_values(look, type, mem, 1);
	}
	return true;
}

static const struct go_way way_headers = { has_headers, take_object };

// look_at runs every look, in a pool of its own.
static enum hc look_at(struct go_look *look)
{
	static const struct go_way *const ways[] = {
		&way_headers, &go_way_maps, &go_way_pools, &go_way_closures,
	};
	static const struct go_way *const ways_kept[] = {
		&go_way_pools, &go_way_closures,
	};
	_Static_assert(sizeof(ways) / sizeof(*ways) <= GO_WAYS_MAX,
		       "a bit for each in go_look.wants");
	size_t n;
	const struct heap_region *r = heap_regions(look->process->heap, &n);
	uint64_t words = n ? r[n - 1].first_word + r[n - 1].n_slots / 64 + 1 :
			     0;
	look->used = pool_new_dense(&look->pool, uint32_t, 64 * words + 1);
	look->n_wants = 2 * (size_t)go_type_count(look->types);
	look->wants = pool_new(&look->pool, uint8_t, look->n_wants);
	if (!look->used || !look->wants)
		return HC_NONE;
	if (!look->retained)
		HC_TRY(heap_below_open(look->process->heap, &look->pool,
				       &look->below, NULL));
	HC_TRY(go_strings_open(look));
	HC_TRY(go_maps_open(look));
	HC_TRY(go_pools_open(look));
	HC_TRY(go_closures_open(look));
	HC_TRY(walks_open(look->types, &look->pool, &look->walks, NULL));
	go_look_each(look, ways, sizeof(ways) / sizeof(*ways));
	if (go_look_again(look)) {
		HC_TRY(go_pools_open(look));
		HC_TRY(go_closures_open(look));
		go_look_each(look, ways_kept,
			     sizeof(ways_kept) / sizeof(*ways_kept));
	}
	// Without all headers, room that looks unused may be used.
	if (take_globals(look))
		go_look_room(look);
	go_look_same(look);
	go_look_maps(look);
	go_look_pools(look);
	go_look_closures(look);
	go_look_stoppable(look);
	walks_close(look->walks);
	return HC_OK;
}

void go_suspects(struct go_process *process, uint64_t least,
		 heap_suspect_fn *fn, void *ctx)
{
	struct go_look look = { .process = process, .types = process->types,
				.least = least, .fn = fn, .ctx = ctx };
	uint64_t left = (uint64_t)(process->pool->end - process->pool->next);
	if (!process->types || core_info(process->core)->word != 8 ||
	    pool_open(left + 1, &look.pool, NULL))
		return;
	look.retained = heap_retained_made(process->heap, false);
	if (look_at(&look))
		look.used = NULL; // no memory: nothing is suspected
	pool_close(&look.pool);
}
