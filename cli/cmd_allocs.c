// cmd_allocs.c: `heapcore allocs`: where sampled memory was allocated.
#include "cli/allocs.h"
#include "cli/commands.h"
#include "cli/keepers.h"
#include "cli/paths.h"
#include "cli/pprof.h"
#include "cli/stacks.h"

#include <stdio.h>
#include <stdlib.h>

#define LINES_SHOWN 40

static struct word profiling(const struct heap_profile *p)
{
	struct word w;
	if (!p->compiled_in)
		snprintf(w.at, sizeof(w.at), "compiled out");
	else
		snprintf(w.at, sizeof(w.at), "rate %" PRIu64, p->rate);
	return w;
}

// struct sites writes the sites. Shape: shown says which of them, by number.
struct sites {
	struct session *s;
	struct json *json;
	const struct alloc_table *table;
	const bool *shown;
};

static void counts_json(struct json *j, const struct heap_alloc_site *site,
			const struct alloc_row *row)
{
	json_u64(j, "size", site->size);
	json_u64(j, "alloc_objects", site->alloc_objects);
	json_u64(j, "alloc_bytes", site->alloc_bytes);
	json_u64(j, "free_objects", site->free_objects);
	json_u64(j, "free_bytes", site->free_bytes);
	json_u64(j, "pending_alloc_objects", site->pending_alloc_objects);
	json_u64(j, "pending_alloc_bytes", site->pending_alloc_bytes);
	json_u64(j, "pending_free_objects", site->pending_free_objects);
	json_u64(j, "pending_free_bytes", site->pending_free_bytes);
	json_u64(j, "estimated_inuse_objects", row->inuse.objects);
	json_u64(j, "estimated_inuse_bytes", row->inuse.bytes);
	json_u64(j, "estimated_now_objects", row->now.objects);
	json_u64(j, "estimated_now_bytes", row->now.bytes);
	json_u64(j, "live_samples", row->live);
}

static bool site_json(void *ctx, const struct heap_alloc_site *site)
{
	struct sites *l = ctx;
	const struct alloc_row *row = alloc_table_find(l->table, site->at);
	if (!row || !l->shown[row->number])
		return true;
	json_open(l->json, NULL, '{');
	json_addr(l->json, "address", site->at);
	stack_json(l->json, site->frames, site->n_frames);
	json_u64(l->json, "runtime_frames",
		 alloc_hidden(site->frames, site->n_frames));
	counts_json(l->json, site, row);
	json_close(l->json, '}');
	return !out_stopped(l->s->out);
}

