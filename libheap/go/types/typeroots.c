// typeroots.c: where typing begins, and the order of its phases.
#include "libheap/go/types/typing.h"

#include "libheap/go/roots/roots.h"
#include "libheap/go/types/leaves.h"
#include "libheap/go/types/typeclosure.h"
#include "libheap/go/types/typeframes.h"
#include "libheap/go/types/typemaps.h"
#include "libheap/go/types/typemark.h"
#include "libheap/go/types/typeshape.h"
#include "libheap/go/types/typeruntime.h"
#include "libheap/go/types/typespecial.h"

#include "libdwarfread/dwarfread.h"

#define SCRATCH_CAP (UINT64_C(1) << 31) // variables of functions on stacks

// each_object calls fn for all objects of a span whose bits are set in map.
static void each_object(struct go_typing *t, const struct go_span *span,
			const uint64_t *map,
			void (*fn)(struct go_typing *t,
				   const struct go_span *span, uint32_t slot,
				   uint64_t index))
{
	size_t n;
	const struct heap_region *r =
		&heap_regions(t->process->heap, &n)[span->region];
	for (uint32_t w = 0; w * UINT64_C(64) < span->nelems; w++)
		for (uint64_t todo = map[r->first_word + w]; todo;
		     todo &= todo - 1) {
			uint32_t slot =
				64 * w + (uint32_t)__builtin_ctzll(todo);
			fn(t, span, slot,
			   UINT64_C(64) * r->first_word + slot);
		}
}

// header_object claims an object that carries its type.
static void header_object(struct go_typing *t, const struct go_span *span,
			  uint32_t slot, uint64_t index)
{
	taddr at = span->base + slot * span->elemsize, rtype = span->type;
	if (go_typing_of(t, span->region, (uint32_t)(index / 64), index % 64))
		return;
	if (span->ptrmap == GO_PTRMAP_HEADER &&
	    core_u64(t->process->core, at, &rtype, NULL))
		return;
	uint64_t len, off = go_object_data(span, &len);
	go_typing_claim(t, at + off, go_type_by_rtype(t->types, rtype), 0);
}

// type_headers claims all objects with headers whose bits are set in map.
static void type_headers(struct go_typing *t, const uint64_t *map)
{
	const struct go_spans *spans = t->process->spans;
	for (size_t i = 0; i < spans->n; i++)
		if (spans->at[i].ptrmap == GO_PTRMAP_HEADER ||
		    spans->at[i].ptrmap == GO_PTRMAP_LARGE)
			each_object(t, &spans->at[i], map, header_object);
	go_typing_drain(t);
}

// type_globals scans every package variable that DWARF knows.
static void type_globals(struct go_typing *t)
{
	struct go_process *p = t->process;
	struct dwarf *dwarf;
	struct dwarf_global g;
	uint64_t n;
	if (go_dwarf(p, &dwarf) || dwarf_global_count(dwarf, &n, NULL))
		return;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *mem;
		if (dwarf_global_at(dwarf, i, &g, NULL))
			continue;
		go_typeid type = go_type_by_die(t->types, g.type);
		uint64_t size = go_type_get(t->types, type)->size;
		taddr at = g.addr + t->types_bias;
		if (!size || core_view(p->core, at, size, &mem, NULL))
			continue;
		go_typing_scan(t, mem, at, type, 1);
		go_typing_drain(t);
	}
}

// root_word asks what variable a root's word is in; else it looks at the word
// before it: together they may be an interface.
static void root_word(void *ctx, const struct heap_root *root)
{
	struct go_typing *t = ctx;
	const uint8_t *mem;
	if ((root->kind == HEAP_ROOT_FRAME &&
	     (go_stackvars_word(t, t->stackvars, root->at) ||
	      go_typing_stack_closure(t, root->at))) ||
	    root->at < 8 ||
	    core_view(t->process->core, root->at - 8, 16, &mem, NULL))
		return;
	if (!go_typing_pair(t, get_u64(mem), mem + 8))
		go_typing_closure(t, root->target);
}

bool go_typing_pair(struct go_typing *t, taddr word, const uint8_t *data_mem)
{
	// From Go 1.26 on itabs lie in the type section too.
	if (!word)
		return false;
	bool type = go_is_type_address(t->types, word) &&
		    go_type_by_rtype(t->types, word);
	if (!type && !go_is_itab(t->types, word))
		return false;
	go_typing_interface(t, word, !type, data_mem);
	return true;
}

// struct untyped is an object with pointers of which too little is known.
struct untyped {
	const struct go_span *span;
	uint64_t index;
	uint32_t slot;
};

static uint32_t untyped_type(const struct go_typing *t, const struct untyped *u)
{
	return go_typing_of(t, u->span->region, (uint32_t)(u->index / 64),
			    u->index % 64);
}

