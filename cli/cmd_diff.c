// cmd_diff.c: `heapcore diff A B`: what grew between two cores or dumps.
#include "cli/commands.h"
#include "cli/growth.h"

#include <stdlib.h>
#include <string.h>

#define HOLDERS_SHOWN 10

enum { A, B };

// struct fresh is what is only in one of two cores, by address.
struct fresh {
	uint64_t new_objects, new_bytes, gone_objects, gone_bytes;
};

static int64_t change(const struct growth *g, const struct growth_row *row)
{
	return (int64_t)(growth_weight(g, row, B) - growth_weight(g, row, A));
}

// struct order is how rows are sorted. Shape: most is the largest growth.
struct order {
	const struct growth *g;
	int64_t most;
};

// multiplied says whether there are more of it, and that is a good part of all
// growth: a leak is what became more, not the one map that holds it.
static bool multiplied(const struct order *o, const struct growth_row *row)
{
	return !row->kind && row->cell[B].objects > row->cell[A].objects &&
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
	int by_name = strcmp(x->name, y->name);
	return by_name || !x->kind ? by_name : strcmp(x->kind, y->kind);
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

static void rows_json(struct json *j, const struct growth_row *row, uint64_t n,
		      uint64_t max)
{
	for (uint64_t i = 0; i < n && i < max; i++) {
		const struct growth_cell *a = &row[i].cell[A];
		const struct growth_cell *b = &row[i].cell[B];
		json_open(j, NULL, '{');
		if (row[i].kind) {
			json_text(j, "kind", row[i].kind);
			json_text(j, "name", row[i].name);
		} else {
			json_text(j, "type", row[i].name);
			json_u64(j, "count_a", a->objects);
			json_u64(j, "count_b", b->objects);
			json_u64(j, "bytes_a", a->bytes);
			json_u64(j, "bytes_b", b->bytes);
			growth_json_signed(j, "bytes_growth", a->bytes,
					   b->bytes);
		}
		json_u64(j, "retained_bytes_a", a->retained);
		json_u64(j, "retained_bytes_b", b->retained);
		growth_json_signed(j, "retained_growth", a->retained,
				   b->retained);
		json_close(j, '}');
	}
}

static void core_json(struct json *j, const char *key,
		      const struct growth_core *core)
{
	json_open(j, key, '{');
	json_text(j, "core", core->file);
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
	json_open(&j, "types", '[');
	rows_json(&j, g->types.at, g->types.n, max);
	json_close(&j, ']');
	json_open(&j, "holders", '[');
	rows_json(&j, g->holders.at, g->holders.n, max);
	json_close(&j, ']');
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

static void rows_text(struct out *out, const struct growth *g,
		      const struct growth_row *row, uint64_t n, uint64_t max)
{
	uint64_t shown = 0, left = 0;
	for (uint64_t i = 0; i < n; i++) {
		const struct growth_cell *a = &row[i].cell[A];
		const struct growth_cell *b = &row[i].cell[B];
		if (change(g, &row[i]) == 0 && a->bytes == b->bytes)
			continue;
		if (shown++ >= max) {
			left++;
			continue;
		}
		growth_signed(out, a->retained, b->retained, 13);
		if (!row[i].kind) {
			growth_signed(out, a->bytes, b->bytes, 13);
			out_printf(out, "%12s", word_count(a->objects).at);
			out_printf(out, "%12s", word_count(b->objects).at);
		}
		out_text(out, "  ");
		if (row[i].kind)
			out_printf(out, "%s ", row[i].kind);
		out_name(out, row[i].name);
		out_text(out, "\n");
	}
	if (shown == 0)
		out_text(out, "  nothing changed\n");
	if (left)
		out_printf(out, "  … %s more (-n all shows them)\n",
			   word_count(left).at);
}

static void diff_text(struct session *s, const struct growth *g)
{
	struct fresh f;
	struct out *out = s->out;
	const struct heap_totals *a = &g->core[A].totals;
	const struct heap_totals *b = &g->core[B].totals;
	uint64_t max = session_rows(s);
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
	out_heading(out, "     RETAINED          OWN       BEFORE       AFTER  TYPE");
	rows_text(out, g, g->types.at, g->types.n, max);
	out_text(out, "\n");
	out_heading(out, "     RETAINED  HOLDER");
	rows_text(out, g, g->holders.at, g->holders.n,
		  option_given(&s->o, TOP) ? max : HOLDERS_SHOWN);
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

static void sort_rows(const struct growth *g, struct growth_rows *rows)
{
	struct order o = { g, 0 };
	for (uint64_t i = 0; i < rows->n; i++)
		if (change(g, &rows->at[i]) > o.most)
			o.most = change(g, &rows->at[i]);
	if (rows->n)
		qsort_r(rows->at, rows->n, sizeof(*rows->at), most_first, &o);
}

enum hc cmd_diff(struct session *s)
{
	struct growth *g = pool_new(&s->pool, struct growth, 1);
	if (!g)
		return hc_nomem(&s->err);
	HC_TRY(growth_read(s, true, g));
	sort_rows(g, &g->types);
	sort_rows(g, &g->holders);
	if (s->o.json)
		diff_json(s, g);
	else
		diff_text(s, g);
	return option_given(&s->o, THRESHOLD) && exceeds(s, g) ? HC_NONE :
								HC_OK;
}
