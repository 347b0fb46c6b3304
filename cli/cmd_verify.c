// cmd_verify.c: `heapcore verify`: is the heap itself sound?
#include "cli/commands.h"
#include "cli/findings.h"

#include <string.h>

// struct verdict is what was looked at and what was found.
// Shape: met is what opening and reading the core met, found what the check
//        of the runtime's structures adds.
struct verdict {
	const struct findings *met;
	struct findings found;
	struct heap_totals totals;
	size_t n_regions;
	const char *phase; // of the collector, or NULL
};

static void take_fact(void *ctx, const struct heap_fact *fact)
{
	struct verdict *v = ctx;
	if (fact->kind == FACT_TEXT && strcmp(fact->group, "gc") == 0 &&
	    strcmp(fact->key, "phase") == 0)
		v->phase = fact->text;
}

// collector_text says where the collector stood: a core of such a moment looks
// unusual, and is sound.
static void collector_text(struct out *out, const struct verdict *v)
{
	if (!v->phase)
		return;
	if (strcmp(v->phase, "off") != 0)
		out_printf(out, "The collector was at work (%s) when the core "
			   "was taken; that is no damage.\n", v->phase);
	else if (v->totals.unswept_objects)
		out_printf(out, "The collector was sweeping: %s dead objects "
			   "are not freed yet; that is no damage.\n",
			   word_count(v->totals.unswept_objects).at);
	else
		out_text(out, "The collector was off.\n");
}

static void verdict_text(struct session *s, const struct verdict *v,
			 uint64_t n)
{
	struct out *out = s->out;
	const struct heap_totals *t = &v->totals;
	uint64_t max = session_rows(s), met = v->met->n;
	out_printf(out, "%s objects in %s spans looked at, %s of them live.\n",
		   word_count(t->live_objects + t->garbage_objects +
			      t->unswept_objects).at,
		   word_count(v->n_regions).at,
		   word_count(t->live_objects).at);
	collector_text(out, v);
	if (n == 0) {
		out_text(out, "No findings: nothing contradicts itself.\n");
		return;
	}
	out_text(out, "\n");
	out_heading(out, "FINDINGS");
	findings_text(out, v->met, max);
	findings_text(out, &v->found, met < max ? max - met : 0);
	uint64_t all = met + v->found.n, shown = all < max ? all : max;
	if (n > shown)
		out_printf(out, "… %s more findings%s\n",
			   word_count(n - shown).at,
			   all > shown ? " (-n all)" : "");
}

static void verdict_json(struct session *s, const struct verdict *v)
{
	const struct heap_totals *t = &v->totals;
	uint64_t max = session_rows(s), met = v->met->n;
	struct json j;
	json_begin(&j, s->out);
	json_text(&j, "core", core_info(s->core)->core_path);
	json_text(&j, "collector", v->phase);
	json_u64(&j, "spans", v->n_regions);
	json_u64(&j, "live_objects", t->live_objects);
	json_u64(&j, "garbage_objects", t->garbage_objects);
	json_u64(&j, "unswept_objects", t->unswept_objects);
	json_open(&j, "findings", '[');
	findings_json(&j, v->met, max);
	findings_json(&j, &v->found, met < max ? max - met : 0);
	json_close(&j, ']');
	json_u64(&j, "findings_dropped", v->met->dropped + v->found.dropped);
	json_end(&j);
}

enum hc cmd_verify(struct session *s)
{
	struct verdict v = { .met = core_findings(s->core),
			     .found = { .pool = &s->pool } };
	if (!s->reader->verify)
		return session_lacks(s, "check of the heap");
	HC_TRY(session_mark(s));
	v.totals = heap_totals(s->heap);
	heap_regions(s->heap, &v.n_regions);
	if (s->reader->facts)
		s->reader->facts(s->self, take_fact, &v);
	s->reader->verify(s->self, &v.found);
	session_phase(s, "check the heap", v.n_regions, "spans");
	uint64_t n = v.met->n + v.met->dropped + v.found.n + v.found.dropped;
	if (s->o.json)
		verdict_json(s, &v);
	else
		verdict_text(s, &v, n);
	return n ? HC_NONE : HC_OK;
}