struct untyped_list {
	VEC(struct untyped);
};

// struct words is one untyped object being searched.
struct words {
	struct go_typing *t;
	const uint8_t *mem; // of the slot
};

static void words_flush(struct edge_sink *sink)
{
	const struct words *w = sink->ctx;
	for (uint32_t i = 0; i < sink->n; i++) {
		uint64_t off = sink->source[i].offset;
		if (off >= 8 && go_typing_pair(w->t,
					       get_u64(w->mem + off - 8),
					       w->mem + off))
			continue;
		go_typing_closure(w->t, sink->target[i]);
	}
	sink->n = 0;
}

// search_object looks for interfaces and func values in an object of which
// nothing, or not all, is known.
static void search_object(struct go_typing *t, const struct untyped *u)
{
	const struct go_span *span = u->span;
	taddr target[64];
	struct edge_source source[64];
	struct words w = { t, span->mem + u->slot * span->elemsize };
	struct edge_sink sink = { target, source, 0, 64, words_flush, &w };
	const struct go_type *r = go_type_get(t->types, untyped_type(t, u) >> 1);
	if (r->kind && r->kind != GO_KIND_CLOSURE && r->kind != GO_KIND_OPAQUE)
		return;
	go_object_words(t->process, span->region, u->slot, &sink);
	words_flush(&sink);
	go_typing_drain(t);
}

// shape_object names an untyped object by its structure or its pointer mask.
static void shape_object(struct go_typing *t, const struct untyped *u)
{
	const struct go_span *span = u->span;
	taddr at = span->base + u->slot * span->elemsize;
	if (untyped_type(t, u))
		return;
	if (span->user_arena) {
		// Many values of many types, as their owner put them there.
		go_typing_claim(t, at,
				go_type_opaque(t->types, "user arena chunk",
					       8),
				1);
		return;
	}
	if (span->ptrmap == GO_PTRMAP_LARGE) {
		go_typing_claim(t, at, go_shape_large(t->shapes, span->type),
				0);
		return;
	}
	// An hmap of 56 bytes (1.24, 1.25) is in the class of 64.
	if ((span->elemsize == 48 || span->elemsize == 64) &&
	    go_typing_map(t, t->shapes, span->mem + u->slot * span->elemsize,
			  at))
		return;
	go_typeid elem = span->elemsize >= 96 && span->elemsize <= 112 ?
				 go_chan_element(t, at) :
				 0;
	go_typeid chan = elem ? go_shape_chan(t->shapes, elem) : 0;
	if (chan) {
		go_typing_claim(t, at,
				go_type_special(t->types, GO_KIND_CHANNEL,
						chan, 0),
				0);
		return;
	}
	go_typing_claim(t, at,
			go_shape_type(t->shapes, span->elemsize,
				      go_object_mask(t->process, span->region,
						     u->slot)),
			0);
}

// is_vague says that not all is known of objects of a type.
static bool is_vague(struct go_typing *t, uint32_t type)
{
	uint8_t kind = go_brief_of(t, type >> 1)->kind;
	return !kind || kind == GO_KIND_CLOSURE || kind == GO_KIND_OPAQUE;
}

// unsure leaves those bits of one word of a region's slots of which nothing,
// or not all, is known. Neighbours are mostly of one type.
static uint64_t unsure(struct go_typing *t, uint32_t region, uint64_t word,
		       uint64_t bits)
{
	uint32_t type = t->lots[region].type, last = 1;
	const uint32_t *of = &t->of[64 * word];
	uint64_t left = 0;
	bool vague = false;
	if (type != HEAP_MIXED)
		return type && !is_vague(t, type) ?
			       bits & ~t->slots[word].taken :
			       bits;
	for (; bits; bits &= bits - 1) {
		type = of[__builtin_ctzll(bits)];
		if (type != last)
			vague = is_vague(t, type);
		last = type;
		left |= vague ? bits & -bits : 0;
	}
	return left;
}

// is_captured says whether all pointers of a closure are known to be captured
// variables.
static bool is_captured(struct go_typing *t, const struct go_span *span,
			uint32_t slot, go_typeid type)
{
	const struct go_type *r = go_type_get(t->types, type);
	if (r->kind != GO_KIND_CLOSURE || !r->learned)
		return false;
	uint64_t mask = go_object_mask(t->process, span->region, slot);
	uint64_t left = mask;
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct go_type_field *f =
			go_type_field_at(t->types, r, i);
		uint64_t end = f->off + go_type_get(t->types, f->type)->size;
		for (uint64_t at = f->off & ~UINT64_C(7); at < end && at < 512;
		     at += 8)
			left &= ~(UINT64_C(1) << at / 8);
	}
	return mask && !left;
}

