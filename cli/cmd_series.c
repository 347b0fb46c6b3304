// cmd_series.c: `heapcore series A B C…`: what grows, and never shrinks.
#include "cli/commands.h"
#include "cli/growth.h"
#include "cli/stacks.h"

#include <stdlib.h>

// rises says whether a row never shrank from core to core and is larger at
// the end.
static bool rises(const struct growth *g, const struct growth_row *row)
{
	for (unsigned i = 1; i < g->n; i++)
		if (growth_weight(g, row, i) < growth_weight(g, row, i - 1))
			return false;
	return growth_weight(g, row, g->n - 1) > growth_weight(g, row, 0);
}

static int64_t change(const struct growth *g, const struct growth_row *row)
{
	return (int64_t)(growth_weight(g, row, g->n - 1) -
			 growth_weight(g, row, 0));
}

// steady_first puts what never shrinks first, then what grew most.
static int steady_first(const void *a, const void *b, void *ctx)
{
	const struct growth_row *x = a, *y = b;
	bool rx = rises(ctx, x), ry = rises(ctx, y);
	int64_t cx = change(ctx, x), cy = change(ctx, y);
	if (rx != ry)
		return rx ? -1 : 1;
	if (cx != cy)
		return cx > cy ? -1 : 1;
	return growth_by_name(x, y);
}

// cells_json writes one number of a row for all cores; offset is its place in
// a cell.
static void cells_json(struct json *j, const char *key, const struct growth *g,
		       const struct growth_row *row, size_t offset)
{
	json_open(j, key, '[');
	for (unsigned k = 0; k < g->n; k++) {
		const char *cell = (const char *)&row->cell[k];
		json_u64(j, NULL, *(const uint64_t *)(cell + offset));
	}
	json_close(j, ']');
}

static void rows_json(struct json *j, const char *key, const struct growth *g,
		      const struct growth_rows *rows, uint64_t max)
{
	bool is_site = rows == &g->sites;
	json_open(j, key, '[');
	for (uint64_t i = 0; i < rows->n && i < max; i++) {
		const struct growth_row *row = &rows->at[i];
		json_open(j, NULL, '{');
		if (row->kind)
			json_text(j, "kind", row->kind);
		if (is_site)
			stack_json(j, row->frames, row->n_frames);
		else
			json_text(j, row->kind ? "name" : "type", row->name);
		json_bool(j, "never_shrinks", rises(g, row));
		cells_json(j, is_site ? "estimated_objects" : "counts", g, row,
			   offsetof(struct growth_cell, objects));
		cells_json(j, is_site ? "estimated_bytes" : "bytes", g, row,
			   offsetof(struct growth_cell, bytes));
		if (!is_site && !g->left_out)
			cells_json(j, "retained_bytes", g, row,
				   offsetof(struct growth_cell, retained));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void series_json(struct session *s, const struct growth *g)
{
	struct json j;
	json_begin(&j, s->out);
	json_open(&j, "cores", '[');
	for (unsigned k = 0; k < g->n; k++) {
		json_open(&j, NULL, '{');
		json_text(&j, "core", g->core[k].file);
		if (g->core[k].snapshot)
			json_u64(&j, "snapshot", g->core[k].snapshot);
		json_u64(&j, "live_objects", g->core[k].totals.live_objects);
		json_u64(&j, "live_bytes", g->core[k].totals.live_bytes);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	if (g->left_out)
		json_text(&j, "note", g->left_out);
	rows_json(&j, "types", g, &g->types, session_rows(s));
	if (!g->left_out)
		rows_json(&j, "holders", g, &g->holders, session_rows(s));
	if (g->has_sites)
		rows_json(&j, "sites", g, &g->sites, session_rows(s));
	json_end(&j);
}

static void rows_text(struct session *s, const struct growth *g,
		      const struct growth_rows *rows)
{
	struct out *out = s->out;
	uint64_t max = session_rows(s);
	for (uint64_t i = 0; i < rows->n && i < max; i++) {
		const struct growth_row *row = &rows->at[i];
		out_text(out, rises(g, row) ? "^" : " ");
		for (unsigned k = 0; k < g->n; k++)
			out_printf(out, " %11s",
				   word_size(growth_weight(g, row, k),
					     out->exact).at);
		out_text(out, "  ");
		growth_place(out, row, 3 + 12 * (size_t)g->n);
	}
	if (rows->n > max)
		out_printf(out, "… %s more (-n all shows them)\n",
			   word_count(rows->n - max).at);
}

static void series_text(struct session *s, const struct growth *g)
{
	struct out *out = s->out;
	out_text(out, " ");
	for (unsigned k = 0; k < g->n; k++)
		out_printf(out, " %11s",
			   word_size(g->core[k].totals.live_bytes,
				     out->exact).at);
	out_text(out, "  all live objects\n\n");
	out_heading(out, g->left_out ? "BYTES BY TYPE (^ never shrinks)" :
				       "RETAINED BY TYPE (^ never shrinks)");
	rows_text(s, g, &g->types);
	if (!g->left_out) {
		out_text(out, "\n");
		out_heading(out, "RETAINED BY HOLDER");
		rows_text(s, g, &g->holders);
	}
	if (g->has_sites) {
		out_text(out, "\n");
		out_heading(out, "IN USE BY WHAT ALLOCATED IT (estimated from "
				 "samples)");
		rows_text(s, g, &g->sites);
	}
	growth_note(out, g);
}

enum hc cmd_series(struct session *s)
{
	struct growth *g = pool_new(&s->pool, struct growth, 1);
	if (!g)
		return hc_nomem(&s->err);
	HC_TRY(growth_read(s, false, g));
	struct growth_rows *rows[] = { &g->types, &g->holders, &g->sites };
	for (unsigned i = 0; i < 3; i++)
		if (rows[i]->n)
			qsort_r(rows[i]->at, rows[i]->n, sizeof(*rows[i]->at),
				steady_first, g);
	if (s->o.json)
		series_json(s, g);
	else
		series_text(s, g);
	return HC_OK;
}
