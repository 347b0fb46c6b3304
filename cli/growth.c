// growth.c: see growth.h.
//
// Only one heap is open at a time: its figures are copied and it is closed.
#include "cli/growth.h"

#include "cli/commands.h"
#include "cli/growth_sites.h"
#include "cli/types.h"
#include "libheap/dump/dump.h"

#include <stdio.h>
#include <string.h>

// struct gather fills a growth. Shape: core is the one that is open.
struct gather {
	struct session *s;
	struct growth *g;
	struct interned names;
	unsigned core;
};

// cell_of finds or makes the cell of a type or holder; NULL when memory is
// short.
static struct growth_cell *cell_of(struct gather *k, struct growth_rows *rows,
				   const char *name, const char *kind)
{
	struct growth_row key = { .name = intern(&k->names, name) };
	key.kind = kind ? intern(&k->names, kind) : NULL;
	if (!key.name || (kind && !key.kind))
		return NULL;
	struct growth_row *row = growth_row_add(rows, &k->s->pool, &key,
						k->g->n);
	return row ? &row->cell[k->core] : NULL;
}

// leave_out remembers why retained sizes are left out, which is when memory
// does not allow them; of anything else the answer fails.
static enum hc leave_out(struct gather *k, const struct session *sub)
{
	if (sub->err.kind != HC_LIMIT && sub->err.kind != HC_NOMEM)
		return HC_FAIL;
	k->g->left_out = pool_printf(&k->s->pool,
				     "what types and holders retain is left "
				     "out: %s: %s", k->g->core[k->core].file,
				     sub->err.msg);
	return k->g->left_out ? HC_OK : HC_FAIL;
}

// gather_types adds up types. Retained sizes that memory does not allow are
// left out: then retained is NULL.
static enum hc gather_types(struct gather *k, struct session *sub,
			    struct heap_retained **retained)
{
	uint32_t n = types_count(sub->types);
	struct heap_sum *sum = NULL;
	struct heap_count *count = NULL;
	if (*retained &&
	    heap_retained_by(*retained, NULL, NULL, n, &sub->pool, &sum,
			     &sub->err)) {
		HC_TRY(leave_out(k, sub));
		*retained = NULL;
	}
	if (!*retained) {
		count = pool_new(&sub->pool, struct heap_count, n);
		if (!count)
			return hc_nomem(&sub->err);
		heap_type_counts(sub->heap, heap_live(sub->heap), NULL, 0,
				 count, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		if ((sum ? sum[i].objects : count[i].objects) == 0)
			continue;
		struct growth_cell *cell = cell_of(k, &k->g->types,
						   types_name(sub, i), NULL);
		if (!cell)
			return hc_nomem(&sub->err);
		cell->objects += sum ? sum[i].objects : count[i].objects;
		cell->bytes += sum ? sum[i].own_bytes : count[i].bytes;
		cell->retained += sum ? sum[i].bytes : 0;
	}
	return HC_OK;
}

// struct stack_end remembers the outermost function of a stack.
struct stack_end {
	char name[512];
};

static bool on_frame(void *ctx, const struct heap_frame *f)
{
	struct stack_end *end = ctx;
	snprintf(end->name, sizeof(end->name), "%s",
		 f->function ? f->function : "?");
	return true;
}

// holder_name names a holder so that another core of the process has the same:
// a goroutine by what it runs, nothing by its address.
static enum hc holder_name(struct session *sub, const struct heap_root *root,
			   struct stack_end *name, const char **kind)
{
	struct heap_root_text text = { 0 };
	*kind = heap_root_kind_name((enum heap_root_kind)root->kind);
	if (root->owner != HEAP_NO_OWNER && sub->reader->frames) {
		*kind = "goroutine";
		name->name[0] = '\0';
		sub->reader->frames(sub->self, root->owner, on_frame, name);
		if (name->name[0])
			return HC_OK;
	}
	char *mark = pool_mark(&sub->scratch);
	HC_TRY(sub->reader->root_text(sub->self, root, &sub->scratch, &text,
				      &sub->err));
	snprintf(name->name, sizeof(name->name), "%s", text.name);
	char *at = strstr(name->name, " of 0x");
	if (at)
		*at = '\0';
	pool_rewind(&sub->scratch, mark);
	return HC_OK;
}

static enum hc gather_holders(struct gather *k, struct session *sub,
			      struct heap_retained *retained)
{
	struct stack_end name;
	const char *kind;
	for (uint32_t i = 0; i < heap_holders(retained); i++) {
		struct heap_keeper h = heap_holder(retained, i);
		HC_TRY(holder_name(sub, &h.root, &name, &kind));
		struct growth_cell *cell = cell_of(k, &k->g->holders,
						   name.name, kind);
		if (!cell)
			return hc_nomem(&sub->err);
		cell->objects += h.objects;
		cell->retained += h.bytes;
		cell->bytes += h.bytes;
	}
	return HC_OK;
}

// gather_objects lists the live objects.
static enum hc gather_objects(struct gather *k, struct session *sub)
{
	size_t n;
	struct growth_core *core = &k->g->core[k->core];
	const struct heap_region *r = heap_regions(sub->heap, &n);
	const uint64_t *live = heap_live(sub->heap);
	core->objects = pool_new(&k->s->pool, struct growth_object,
				 core->totals.live_objects + 1);
	if (!core->objects)
		return hc_nomem(&sub->err);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t w = 0; w < (r[i].n_slots + UINT64_C(63)) / 64; w++) {
			uint64_t bits = live[r[i].first_word + w];
			for (; bits; bits &= bits - 1) {
				struct heap_ref ref = {
					(uint32_t)i,
					64 * w + (uint32_t)__builtin_ctzll(bits)
				};
				const char *type = intern(
					&k->names,
					types_name(sub, heap_type_of(sub->heap,
								     ref)));
				if (!type)
					return hc_nomem(&sub->err);
				core->objects[core->n_objects++] =
					(struct growth_object){
						heap_ref_at(sub->heap, ref),
						r[i].slot, type
					};
			}
		}
	}
	return HC_OK;
}