// collect_word lists the objects of one word of a region's slots.
static void collect_word(struct go_typing *t, const struct go_span *span,
			 uint64_t word, uint32_t first, uint64_t todo,
			 struct untyped_list *out)
{
	for (; todo; todo &= todo - 1) {
		uint64_t index = 64 * word + (uint64_t)__builtin_ctzll(todo);
		uint64_t slot = index - UINT64_C(64) * first;
		if (is_captured(t, span, (uint32_t)slot,
				go_typing_of(t, span->region, (uint32_t)word,
					     index % 64) >> 1))
			continue;
		struct untyped *one = vec_push(t->pool, out);
		if (!one) {
			t->short_of_memory = true;
			return;
		}
		*one = (struct untyped){ span, index, (uint32_t)slot };
	}
}

// collect lists the objects with pointers of [map but not except] that are not
// fully typed.
static void collect(struct go_typing *t, const uint64_t *map,
		    const uint64_t *except, struct untyped_list *out)
{
	const struct go_spans *spans = t->process->spans;
	size_t n;
	const struct heap_region *r = heap_regions(t->process->heap, &n);
	for (size_t i = 0; i < n; i++) {
		const struct go_span *span = &spans->at[spans->of_region[i]];
		uint32_t first = r[i].first_word;
		uint64_t end = first + (r[i].n_slots + UINT64_C(63)) / 64;
		if (span->noscan || !span->mem)
			continue;
		for (uint64_t w = first; w < end; w++)
			collect_word(t, span, w, first,
				     unsure(t, (uint32_t)i, w,
					    map[w] &
						    ~(except ? except[w] : 0)),
				     out);
	}
}

// type_rest types what can be typed of the objects that nothing typed leads
// to: by the interfaces in them, then by their own look. Groups get their
// types before the maps that they belong to, so it goes round twice.
static void type_rest(struct go_typing *t, const uint64_t *map,
		      const uint64_t *except)
{
	struct untyped_list rest = { 0 };
	collect(t, map, except, &rest);
	go_leaves_hold(t->leaves, true);
	for (uint64_t i = 0; i < rest.n; i++)
		search_object(t, &rest.at[i]);
	for (unsigned round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < rest.n; i++)
			shape_object(t, &rest.at[i]);
		go_typing_drain(t);
		for (uint64_t i = 0; i < rest.n; i++)
			search_object(t, &rest.at[i]);
	}
	go_leaves_hold(t->leaves, false);
}

// typing_run goes through the phases: first what something typed leads to, which
// takes long and needs no marks, then what else lives, then garbage, which can
// only name what no live object did.
static enum hc typing_run(struct go_typing *t, struct hc_err *err)
{
	struct heap *heap = t->process->heap;
	type_globals(t);
	go_typing_runtime(t);
	go_roots(t->process, root_word, t);
	go_typing_drain(t);
	go_phase(t->process, "type what the roots lead to", 0, NULL);
	go_typemark_close(t);
	HC_TRY(heap_mark(heap, err));
	type_headers(t, heap_live(heap));
	type_rest(t, heap_live(heap), NULL);
	type_headers(t, heap_allocated(heap));
	type_rest(t, heap_allocated(heap), heap_live(heap));
	return t->short_of_memory ? hc_nomem(err) : HC_OK;
}

enum hc go_type_objects(struct go_process *process,
			const struct heap_types *types, struct hc_err *err)
{
	struct go_typing t = { .process = process, .of = types->of,
			       .pool = process->pool };
	struct dwarf *dwarf = NULL;
	struct go_shapes *shapes;
	if (go_dwarf(process, &dwarf))
		dwarf = NULL;
	const struct core_module *exe = core_exe(process->core);
	t.types_bias = exe ? exe->bias : 0;
	HC_TRY(go_types_open(process, dwarf, t.types_bias, process->pool,
			     &process->types, err));
	t.types = process->types;
	HC_TRY(go_typing_open(&t, err));
	HC_TRY(walks_open(t.types, process->pool, &t.walks, err));
	HC_TRY(go_shapes_open(t.types, process->pool, &shapes, err));
	t.shapes = shapes;
	HC_TRY(pool_open(SCRATCH_CAP, &t.scratch, err));
	enum hc got = go_stackvars_find(&t, &t.scratch, &t.stackvars, err);
	if (got) {
		pool_close(&t.scratch);
		return got;
	}
	got = typing_run(&t, err);
	go_typing_end(&t, types->of_region);
	go_phase(process, "type the rest", t.conflicts[0] + t.conflicts[1],
		 "claims in conflict");
	pool_close(&t.scratch);
	go_typing_close(&t);
	walks_close(t.walks);
	return got;
}
