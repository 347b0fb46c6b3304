// growth.c: see growth.h.
//
// Only one heap is open at a time: its figures are copied and it is closed.
#include "cli/growth.h"

#include "cli/commands.h"
#include "cli/intern.h"
#include "cli/types.h"

#include <stdio.h>
#include <string.h>

// struct gather fills a growth. Shape: of_type and of_holder are hash tables
// of rows plus 1, by the address of the interned name.
struct gather {
	struct session *s;
	struct growth *g;
	struct interned names;
	struct table {
		uint32_t *at;
		uint64_t n;
	} of_type, of_holder;
	unsigned core;
};

static bool table_grow(struct gather *k, struct table *t, const struct growth_rows *r)
{
	uint64_t n = t->n ? 2 * t->n : 1024;
	uint32_t *at = pool_new(&k->s->pool, uint32_t, n);
	if (!at)
		return false;
	for (uint64_t i = 0; i < r->n; i++) {
		uint64_t h = hash_text(r->at[i].name) & (n - 1);
		while (at[h])
			h = (h + 1) & (n - 1);
		at[h] = (uint32_t)i + 1;
	}
	*t = (struct table){ at, n };
	return true;
}

// row_of finds or makes a row; NULL when memory is short.
static struct growth_row *row_of(struct gather *k, struct table *t,
				 struct growth_rows *r, const char *name,
				 const char *kind)
{
	struct pool *pool = &k->s->pool;
	name = intern(&k->names, name);
	kind = kind ? intern(&k->names, kind) : NULL;
	if (!name || (2 * r->n >= t->n && !table_grow(k, t, r)))
		return NULL;
	uint64_t h = hash_text(name) & (t->n - 1);
	for (; t->at[h]; h = (h + 1) & (t->n - 1)) {
		struct growth_row *row = &r->at[t->at[h] - 1];
		if (row->name == name && row->kind == kind)
			return row;
	}
	struct growth_row *row = vec_push(pool, r);
	struct growth_cell *cell = pool_new(pool, struct growth_cell, k->g->n);
	if (!row || !cell)
		return NULL;
	*row = (struct growth_row){ name, kind, cell };
	t->at[h] = (uint32_t)r->n;
	return row;
}

static enum hc gather_types(struct gather *k, struct session *sub,
			    struct heap_retained *retained)
{
	struct heap_sum *sum;
	HC_TRY(heap_retained_by(retained, NULL, NULL, types_count(sub->types),
				&sub->pool, &sum, &sub->err));
	for (uint32_t i = 0; i < types_count(sub->types); i++) {
		if (sum[i].objects == 0)
			continue;
		struct growth_row *row = row_of(k, &k->of_type, &k->g->types,
						types_name(sub, i), NULL);
		if (!row)
			return hc_nomem(&sub->err);
		row->cell[k->core].objects += sum[i].objects;
		row->cell[k->core].bytes += sum[i].own_bytes;
		row->cell[k->core].retained += sum[i].bytes;
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
		struct growth_row *row = row_of(k, &k->of_holder,
						&k->g->holders, name.name,
						kind);
		if (!row)
			return hc_nomem(&sub->err);
		row->cell[k->core].objects += h.objects;
		row->cell[k->core].retained += h.bytes;
		row->cell[k->core].bytes += h.bytes;
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

static enum hc gather_core(struct gather *k, struct session *sub,
			   bool objects)
{
	struct heap_retained *retained;
	struct growth_core *core = &k->g->core[k->core];
	HC_TRY(session_mark(sub));
	HC_TRY(types_open(sub));
	core->totals = heap_totals(sub->heap);
	HC_TRY(heap_retain(sub->heap, false, &retained, &sub->err));
	core->has_retained = true;
	HC_TRY(gather_types(k, sub, retained));
	HC_TRY(gather_holders(k, sub, retained));
	return objects ? gather_objects(k, sub) : HC_OK;
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
	k->g->core[k->core].file = file;
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

enum hc growth_read(struct session *s, bool objects, struct growth *ret)
{
	struct gather k = { .s = s, .g = ret, .names.pool = &s->pool };
	*ret = (struct growth){ .n = s->o.n_words - 1 };
	for (; k.core < ret->n; k.core++)
		HC_TRY(gather_file(&k, s->o.words[k.core + 1], objects));
	return HC_OK;
}

uint64_t growth_weight(const struct growth *g, const struct growth_row *row,
		       unsigned core)
{
	return g->core[core].has_retained ? row->cell[core].retained :
					    row->cell[core].bytes;
}

void growth_signed(struct out *out, uint64_t a, uint64_t b, unsigned width)
{
	char text[48];
	snprintf(text, sizeof(text), "%s%s", b > a ? "+" : b < a ? "-" : "",
		 word_size(b > a ? b - a : a - b, out->exact).at);
	out_printf(out, "%*s", (int)width, text);
}

void growth_json_signed(struct json *j, const char *key, uint64_t a,
			uint64_t b)
{
	json_key(j, key);
	if (b < a)
		out_text(j->out, "-");
	out_u64(j->out, b < a ? a - b : b - a);
}