static int compare_rows(const void *a, const void *b)
{
	const struct alloc_row *x = *(struct alloc_row *const *)a;
	const struct alloc_row *y = *(struct alloc_row *const *)b;
	if (x->now.bytes != y->now.bytes)
		return x->now.bytes > y->now.bytes ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

// choose marks the sites that -n lets through: those with most bytes.
static enum hc choose(const struct alloc_table *t, bool **ret)
{
	struct session *s = t->s;
	const struct alloc_row **rows =
		pool_new(&s->pool, const struct alloc_row *, t->n);
	bool *shown = pool_new(&s->pool, bool, t->n);
	if (!rows || !shown)
		return hc_nomem(&s->err);
	for (uint64_t i = 0; i < t->n; i++)
		rows[i] = &t->at[i];
	if (t->n)
		qsort(rows, t->n, sizeof(*rows), compare_rows);
	for (uint64_t i = 0; i < t->n && i < session_rows(s); i++)
		shown[rows[i]->number] = true;
	*ret = shown;
	return HC_OK;
}

static enum hc held_json(struct json *j, const struct alloc_table *t)
{
	struct session *s = t->s;
	struct alloc_helds helds;
	HC_TRY(alloc_held_find(t, &helds));
	json_open(j, "held", '[');
	for (uint64_t i = 0; i < helds.n && i < session_rows(s); i++) {
		const struct alloc_held *h = &helds.at[i];
		json_open(j, NULL, '{');
		json_addr(j, "site", h->row->at);
		json_text(j, "function", h->row->function);
		json_text(j, "file", h->row->file);
		json_u64(j, "line", h->row->line);
		json_u64(j, "size", h->row->size);
		HC_TRY(root_json(j, "holder", s, &h->root));
		json_u64(j, "live_samples", h->live);
		json_u64(j, "estimated_objects", h->estimate.objects);
		json_u64(j, "estimated_bytes", h->estimate.bytes);
		json_close(j, '}');
	}
	json_close(j, ']');
	return HC_OK;
}

static enum hc allocs_json(const struct alloc_table *t)
{
	struct session *s = t->s;
	struct json j;
	bool *shown;
	HC_TRY(choose(t, &shown));
	struct sites l = { s, &j, t, shown };
	json_begin(&j, s->out);
	json_u64(&j, "sample_rate", t->profile.rate);
	json_text(&j, "profiling", profiling(&t->profile).at);
	json_open(&j, "coverage", '{');
	json_u64(&j, "live_objects", t->live.objects);
	json_u64(&j, "live_bytes", t->live.bytes);
	json_u64(&j, "sampled_objects", t->sampled.objects);
	json_u64(&j, "sampled_bytes", t->sampled.bytes);
	json_u64(&j, "estimated_objects", t->estimated.objects);
	json_u64(&j, "estimated_bytes", t->estimated.bytes);
	json_close(&j, '}');
	json_open(&j, "sites", '[');
	s->reader->alloc_sites(s->self, site_json, &l);
	json_close(&j, ']');
	if (s->o.held)
		HC_TRY(held_json(&j, t));
	json_end(&j);
	return HC_OK;
}

static void numbers_text(struct out *out, const struct stack_node *node)
{
	struct word bytes = { "" }, objects = { "" }, total = { "" };
	if (node) {
		bytes = word_size(node->value[ALLOC_BYTES], out->exact);
		objects = word_count(node->value[ALLOC_OBJECTS]);
		total = word_size(node->value[ALLOC_TOTAL_BYTES], out->exact);
	}
	out_printf(out, "%10s %10s %10s  ", bytes.at, objects.at, total.at);
}

// place_text writes where a site is outside the runtime.
static void place_text(struct out *out, const struct alloc_row *row)
{
	out_name(out, row->function);
	if (row->file && *row->file) {
		out_text(out, "  ");
		out_name(out, row->file);
		out_printf(out, ":%" PRIu32, row->line);
	}
}

static enum hc held_text(const struct alloc_table *t)
{
	struct session *s = t->s;
	struct alloc_helds helds;
	HC_TRY(alloc_held_find(t, &helds));
	out_printf(s->out, "%10s %10s  allocated at, held by\n", "live",
		   "objects");
	uint64_t max = session_rows(s);
	for (uint64_t i = 0; i < helds.n && i < max; i++) {
		const struct alloc_held *h = &helds.at[i];
		struct heap_keeper holder = { .kind = HEAP_KEEPER_HOLDER,
					      .root = h->root };
		out_printf(s->out, "%10s %10s  ",
			   word_size(h->estimate.bytes, s->out->exact).at,
			   word_count(h->estimate.objects).at);
		place_text(s->out, h->row);
		out_printf(s->out, "  [%s]\n%23s  held by ",
			   word_size(h->row->size, s->out->exact).at, "");
		HC_TRY(keeper_text(s, &holder));
		out_text(s->out, "\n");
	}
	if (helds.n > max)
		out_printf(s->out, "… %s more (-n all shows them)\n",
			   word_count(helds.n - max).at);
	return HC_OK;
}

// head_text says what the sample is and how much it stands for.
static void head_text(const struct alloc_table *t)
{
	struct out *out = t->s->out;
	const struct stack_node *all = &t->tree.nodes.at[0];
	out_printf(out, "%s in use in %s objects, %s ever allocated: "
		   "estimated from samples, ",
		   word_size(all->value[ALLOC_BYTES], out->exact).at,
		   word_count(all->value[ALLOC_OBJECTS]).at,
		   word_size(all->value[ALLOC_TOTAL_BYTES], out->exact).at);
	if (t->profile.rate == 1)
		out_text(out, "which are all allocations\n");
	else
		out_printf(out, "one every %s\n",
			   word_size(t->profile.rate, out->exact).at);
	out_printf(out, "%s of %s live objects are samples; they stand for "
		   "%s of %s live\n\n",
		   word_count(t->sampled.objects).at,
		   word_count(t->live.objects).at,
		   word_size(t->estimated.bytes, out->exact).at,
		   word_size(t->live.bytes, out->exact).at);
}

static enum hc allocs_text(const struct alloc_table *t)
{
	struct session *s = t->s;
	if (t->n == 0) {
		out_printf(s->out, "%s\n", alloc_none(&t->profile));
		return HC_OK;
	}
	head_text(t);
	if (s->o.held)
		return held_text(t);
	out_printf(s->out, "%10s %10s %10s  the outermost call first\n",
		   "in use", "objects", "ever");
	return stacktree_text(s, &t->tree, option_given(&s->o, TOP) ?
						   s->o.top :
						   LINES_SHOWN,
			      numbers_text);
}

enum hc cmd_allocs(struct session *s)
{
	if (s->o.pprof)
		return pprof_allocs(s);
	struct alloc_table *t = pool_new(&s->pool, struct alloc_table, 1);
	if (!t)
		return hc_nomem(&s->err);
	HC_TRY(alloc_table_open(s, t));
	return s->o.folded ? stacktree_folded(s, &t->tree, ALLOC_BYTES) :
	       s->o.json   ? allocs_json(t) :
			     allocs_text(t);
}