// gather_core asks for retained sizes last: they may use memory up.
static enum hc gather_core(struct gather *k, struct session *sub,
			   bool objects)
{
	struct heap_retained *retained = NULL;
	struct growth_core *core = &k->g->core[k->core];
	HC_TRY(types_open(sub));
	HC_TRY(session_mark(sub));
	core->totals = heap_totals(sub->heap);
	if (objects)
		HC_TRY(gather_objects(k, sub));
	HC_TRY(growth_sites(k->g, k->core, sub, &k->s->pool, &k->names));
	if (!k->g->left_out &&
	    heap_retain(sub->heap, false, &retained, &sub->err)) {
		HC_TRY(leave_out(k, sub));
		retained = NULL;
	}
	HC_TRY(gather_types(k, sub, &retained));
	return retained ? gather_holders(k, sub, retained) : HC_OK;
}

// gather_file opens one file, as if a command that needs a heap asked.
static enum hc gather_file(struct gather *k, const char *file, bool objects)
{
	struct session *s = k->s;
	struct session sub = { .o = s->o, .out = s->out };
	sub.command = command_find("types");
	sub.o.core = file;
	if (s->o.n_exes > 1) // as many as files
		sub.o.exe = s->o.exes[k->core];
	sub.o.type = NULL;
	// The filter would keep the next file from being opened.
	sub.o.no_sandbox |= k->core + 1 < k->g->n;
	if (k->g->core[k->core].snapshot)
		sub.o.snapshot = k->g->core[k->core].snapshot;
	enum hc got = session_open(&sub);
	if (got == HC_OK)
		got = gather_core(k, &sub, objects);
	if (got) {
		s->err = sub.err;
		s->file = file;
	}
	session_close(&sub);
	return got;
}

// one_file takes the snapshots of the only file: two of them or all.
static enum hc one_file(struct session *s, bool two, struct growth *g)
{
	uint32_t n = 1;
	const char *file = s->file = s->o.words[1];
	if (dump_is(file))
		HC_TRY(dump_snapshots(file, &n, &s->err));
	if (n < 2 || s->o.snapshot)
		return hc_fail(&s->err, HC_UNSUPPORTED, 0,
			       "is one heap only; name another file, or one of "
			       "several snapshots");
	if (n > GROWTH_MAX && !two)
		return hc_fail(&s->err, HC_LIMIT, 0,
			       "has %" PRIu32 " snapshots; up to %u are set "
			       "side by side", n, GROWTH_MAX);
	g->n = two ? 2 : n;
	for (unsigned i = 0; i < g->n; i++)
		g->core[i] = (struct growth_core){
			.file = file, .snapshot = two && i ? n : i + 1 };
	return HC_OK;
}

enum hc growth_read(struct session *s, bool objects, struct growth *ret)
{
	struct gather k = { .s = s, .g = ret, .names.pool = &s->pool };
	*ret = (struct growth){ .n = s->o.n_words - 1, .has_sites = true };
	for (unsigned i = 0; i < ret->n; i++)
		ret->core[i].file = s->o.words[i + 1];
	if (ret->n == 1)
		HC_TRY(one_file(s, objects, ret));
	for (; k.core < ret->n; k.core++)
		HC_TRY(gather_file(&k, ret->core[k.core].file, objects));
	if (!ret->has_sites)
		ret->sites.n = 0;
	if (ret->left_out)
		ret->holders.n = 0;
	return HC_OK;
}
