// cmd_diff.c: `heapcore diff A B`: what grew between two cores or dumps.
#include "cli/commands.h"
#include "cli/growth.h"
#include "cli/stacks.h"

#include <stdlib.h>

#define SHORT_LIST 10 // rows of holders and sites without -n

enum { A, B };

// enum part is what rows are of.
enum part { TYPE_ROWS, HOLDER_ROWS, SITE_ROWS };

// struct fresh is what is only in one of two cores, by address.
struct fresh {
	uint64_t new_objects, new_bytes, gone_objects, gone_bytes;
};

static int64_t change(const struct growth *g, const struct growth_row *row)
{
	return (int64_t)(growth_weight(g, row, B) - growth_weight(g, row, A));
}

// struct order is how rows are sorted. Shape: most is the largest growth,
// most_new the most objects more that a type has which makes a tenth of that.
struct order {
	const struct growth *g;
	enum part part;
	int64_t most;
	uint64_t most_new;
};

static uint64_t new_objects(const struct growth_row *row)
{
	uint64_t a = row->cell[A].objects, b = row->cell[B].objects;
	return b > a ? b - a : 0;
}

// multiplied says whether there are more of it, and that is a good part of all
// growth: a leak is what became more, not the one map that holds it, nor the
// few tables that such a map is made of.
static bool multiplied(const struct order *o, const struct growth_row *row)
{
	return o->part == TYPE_ROWS && new_objects(row) > 0 &&
	       new_objects(row) >= o->most_new / 100 &&
	       change(o->g, row) >= o->most / 10;
}

// most_first puts what multiplied first, then what grew most; of equals, what
// has most, then by name.
static int most_first(const void *a, const void *b, void *ctx)
{
	const struct growth_row *x = a, *y = b;
	const struct order *o = ctx;
	bool mx = multiplied(o, x), my = multiplied(o, y);
	int64_t cx = change(o->g, x), cy = change(o->g, y);
	if (mx != my)
		return mx ? -1 : 1;
	if (cx != cy)
		return cx > cy ? -1 : 1;
	if (x->cell[B].bytes != y->cell[B].bytes)
		return x->cell[B].bytes > y->cell[B].bytes ? -1 : 1;
	return growth_by_name(x, y);
}

static bool same_object(const struct growth_object *a,
			const struct growth_object *b)
{
	return a->at == b->at && a->size == b->size && a->type == b->type;
}

// walk_fresh counts and, with json, lists the objects of core `in` that are
// not in the other one.
static void walk_fresh(const struct growth *g, unsigned in, struct json *json,
		       uint64_t max, uint64_t *ret_n, uint64_t *ret_bytes)
{
	const struct growth_core *a = &g->core[in], *b = &g->core[!in];
	uint64_t k = 0;
	*ret_n = *ret_bytes = 0;
	for (uint64_t i = 0; i < a->n_objects; i++) {
		const struct growth_object *o = &a->objects[i];
		while (k < b->n_objects && b->objects[k].at < o->at)
			k++;
		if (k < b->n_objects && same_object(o, &b->objects[k]))
			continue;
		if (json && *ret_n < max) {
			json_open(json, NULL, '{');
			json_addr(json, "address", o->at);
			json_u64(json, "size", o->size);
			json_text(json, "type", o->type);
			json_close(json, '}');
		}
		++*ret_n;
		*ret_bytes += o->size;
	}
}

static void site_json(struct json *j, const struct growth_row *row)
{
	const struct growth_cell *a = &row->cell[A], *b = &row->cell[B];
	stack_json(j, row->frames, row->n_frames);
	json_u64(j, "estimated_objects_a", a->objects);
	json_u64(j, "estimated_objects_b", b->objects);
	json_u64(j, "estimated_bytes_a", a->bytes);
	json_u64(j, "estimated_bytes_b", b->bytes);
	growth_json_signed(j, "estimated_bytes_growth", a->bytes, b->bytes);
}

