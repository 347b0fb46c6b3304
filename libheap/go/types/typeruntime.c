// typeruntime.c: see typeruntime.h.
#include "libheap/go/types/typeruntime.h"

#include "libheap/go/heap/chain.h"
#include "libheap/go/heap/specials.h"
#include "libheap/go/types/typespecial.h"

#include "libdwarfread/dwarfread.h"

// runtime_type returns the id of a struct of the runtime by its name.
static go_typeid runtime_type(struct go_typing *t, const char *name,
			      uint64_t size)
{
	struct dwarf *dwarf;
	struct dwarf_type found = { 0 };
	if (!go_dwarf(t->process, &dwarf) &&
	    !dwarf_find_structs(dwarf, &name, 1, &found, NULL) && found.ref) {
		go_typeid id = go_type_by_die(t->types, found.ref);
		if (id)
			return id;
	}
	return go_type_opaque(t->types, name, size);
}

go_typeid go_chan_element(const struct go_typing *t, taddr chan)
{
	// hchan {qcount, dataqsiz, buf, elemsize u16, closed u32, [timer from
	// 1.23,] elemtype, …}
	const uint8_t *v;
	unsigned off = t->process->version.minor >= 23 ? 40 : 32;
	if (!chan || core_view(t->process->core, chan, 48, &v, NULL))
		return 0;
	taddr rtype = get_u64(v + off);
	uint64_t qcount = get_u64(v), n = get_u64(v + 8);
	if (qcount > n || get_u32(v + 28) > 1 ||
	    !go_is_type_address(t->types, rtype))
		return 0;
	go_typeid id = go_type_by_rtype(t->types, rtype);
	return id && go_type_get(t->types, id)->size == get_u16(v + 24) ? id :
									  0;
}

// sudog_word reads a word of a sudog that from Go 1.26 on is a pair, the
// second of which is always set.
static taddr sudog_word(const struct go_typing *t, taddr sudog,
			enum go_field f)
{
	const struct go_layout *l = &t->process->layout;
	taddr at = 0;
	if (!go_has(l, f) ||
	    core_u64(t->process->core,
		     sudog + go_off(l, f) + (l->field[f].size == 16 ? 8 : 0),
		     &at, NULL))
		return 0;
	return at;
}

// claim_waiting claims the sudogs that a goroutine waits with, and the values
// that they carry.
static void claim_waiting(struct go_typing *t, taddr sudog, go_typeid type)
{
	struct go_chain chain = { 0 };
	uint64_t next;
	for (; go_chain_on(&chain, sudog); sudog = next) {
		taddr chan = sudog_word(t, sudog, F_sudog_c);
		taddr elem = sudog_word(t, sudog, F_sudog_elem);
		go_typeid of = go_chan_element(t, chan);
		uint64_t size = go_type_get(t->types, of)->size;
		const uint8_t *mem;
		go_typing_claim(t, sudog, type, 0);
		go_typing_claim(t, elem, of, 0);
		if (size && elem &&
		    !core_view(t->process->core, elem, size, &mem, NULL))
			go_typing_scan(t, mem, elem, of, 1);
		if (go_field(t->process, sudog, F_sudog_waitlink, &next, NULL))
			return;
	}
}

// claim_defers claims a goroutine's deferred calls: records in the heap and
// the closures that they call.
static void claim_defers(struct go_typing *t, taddr at, go_typeid type)
{
	struct go_chain chain = { 0 };
	uint64_t fn, next;
	for (; go_chain_on(&chain, at); at = next) {
		go_typing_claim(t, at, type, 0);
		if (!go_field(t->process, at, F_defer_fn, &fn, NULL))
			go_typing_closure(t, fn);
		if (go_field(t->process, at, F_defer_link, &next, NULL))
			return;
	}
}

// claim_goroutines claims the records of allgs.
static void claim_goroutines(struct go_typing *t)
{
	struct go_process *p = t->process;
	const struct go_layout *l = &p->layout;
	go_typeid g = runtime_type(t, "runtime.g", l->size[S_g]);
	go_typeid sudog = runtime_type(t, "runtime.sudog", l->size[S_sudog]);
	go_typeid defer = runtime_type(t, "runtime._defer", l->size[S_defer]);
	struct go_slice all;
	if (go_slice_at(p, p->globals.at[G_allgs], 8, &all, NULL))
		return;
	go_typing_claim(t, all.at, go_type_opaque(t->types, "*runtime.g", 8),
			all.cap);
	for (uint64_t i = 0; i < all.len; i++) {
		taddr at;
		uint64_t next;
		if (core_u64(p->core, all.at + 8 * i, &at, NULL))
			break;
		go_typing_claim(t, at, g, 0);
		if (!go_field(p, at, F_g_waiting, &next, NULL))
			claim_waiting(t, next, sudog);
		if (!go_field(p, at, F_g_defer, &next, NULL))
			claim_defers(t, next, defer);
		go_typing_drain(t);
	}
}

// claim_pointee claims an object by the type of a pointer to it.
static void claim_pointee(struct go_typing *t, taddr at, taddr pointer_type)
{
	const struct go_type *r = go_type_get(
		t->types, go_type_by_rtype(t->types, pointer_type));
	if (r->kind == GO_KIND_POINTER)
		go_typing_claim(t, at, r->elem, 0);
}

// finalizer_object claims an object that has a finalizer.
static void finalizer_object(void *ctx, const struct go_special *special)
{
	struct go_typing *t = ctx;
	struct go_process *p = t->process;
	uint64_t ot, fn;
	if (!go_special_is(p, special, C_KindSpecialFinalizer) ||
	    go_field(p, special->at, F_specialfinalizer_ot, &ot, NULL) ||
	    go_field(p, special->at, F_specialfinalizer_fn, &fn, NULL))
		return;
	claim_pointee(t, special->span->base + special->offset, ot);
	go_typing_closure(t, fn);
}

// claim_block claims the finalizers of one block of the queue.
static void claim_block(struct go_typing *t, taddr block, uint64_t n)
{
	struct go_process *p = t->process;
	const struct go_layout *l = &p->layout;
	uint64_t len = l->size[S_finalizer];
	for (uint64_t i = 0; i < n && i < 4096; i++) {
		taddr at = block + go_off(l, F_finblock_fin) + i * len;
		uint64_t fn, arg, ot;
		if (go_field(p, at, F_finalizer_fn, &fn, NULL) ||
		    go_field(p, at, F_finalizer_arg, &arg, NULL) ||
		    go_field(p, at, F_finalizer_ot, &ot, NULL))
			return;
		claim_pointee(t, arg, ot);
		go_typing_closure(t, fn);
	}
}

// claim_due claims what finalizers that are due were set on.
static void claim_due(struct go_typing *t)
{
	struct go_process *p = t->process;
	struct go_chain chain = { 0 };
	taddr at = p->globals.at[G_allfin];
	uint64_t n, next;
	if (!at || !go_has(&p->layout, F_finblock_fin) ||
	    core_u64(p->core, at, &at, NULL))
		return;
	for (; go_chain_on(&chain, at); at = next) {
		if (go_field(p, at, F_finblock_cnt, &n, NULL) ||
		    go_field(p, at, F_finblock_alllink, &next, NULL))
			return;
		claim_block(t, at, n);
	}
}

void go_typing_runtime(struct go_typing *t)
{
	claim_goroutines(t);
	go_specials_each(t->process, finalizer_object, t);
	claim_due(t);
	go_typing_drain(t);
}
