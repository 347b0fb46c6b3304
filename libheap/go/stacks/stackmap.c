// stackmap.c: see stackmap.h.
#include "libheap/go/stacks/stackmap.h"

#define MAX_BITS (1 << 27)       // words of a frame: 1 GiB of stack
#define MAX_OBJECTS (1u << 20)   // of one function
#define OBJECT_LEN 16

// map_at takes map i of a stackmap table: n, nbit, then n bitmaps.
// Source: runtime/symtab.go, type stackmap.
static bool map_at(const struct go_process *process, taddr table, int32_t i,
		   struct go_map *ret)
{
	struct hc_err why;
	const uint8_t *head, *bits;
	int32_t n, n_bits;
	uint64_t len;

	if (core_view(process->core, table, 8, &head, &why))
		return false;
	n = (int32_t)get_u32(head);
	n_bits = (int32_t)get_u32(head + 4);
	if (n <= 0 || n_bits < 0 || n_bits > MAX_BITS)
		return false;
	*ret = (struct go_map){ 0 };
	if (n_bits == 0)
		return true;
	len = ((uint64_t)n_bits + 7) / 8;
	if (i < 0 || i >= n ||
	    core_view(process->core, table + 8 + len * (uint64_t)i, len, &bits,
		      &why))
		return false;
	*ret = (struct go_map){ bits, (uint32_t)n_bits };
	return true;
}

static bool objects_of(const struct go_process *process,
		       const struct go_func *fn, struct go_maps *ret)
{
	unsigned word = core_info(process->core)->word;
	taddr at = go_funcdata(fn, GO_FUNCDATA_OBJECTS);
	struct hc_err why;
	uint64_t n;

	if (at == 0)
		return true;
	if (core_ptr(process->core, at, &n, &why) || n > MAX_OBJECTS ||
	    core_view(process->core, at + word, n * OBJECT_LEN, &ret->objects,
		      &why))
		return false;
	ret->n_objects = n;
	ret->rodata = fn->module->rodata;
	return true;
}

// decode fills *ret for a frame of fn that goes on at pc; false when the
// tables are damaged (what is sound is filled in).
static bool decode(const struct go_process *process, const struct go_func *fn,
		   taddr pc, struct go_maps *ret)
{
	int32_t i = -1;
	bool good = true;
	taddr at;

	*ret = (struct go_maps){ 0 };
	if (pc != fn->entry &&
	    go_pc_value(fn, GO_TABLE_PCDATA + GO_PCDATA_STACKMAP, pc - 1, &i))
		i = -1;
	if (i == -1) // the prologue has the map of the entry
		i = 0;
	at = go_funcdata(fn, GO_FUNCDATA_LOCALS);
	if (at != 0)
		good = map_at(process, at, i, &ret->locals) && good;
	at = go_funcdata(fn, GO_FUNCDATA_ARGS);
	if (at != 0 && fn->args > 0)
		good = map_at(process, at, i, &ret->args) && good;
	return objects_of(process, fn, ret) && good;
}

// reflect_args reads the map that package reflect made for this call.
// Source: runtime/stkframe.go, argMapInternal; type reflectMethodValue.
static void reflect_args(const struct go_process *process,
			 const struct go_unwind *u, struct go_frame_maps *ret)
{
	const struct go_frame *f = &u->frame;
	unsigned word = u->word;
	taddr arg0 = f->sp + u->min_frame;
	taddr end = f->fp - (u->lr_arch ? 0 : word);
	struct hc_err why;
	const uint8_t *mv, *vector, *bits = NULL;
	uint64_t at, valid, n;

	if (arg0 >= end) // not begun: no locals and no arguments
		return;
	ret->reg_args = true;
	ret->bad = true;
	if (go_stack_word(process, &u->stack, arg0, &at) ||
	    go_stack_word(process, &u->stack, arg0 + 4 * word, &valid) ||
	    core_view(process->core, at, 3 * word, &mv, &why) ||
	    go_word(mv, word) != f->at->fn.entry ||
	    core_view(process->core, go_word(mv + word, word), 2 * word,
		      &vector, &why))
		return;
	n = get_u32(vector);
	if ((valid & 0xff) == 0 && go_word(mv + 2 * word, word) / word < n)
		n = go_word(mv + 2 * word, word) / word;
	if (n > MAX_BITS ||
	    (n > 0 && core_view(process->core, go_word(vector + word, word),
				(n + 7) / 8, &bits, &why)))
		return;
	ret->maps.args = (struct go_map){ bits, (uint32_t)n };
	ret->bad = false;
}

void go_maps_of(const struct go_process *process, const struct go_unwind *u,
		struct go_frame_maps *ret)
{
	const struct go_frame *f = &u->frame;
	struct go_pc *at = f->at;
	uint64_t least = u->lr_arch ? 16 : 0; // MinFrameSize, aligned

	*ret = (struct go_frame_maps){ 0 };
	if (f->continpc != f->pc) {
		ret->bad = !decode(process, &at->fn, f->continpc, &ret->maps);
	} else {
		if (!at->has_maps)
			at->bad_maps = !decode(process, &at->fn, f->pc,
					       &at->maps);
		at->has_maps = true;
		ret->maps = at->maps;
		ret->bad = at->bad_maps;
	}
	if (f->varp - f->sp <= least || f->varp < f->sp)
		ret->maps.locals = (struct go_map){ 0 };
	else
		ret->locals_missing =
			go_funcdata(&at->fn, GO_FUNCDATA_LOCALS) == 0;
	if (at->is_reflect)
		reflect_args(process, u, ret);
	else
		ret->args_missing = at->fn.args > 0 &&
			go_funcdata(&at->fn, GO_FUNCDATA_ARGS) == 0;
}
