// growth_rows.c: see growth.h: rows, found again, compared and printed.
#include "cli/growth.h"

#include "cli/intern.h"
#include "cli/stacks.h"

#include <stdio.h>
#include <string.h>

#define CALLS_SHOWN 4 // of a stack

// row_hash is of addresses: strings are interned.
static uint64_t row_hash(const struct growth_row *row)
{
	uint64_t h = hash_mix((uintptr_t)row->name, (uintptr_t)row->kind);
	for (uint32_t i = 0; i < row->n_frames; i++) {
		const struct heap_frame *f = &row->frames[i];
		h = hash_mix(h, (uintptr_t)f->function);
		h = hash_mix(h, (uintptr_t)f->file);
		h = hash_mix(h, 2 * (uint64_t)f->line + f->inlined);
	}
	return h;
}

static bool same_row(const struct growth_row *a, const struct growth_row *b)
{
	if (a->name != b->name || a->kind != b->kind ||
	    a->n_frames != b->n_frames)
		return false;
	for (uint32_t i = 0; i < a->n_frames; i++) {
		const struct heap_frame *f = &a->frames[i];
		const struct heap_frame *g = &b->frames[i];
		if (f->function != g->function || f->file != g->file ||
		    f->line != g->line || f->inlined != g->inlined)
			return false;
	}
	return true;
}

// slot_of returns the slot where a row is or belongs.
static uint32_t *slot_of(const struct growth_rows *r,
			 const struct growth_row *key)
{
	uint64_t i = row_hash(key) & (r->n_slots - 1);
	while (r->slots[i] && !same_row(&r->at[r->slots[i] - 1], key))
		i = (i + 1) & (r->n_slots - 1);
	return &r->slots[i];
}

static bool grow(struct growth_rows *r, struct pool *pool)
{
	uint64_t n = r->n_slots ? 2 * r->n_slots : 1024;
	uint32_t *slots = pool_new(pool, uint32_t, n);
	if (!slots || n > UINT32_MAX)
		return false;
	r->slots = slots;
	r->n_slots = n;
	for (uint64_t i = 0; i < r->n; i++)
		*slot_of(r, &r->at[i]) = (uint32_t)i + 1;
	return true;
}

struct growth_row *growth_row_add(struct growth_rows *rows, struct pool *pool,
				  const struct growth_row *key,
				  unsigned n_cells)
{
	if (2 * rows->n >= rows->n_slots && !grow(rows, pool))
		return NULL;
	uint32_t *slot = slot_of(rows, key);
	if (*slot)
		return &rows->at[*slot - 1];
	struct growth_cell *cell = pool_new(pool, struct growth_cell, n_cells);
	struct heap_frame *frames =
		pool_new(pool, struct heap_frame, key->n_frames);
	struct growth_row *row = cell && frames ? vec_push(pool, rows) : NULL;
	if (!row)
		return NULL;
	for (uint32_t i = 0; i < key->n_frames; i++)
		frames[i] = key->frames[i];
	*row = *key;
	row->frames = frames;
	row->cell = cell;
	*slot = (uint32_t)rows->n;
	return row;
}

int growth_by_name(const struct growth_row *a, const struct growth_row *b)
{
	int order = strcmp(a->name, b->name);
	if (!order && a->kind && b->kind)
		order = strcmp(a->kind, b->kind);
	for (uint32_t i = 0; !order && i < a->n_frames && i < b->n_frames; i++) {
		const struct heap_frame *f = &a->frames[i];
		const struct heap_frame *g = &b->frames[i];
		order = strcmp(f->function, g->function);
		if (!order)
			order = strcmp(f->file, g->file);
		if (!order && f->line != g->line)
			order = f->line < g->line ? -1 : 1;
		if (!order)
			order = (int)f->inlined - (int)g->inlined;
	}
	if (!order && a->n_frames != b->n_frames)
		order = a->n_frames < b->n_frames ? -1 : 1;
	return order;
}

uint64_t growth_weight(const struct growth *g, const struct growth_row *row,
		       unsigned core)
{
	return g->left_out ? row->cell[core].bytes : row->cell[core].retained;
}

void growth_place(struct out *out, const struct growth_row *row, size_t indent)
{
	uint32_t max = row->n_frames == CALLS_SHOWN + 1 ? CALLS_SHOWN + 1 :
							   CALLS_SHOWN;
	if (row->n_frames == 0) {
		if (row->kind)
			out_printf(out, "%s ", row->kind);
		out_name(out, row->name);
		out_text(out, "\n");
	}
	for (uint32_t i = 0; i < row->n_frames && i < max; i++) {
		if (i)
			out_pad(out, indent);
		stack_frame_text(out, &row->frames[i]);
	}
	if (row->n_frames > max) {
		out_pad(out, indent);
		out_printf(out, "… %s calls further out (--json has them)\n",
			   word_count(row->n_frames - max).at);
	}
}

void growth_note(struct out *out, const struct growth *g)
{
	if (!g->left_out)
		return;
	out_text(out, "\n");
	out_name(out, g->left_out);
	out_text(out, "\n");
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
