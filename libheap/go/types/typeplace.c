// typeplace.c: claims that need a closer look: objects with headers, parts of
// objects, second opinions. See typing.h.
#include "libheap/go/types/typing.h"

#define INTERIOR_MAX 4096 // bytes scanned behind a pointer into an object

uint64_t go_object_data(const struct go_span *span, uint64_t *ret_len)
{
	uint64_t off = span->ptrmap == GO_PTRMAP_HEADER ? 8 : 0;
	uint64_t len = span->elemsize;
	if (!span->sizeclass && span->limit - span->base < len)
		len = span->limit - span->base;
	*ret_len = len - off;
	return off;
}

// struct place is an object that a claim met.
struct place {
	const struct go_span *span;
	const struct heap_aim *aim;
	taddr at;       // of its values
	uint64_t len;   // of them
	const uint8_t *mem;
};

static void place_find(const struct go_typing *t, const struct heap_aim *aim,
		       struct place *ret)
{
	const struct go_spans *spans = t->process->spans;
	size_t n;
	const struct heap_region *r =
		&heap_regions(t->process->heap, &n)[aim->region];
	const struct go_span *s = &spans->at[spans->of_region[aim->region]];
	uint64_t off = go_object_data(s, &ret->len);
	uint64_t slot = UINT64_C(64) * (aim->word - r->first_word) + aim->bit;
	uint64_t start = slot * s->elemsize + off;
	ret->span = s;
	ret->aim = aim;
	ret->at = s->base + start;
	ret->mem = s->mem ? s->mem + start : NULL;
}

// cover returns how many bytes of an object a type number accounts for. What
// has no Go type of its own takes all; a map's table says more than the
// struct that it is, so it counts for more.
static uint64_t cover(struct go_typing *t, const struct place *p, uint32_t type)
{
	const struct go_brief *b = go_brief_of(t, type >> 1);
	if (b->kind == GO_KIND_MAP_TABLE)
		return p->len + 1;
	if ((type & GO_TYPE_ARRAY) ||
	    (b->special && b->kind != GO_KIND_OPAQUE))
		return p->len;
	return b->size;
}

static uint32_t type_of(const struct go_typing *t, const struct place *p)
{
	return go_typing_of(t, p->aim->region, p->aim->word, p->aim->bit);
}

static bool is_guess(const struct go_typing *t, const struct place *p)
{
	return t->guess[p->aim->word] >> p->aim->bit & 1;
}

// place_set gives an object a type and queues its values.
static void place_set(struct go_typing *t, const struct place *p,
		      go_typeid type, bool array, bool guess)
{
	const struct go_brief *b = go_brief_of(t, type);
	go_typing_set(t, p->aim, type << 1 | (array ? GO_TYPE_ARRAY : 0),
		      guess);
	if (p->span->noscan || !p->mem || !b->size || !b->pointers)
		return;
	// Queued, not followed at once: claims must not nest.
	uint64_t n = go_typing_elements(b, array, p->len);
	go_typing_add(t, &(struct scan_task){ p->mem, p->at, n, type,
					      p->aim->region, p->aim->word,
					      p->aim->bit });
}

// place_header types an object by the descriptor it carries. It returns false
// when the object carries none.
static bool place_header(struct go_typing *t, const struct place *p)
{
	taddr rtype = 0;
	if (p->span->noscan)
		return false;
	if (p->span->ptrmap == GO_PTRMAP_HEADER && p->mem)
		rtype = get_u64(p->mem - 8);
	else if (p->span->ptrmap == GO_PTRMAP_LARGE)
		rtype = p->span->type;
	go_typeid type = go_type_by_rtype(t->types, rtype);
	uint64_t size = go_type_get(t->types, type)->size;
	if (!type || !size || size > p->len)
		return false;
	if (!type_of(t, p))
		place_set(t, p, type, p->len / size > 1, false);
	return true;
}

// settle_inside handles a claim for a part of an object.
static void settle_inside(struct go_typing *t, const struct place *p, taddr at,
			  struct go_claim c, const struct go_brief *b)
{
	uint64_t off = at - p->at;
	go_typeid type = c.type >> 1;
	if (type_of(t, p) || off > p->len || c.n > (p->len - off) / b->size)
		return;
	// The tiny allocator puts several small values into one slot.
	if (p->span->noscan && p->span->elemsize == 16) {
		place_set(t, p, type, false, true);
		return;
	}
	// A slice of part of an array: the rest is of the same type.
	if ((c.type & GO_TYPE_ARRAY) && off % b->size == 0) {
		place_set(t, p, type, true, true);
		return;
	}
	if (p->mem && !p->span->noscan && b->pointers &&
	    !b->special && c.n * b->size <= INTERIOR_MAX)
		go_typing_scan(t, p->mem + off, at, type, c.n);
}

// settle_start handles a claim for all of an object.
static void settle_start(struct go_typing *t, const struct place *p,
			 struct go_claim c, const struct go_brief *b)
{
	uint32_t old = type_of(t, p);
	bool sure = old && !is_guess(t, p);
	if (c.n > p->len / b->size && !b->special)
		return;
	if (sure && old == c.type)
		return;
	if (sure) {
		uint64_t had = cover(t, p, old), covers = cover(t, p, c.type);
		if (had >= covers) {
			t->conflicts[p->span->noscan] += had == covers;
			return;
		}
	}
	place_set(t, p, c.type >> 1, c.type & GO_TYPE_ARRAY, false);
}

void go_typing_settle(struct go_typing *t, taddr at, struct go_claim c,
		      const struct heap_aim *aim)
{
	go_typeid type = c.type >> 1;
	const struct go_brief *b = go_brief_of(t, type);
	struct place p;
	if (!b->size)
		return;
	place_find(t, aim, &p);
	bool start = at == p.at;
	if (b->kind >= GO_KIND_SOME_CLOSURE) {
		// What it is can be said once its bytes have arrived.
		if (start && p.mem)
			go_typing_scan(t, p.mem, p.at, type, p.len);
	} else if (place_header(t, &p)) {
		// Its header says "pointers to tables"; the claim says of
		// which map.
		if (b->kind == GO_KIND_MAP_DIRECTORY && start && p.mem)
			go_typing_scan(t, p.mem, p.at, type, p.len);
	} else if (start) {
		settle_start(t, &p, c, b);
	} else if (at > p.at) {
		settle_inside(t, &p, at, c, b);
	}
}
