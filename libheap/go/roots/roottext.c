// roottext.c: roots in words.
#include "libheap/go/roots/roots.h"

#include "libheap/go/roots/rootplace.h"
#include "libheap/go/heap/specials.h"
#include "libheap/go/stacks/start.h"
#include "libheap/go/values/variables.h"

// Walks the goroutine again up to the frame of that number.
static enum hc walk_to(struct go_process *process, uint32_t owner,
		       uint32_t frame, struct go_unwind *ret)
{
	struct go_start start;
	struct hc_err why;
	struct go_g g;

	if (owner >= process->threads->n_gs ||
	    go_g_open(process, owner, &g, &why) ||
	    go_start_of(process, &g, &start))
		return HC_NONE;
	go_walk_goroutine(process, &g, &start, ret);
	while (go_unwind_next(ret))
		if (ret->n - 1 == frame)
			return HC_OK;
	return HC_NONE;
}

static bool has_frame(enum go_place place)
{
	return place == GO_IN_LOCALS || place == GO_IN_ARGS ||
	       place == GO_IN_OBJECT || place == GO_IN_WORDS;
}

enum hc go_root_frame(struct go_process *process,
		      const struct heap_root *root, struct go_frame *ret)
{
	struct go_unwind u;

	if (root->owner == HEAP_NO_OWNER ||
	    !has_frame(go_place_of(root->detail)))
		return HC_NONE;
	HC_TRY(walk_to(process, root->owner, go_place_frame(root->detail),
		       &u));
	*ret = u.frame;
	return HC_OK;
}

static const char *frame_function(struct go_process *process,
				  const struct go_frame *frame)
{
	struct go_line line[64];
	unsigned n = go_lines(process, &frame->at->fn, go_frame_look(frame),
			      line, 64);

	return n > 0 ? line[n - 1].function : frame->at->fn.name;
}

static const char *frame_word(struct go_process *process,
			      const struct heap_root *root,
			      const struct go_frame *frame, struct pool *pool)
{
	unsigned word = core_info(process->core)->word;

	if (root->at >= frame->argp)
		return pool_printf(pool, "argument %" PRIu64,
				   (root->at - frame->argp) / word);
	return pool_printf(pool, "slot %" PRIu64,
			   (root->at - frame->sp) / word);
}

static const char *variable_word(struct go_process *process, taddr at,
				 struct pool *pool)
{
	struct go_variable v;

	if (go_variable_at(process, at, &v))
		return NULL;
	return v.at == at ? v.name :
			    pool_printf(pool, "%s+0x%" PRIx64, v.name,
					at - v.at);
}

static const char *area_word(struct go_process *process,
			     const struct heap_root *root, struct pool *pool)
{
	uint32_t i = go_place_number(root->detail);
	bool bss = go_place_of(root->detail) == GO_IN_BSS;
	const char *name = variable_word(process, root->at, pool);
	taddr base = 0;

	if (name)
		return name;
	if (i < process->n_modules)
		base = bss ? process->modules[i].bss : process->modules[i].data;
	if (i > 0)
		return pool_printf(pool, "module %" PRIu32 " %s+0x%" PRIx64, i,
				   bss ? "bss" : "data", root->at - base);
	return pool_printf(pool, "%s+0x%" PRIx64, bss ? "bss" : "data",
			   root->at - base);
}

// struct search looks for the special that a word belongs to.
struct search {
	taddr at, object;
	uint32_t len;
	bool found;
};

static void take_special(void *ctx, const struct go_special *special)
{
	struct search *search = ctx;

	if (search->at < special->at || search->at - special->at >= search->len)
		return;
	search->found = true;
	search->object = special->span->base +
			 special->object * special->span->elemsize;
}

// The words of a special belong to the object that it is set on; the words of
// an object with a finalizer lie in it.
static const char *special_word(struct go_process *process,
				const struct heap_root *root, const char *what,
				enum go_size size, struct pool *pool)
{
	struct search search = { .at = root->at,
				 .len = process->layout.size[size] };
	struct heap_ref ref;

	if (heap_find(process->heap, root->at, &ref) == HC_OK)
		return pool_printf(pool, "%s of 0x%" PRIx64, what,
				   heap_ref_at(process->heap, ref));
	go_specials_each(process, take_special, &search);
	if (!search.found)
		return what;
	return pool_printf(pool, "%s of 0x%" PRIx64, what, search.object);
}

static const char *const cleanup_parts[] = { "cleanup's adapter", "cleanup",
					     "cleanup's argument" };
static const char *const finalizer_parts[] = { "function", "object",
					       "argument type",
					       "object type" };

static const char *part(const char *const *names, uint32_t n, uint32_t i)
{
	return i < n ? names[i] : "word";
}

// Cleanups are functions alone up to 1.25.
static const char *cleanup_part(const struct go_process *process, uint32_t i)
{
	return part(cleanup_parts, 3, process->layout.size[S_cleanupFn] ? i : 1);
}

static const char *name_of(struct go_process *process,
			   const struct heap_root *root, struct pool *pool)
{
	enum core_arch arch = core_info(process->core)->arch;
	uint32_t i = go_place_number(root->detail);

	switch (go_place_of(root->detail)) {
	case GO_IN_DATA:
	case GO_IN_BSS:
		return area_word(process, root, pool);
	case GO_IN_CONTEXT:
		return "closure of the next call";
	case GO_IN_DEFER_FN:
		return "deferred function";
	case GO_IN_DEFER_LINK:
		return "next deferred call";
	case GO_IN_DEFER:
		return "deferred call";
	case GO_IN_PANIC:
		return "panic value";
	case GO_IN_REG:
		return go_reg_name(arch, i);
	case GO_IN_XREG:
		return "vector register";
	case GO_IN_COPY:
		return "stack being copied";
	case GO_IN_FINALIZED:
		return special_word(process, root, "finalizer",
				    S_specialfinalizer, pool);
	case GO_IN_FINALIZER:
		return special_word(process, root, "finalizer's function",
				    S_specialfinalizer, pool);
	case GO_IN_WEAK:
		return special_word(process, root, "weak handle",
				    S_specialWeakHandle, pool);
	case GO_IN_CLEANUP:
		return special_word(process, root, cleanup_part(process, i),
				    S_specialCleanup, pool);
	case GO_IN_FINQUEUE:
		return pool_printf(pool, "%s of a due finalizer",
				   part(finalizer_parts, 4, i));
	case GO_IN_CLEANUPQUEUE:
		return pool_printf(pool, "%s, due",
				   cleanup_part(process, i));
	default:
		return pool_printf(pool, "word at 0x%" PRIx64, root->at);
	}
}

static const char *owner_name(struct go_process *process, uint32_t owner,
			      struct pool *pool)
{
	struct hc_err why;
	struct go_g g;

	if (go_g_open(process, owner, &g, &why))
		return NULL;
	return pool_printf(pool, "goroutine %" PRIu64, g.id);
}

enum hc go_root_text(struct go_process *process, const struct heap_root *root,
		     struct pool *pool, struct heap_root_text *ret,
		     struct hc_err *err)
{
	struct heap_root_text text = { 0 };
	struct go_frame frame;

	if (root->owner != HEAP_NO_OWNER &&
	    root->owner < process->threads->n_gs)
		text.owner = owner_name(process, root->owner, pool);
	if (go_root_frame(process, root, &frame) == HC_OK) {
		text.function = frame_function(process, &frame);
		text.name = frame_word(process, root, &frame, pool);
	} else {
		text.name = name_of(process, root, pool);
	}
	if (!text.name)
		return hc_nomem(err);
	*ret = text;
	return HC_OK;
}
