// verify_maps.c: what says where an object's pointers are: type headers and
// pointer bitmaps.
#include "libheap/go/verify/verify.h"

#include "libheap/go/heap/edges.h"
#include "libheap/go/heap/heapbits.h"
#include "libheap/go/types/rtypecheck.h"
#include "libheap/go/heap/sizeclass.h"
#include "libheap/go/heap/specials.h"
#include "libheap/go/stacks/threads.h"

// check_header checks the type in front of an object of a size class: one that
// so many elements of fill that class.
// Source: runtime/malloc.go, mallocgcSmallScanHeader (1.22–1.27).
static void check_header(struct go_verify *v, const struct go_span *s,
			 uint32_t slot)
{
	taddr at = s->base + slot * s->elemsize, type;
	uint64_t size;
	if (core_u64(v->process->core, at, &type, NULL) ||
	    verify_is_new(v, s, slot))
		return;
	if (!rtype_check(v->process, type, &size)) {
		verify_note(v, at, "the object at 0x%" PRIx64 " has a header "
			    "that is no type: 0x%" PRIx64, at, type);
		return;
	}
	uint64_t room = s->elemsize - 8;
	if (!size || size > room ||
	    go_size_class(8 + room / size * size) != s->elemsize)
		verify_note(v, at, "the object at 0x%" PRIx64 " of %" PRIu64
			    " bytes cannot hold elements of %" PRIu64
			    " bytes, as the type in its header (0x%" PRIx64
			    ") has", at, s->elemsize, size, type);
}

// check_large checks the type that a span of one object names.
// Source: runtime/malloc.go, mallocgcLarge (1.22–1.27).
static void check_large(struct go_verify *v, const struct go_span *s)
{
	uint64_t size, len = s->limit - s->base;
	if (!s->type)
		return; // being made
	if (!rtype_check(v->process, s->type, &size))
		verify_note(v, s->at, "the large object at 0x%" PRIx64
			    " has a type that is none: 0x%" PRIx64, s->base,
			    s->type);
	else if (!size || len % size)
		verify_note(v, s->at, "the large object at 0x%" PRIx64
			    " of %" PRIu64 " bytes is no number of elements of "
			    "%" PRIu64 " bytes, as its type (0x%" PRIx64
			    ") has", s->base, len, size, s->type);
}

// check_bitmap checks that an object that may hold pointers has one.
static void check_bitmap(struct go_verify *v, const struct go_span *s,
			 uint32_t slot)
{
	if (s->elemsize > 512 || go_object_mask(v->process, s->region, slot) ||
	    verify_is_new(v, s, slot))
		return;
	taddr at = s->base + slot * s->elemsize;
	verify_note(v, at, "the object at 0x%" PRIx64 " is of a class with "
		    "pointers, its pointer map has none", at);
}

// check_tail checks the bits of a span's own bitmap that no object has. Where
// each object is one word, all bits were set at once.
// Source: runtime/mbitmap.go, heapBitsInSpan, initHeapBits (1.22–1.27).
static void check_tail(struct go_verify *v, const struct go_span *s)
{
	struct go_heapbits map;
	go_heapbits_find(v->process, s, &map);
	uint64_t n = s->nelems * s->elemsize / 8;
	for (uint64_t i = n; map.bits && i < map.n_bits; i++) {
		if (!(map.bits[i / 8] >> (i % 8) & 1))
			continue;
		verify_note(v, s->at, "the pointer map of the span of 0x%"
			    PRIx64 " has bits behind its last object", s->base);
		return;
	}
}

static void check_object(struct go_verify *v, const struct go_span *s,
			 uint32_t slot)
{
	switch (s->ptrmap) {
	case GO_PTRMAP_HEADER:
		check_header(v, s, slot);
		break;
	case GO_PTRMAP_LARGE:
		check_large(v, s);
		break;
	case GO_PTRMAP_INSPAN:
	case GO_PTRMAP_ARENA1:
	case GO_PTRMAP_ARENA2:
		check_bitmap(v, s, slot);
		break;
	default:
		break;
	}
}