static void row_json(struct json *j, const struct growth *g,
		     const struct growth_row *row)
{
	const struct growth_cell *a = &row->cell[A], *b = &row->cell[B];
	if (row->kind) {
		json_text(j, "kind", row->kind);
		json_text(j, "name", row->name);
	} else {
		json_text(j, "type", row->name);
		json_u64(j, "count_a", a->objects);
		json_u64(j, "count_b", b->objects);
		json_u64(j, "bytes_a", a->bytes);
		json_u64(j, "bytes_b", b->bytes);
		growth_json_signed(j, "bytes_growth", a->bytes, b->bytes);
	}
	if (g->left_out)
		return;
	json_u64(j, "retained_bytes_a", a->retained);
	json_u64(j, "retained_bytes_b", b->retained);
	growth_json_signed(j, "retained_growth", a->retained, b->retained);
}

static void rows_json(struct json *j, const char *key, const struct growth *g,
		      const struct growth_rows *rows, uint64_t max)
{
	json_open(j, key, '[');
	for (uint64_t i = 0; i < rows->n && i < max; i++) {
		json_open(j, NULL, '{');
		if (rows == &g->sites)
			site_json(j, &rows->at[i]);
		else
			row_json(j, g, &rows->at[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void core_json(struct json *j, const char *key,
		      const struct growth_core *core)
{
	json_open(j, key, '{');
	json_text(j, "core", core->file);
	if (core->snapshot)
		json_u64(j, "snapshot", core->snapshot);
	json_u64(j, "live_objects", core->totals.live_objects);
	json_u64(j, "live_bytes", core->totals.live_bytes);
	json_close(j, '}');
}

static void diff_json(struct session *s, const struct growth *g)
{
	struct json j;
	struct fresh f;
	uint64_t max = session_rows(s);
	json_begin(&j, s->out);
	core_json(&j, "a", &g->core[A]);
	core_json(&j, "b", &g->core[B]);
	if (g->left_out)
		json_text(&j, "note", g->left_out);
	rows_json(&j, "types", g, &g->types, max);
	if (!g->left_out)
		rows_json(&j, "holders", g, &g->holders, max);
	if (g->has_sites)
		rows_json(&j, "sites", g, &g->sites, max);
	json_open(&j, "new", '[');
	walk_fresh(g, B, &j, max, &f.new_objects, &f.new_bytes);
	json_close(&j, ']');
	walk_fresh(g, A, NULL, 0, &f.gone_objects, &f.gone_bytes);
	json_u64(&j, "new_objects", f.new_objects);
	json_u64(&j, "new_bytes", f.new_bytes);
	json_u64(&j, "gone_objects", f.gone_objects);
	json_u64(&j, "gone_bytes", f.gone_bytes);
	json_end(&j);
}

static void row_text(struct out *out, const struct growth *g, enum part part,
		     const struct growth_row *row)
{
	const struct growth_cell *a = &row->cell[A], *b = &row->cell[B];
	size_t indent = 2;
	if (part != SITE_ROWS && !g->left_out) {
		growth_signed(out, a->retained, b->retained, 13);
		indent += 13;
	}
	if (part != HOLDER_ROWS) {
		growth_signed(out, a->bytes, b->bytes, 13);
		out_printf(out, "%12s", word_count(a->objects).at);
		out_printf(out, "%12s", word_count(b->objects).at);
		indent += 13 + 12 + 12;
	}
	out_text(out, "  ");
	growth_place(out, row, indent);
}

static void rows_text(struct session *s, const struct growth *g,
		      enum part part, const struct growth_rows *rows)
{
	struct out *out = s->out;
	uint64_t max = part == TYPE_ROWS || option_given(&s->o, TOP) ?
			       session_rows(s) :
			       SHORT_LIST;
	uint64_t shown = 0, left = 0;
	for (uint64_t i = 0; i < rows->n; i++) {
		const struct growth_row *row = &rows->at[i];
		if (change(g, row) == 0 &&
		    row->cell[A].bytes == row->cell[B].bytes)
			continue;
		if (shown++ < max)
			row_text(out, g, part, row);
		else
			left++;
	}
	if (shown == 0)
		out_text(out, "  nothing changed\n");
	if (left)
		out_printf(out, "  … %s more (-n all shows them)\n",
			   word_count(left).at);
}

// parts_text prints the tables.
static void parts_text(struct session *s, const struct growth *g)
{
	struct out *out = s->out;
	out_heading(out, g->left_out ?
		    "          OWN      BEFORE       AFTER  TYPE" :
		    "     RETAINED          OWN      BEFORE       AFTER  TYPE");
	rows_text(s, g, TYPE_ROWS, &g->types);
	if (!g->left_out) {
		out_text(out, "\n");
		out_heading(out, "     RETAINED  HOLDER");
		rows_text(s, g, HOLDER_ROWS, &g->holders);
	}
	if (g->has_sites) {
		out_text(out, "\n");
		out_heading(out, "       IN USE      BEFORE       AFTER  ALLOCATED"
				 " BY (estimated from samples)");
		rows_text(s, g, SITE_ROWS, &g->sites);
	}
	growth_note(out, g);
}

static void diff_text(struct session *s, const struct growth *g)
{
	struct fresh f;
	struct out *out = s->out;
	const struct heap_totals *a = &g->core[A].totals;
	const struct heap_totals *b = &g->core[B].totals;
	walk_fresh(g, B, NULL, 0, &f.new_objects, &f.new_bytes);
	walk_fresh(g, A, NULL, 0, &f.gone_objects, &f.gone_bytes);
	out_printf(out, "live: %s objects, %s", word_count(a->live_objects).at,
		   word_size(a->live_bytes, out->exact).at);
	out_printf(out, " -> %s objects, %s (", word_count(b->live_objects).at,
		   word_size(b->live_bytes, out->exact).at);
	growth_signed(out, a->live_bytes, b->live_bytes, 0);
	out_printf(out, ")\nnew: %s objects, %s", word_count(f.new_objects).at,
		   word_size(f.new_bytes, out->exact).at);
	out_printf(out, "; gone: %s objects, %s\n\n",
		   word_count(f.gone_objects).at,
		   word_size(f.gone_bytes, out->exact).at);
	parts_text(s, g);
}

// exceeds says whether a type grew or shrank by more than --threshold, in
// percent of what was live before; 0 is any change.
static bool exceeds(const struct session *s, const struct growth *g)
{
	uint64_t percent = s->o.threshold;
	double live = (double)g->core[A].totals.live_bytes;
	for (uint64_t i = 0; i < g->types.n; i++) {
		int64_t by = change(g, &g->types.at[i]);
		uint64_t size = by < 0 ? -(uint64_t)by : (uint64_t)by;
		if (percent == UINT64_MAX ? size > 0 :
					    (double)size * 100 >
						    (double)percent * live)
			return true;
	}
	return false;
}

static void sort_rows(const struct growth *g, enum part part,
		      struct growth_rows *rows)
{
	struct order o = { g, part, 0, 0 };
	for (uint64_t i = 0; i < rows->n; i++)
		if (change(g, &rows->at[i]) > o.most)
			o.most = change(g, &rows->at[i]);
	for (uint64_t i = 0; i < rows->n; i++)
		if (change(g, &rows->at[i]) >= o.most / 10 &&
		    new_objects(&rows->at[i]) > o.most_new)
			o.most_new = new_objects(&rows->at[i]);
	if (rows->n)
		qsort_r(rows->at, rows->n, sizeof(*rows->at), most_first, &o);
}

enum hc cmd_diff(struct session *s)
{
	struct growth *g = pool_new(&s->pool, struct growth, 1);
	if (!g)
		return hc_nomem(&s->err);
	HC_TRY(growth_read(s, true, g));
	sort_rows(g, TYPE_ROWS, &g->types);
	sort_rows(g, HOLDER_ROWS, &g->holders);
	sort_rows(g, SITE_ROWS, &g->sites);
	if (s->o.json)
		diff_json(s, g);
	else
		diff_text(s, g);
	return option_given(&s->o, THRESHOLD) && exceeds(s, g) ? HC_NONE :
								HC_OK;
}