// check_finalizer holds the pointer map of an object against the type that a
// finalizer was set for: of its first part, at least.
// Source: runtime/mfinal.go, SetFinalizer (1.18–1.27).
static void check_finalizer(void *ctx, const struct go_special *sp)
{
	struct go_verify *v = ctx;
	const struct go_process *p = v->process;
	const struct go_span *s = sp->span;
	taddr base = s->base + sp->object * s->elemsize;
	uint64_t pointer, element, size, mask;

	if (!go_special_is(p, sp, C_KindSpecialFinalizer) ||
	    go_field(p, sp->at, F_specialfinalizer_ot, &pointer, NULL))
		return;
	// The element type of a pointer's follows the 48 bytes of all types.
	if (!rtype_check(p, pointer, &size) ||
	    core_u64(p->core, pointer + 48, &element, NULL) ||
	    !rtype_check(p, element, &size)) {
		verify_note(v, sp->at, "the finalizer of 0x%" PRIx64
			    " is for a type that is none: 0x%" PRIx64, base,
			    pointer);
		return;
	}
	if (s->noscan || s->elemsize > 512 || sp->offset % s->elemsize ||
	    size > s->elemsize || !rtype_mask(p, element, &mask))
		return;
	uint64_t words = size / 8;
	uint64_t keep = words >= 64 ? ~UINT64_C(0) :
				      (UINT64_C(1) << words) - 1;
	uint64_t has = go_object_mask(p, s->region, sp->object) & keep;
	if (has != mask)
		verify_note(v, base, "the object at 0x%" PRIx64 " has pointers "
			    "in its words 0x%" PRIx64 " by its map, 0x%" PRIx64
			    " by the type of its finalizer", base, has, mask);
}

// check_twins holds the pointer maps of all goroutine records against each
// other: they are of one type.
static void check_twins(struct go_verify *v)
{
	const struct go_process *p = v->process;
	uint64_t votes = 0, mask = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < p->threads->n_gs; i++) {
			taddr at = go_g_at(p, i);
			struct heap_ref ref;
			uint64_t one;
			if (heap_find(p->heap, at, &ref) ||
			    at != heap_ref_at(p->heap, ref))
				continue;
			one = go_object_mask(p, ref.region, ref.slot);
			if (pass == 0 && votes == 0)
				mask = one;
			if (pass == 0)
				votes = one == mask ? votes + 1 : votes - 1;
			else if (one && mask && one != mask)
				verify_note(v, at, "the goroutine record at 0x%"
					    PRIx64 " has pointers in its words "
					    "0x%" PRIx64 " by its map, the "
					    "others in 0x%" PRIx64, at, one,
					    mask);
		}
	}
}

static void check_region(struct go_verify *v, const struct heap_region *r)
{
	const struct heap *h = v->process->heap;
	const struct go_span *s = &v->process->spans->at[r->tag];
	if (s->noscan)
		return;
	if (s->ptrmap == GO_PTRMAP_INSPAN && s->elemsize > 8)
		check_tail(v, s);
	for (uint64_t w = 0; w * 64 < r->n_slots; w++) {
		uint64_t todo = heap_live(h)[r->first_word + w] &
				heap_allocated(h)[r->first_word + w];
		for (; todo; todo &= todo - 1)
			check_object(v, s, (uint32_t)(64 * w) +
				     (uint32_t)__builtin_ctzll(todo));
	}
}

void verify_maps(struct go_verify *v)
{
	size_t n;
	const struct heap_region *r = heap_regions(v->process->heap, &n);
	for (size_t i = 0; i < n; i++)
		check_region(v, &r[i]);
	go_specials_each(v->process, check_finalizer, v);
	check_twins(v);
}
