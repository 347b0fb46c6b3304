// cmd_stats.c: `heapcore stats`: what is all this memory?
#include "cli/commands.h"
#include "cli/findings.h"
#include "cli/memtree.h"
#include "cli/process.h"
#include "cli/stats.h"

static enum hc gather(struct session *s, struct stats *ret)
{
	HC_TRY(session_mark(s));
	ret->has_heap = true;
	HC_TRY(s->reader->identity(s->self, &ret->identity, &s->err));
	ret->totals = heap_totals(s->heap);
	if (s->reader->counters) {
		HC_TRY(s->reader->counters(s->self, &ret->counters, &s->err));
		ret->has_counters = true;
	}
	if (s->reader->memory) {
		HC_TRY(s->reader->memory(s->self, true, &s->pool, &ret->memory,
					 &s->err));
		memtree_check(&ret->memory, core_findings(s->core));
		session_phase(s, "add the tree up", ret->memory.n, "nodes");
	}
	if (s->o.types) {
		HC_TRY(histogram_count(s, BY_TYPE, false, &ret->types));
		ret->has_types = true;
	}
	return HC_OK;
}

static void heap_json(struct json *j, const struct stats *stats)
{
	const struct heap_totals *t = &stats->totals;
	const struct heap_counters *c = &stats->counters;
	if (!stats->has_heap) {
		json_null(j, "heap");
		return;
	}
	json_open(j, "heap", '{');
	json_u64(j, "live_objects", t->live_objects);
	json_u64(j, "live_bytes", t->live_bytes);
	json_u64(j, "garbage_objects", t->garbage_objects);
	json_u64(j, "garbage_bytes", t->garbage_bytes);
	json_u64(j, "unswept_objects", t->unswept_objects);
	json_u64(j, "unswept_bytes", t->unswept_bytes);
	json_u64(j, "free_slots", t->free_slots);
	json_u64(j, "free_bytes", t->free_bytes);
	if (stats->has_counters) {
		json_u64(j, "heap_alloc_bytes", c->heap_alloc);
		json_u64(j, "heap_inuse_bytes", c->heap_inuse);
		json_u64(j, "heap_idle_bytes", c->heap_idle);
		json_u64(j, "heap_released_bytes", c->heap_released);
		json_u64(j, "stack_inuse_bytes", c->stack_inuse);
	}
	json_close(j, '}');
}

static void stats_json(struct session *s, const struct stats *stats)
{
	const struct core_info *info = core_info(s->core);
	struct json j;
	json_begin(&j, s->out);
	json_text(&j, "core", info->core_path);
	json_text(&j, "exe", info->exe_path);
	json_text(&j, "go_version", stats->identity.runtime);
	json_text(&j, "layouts", stats->identity.layouts);
	json_text(&j, "arch", process_arch(info));
	json_u64(&j, "pid", info->pid);
	json_text(&j, "signal",
		  info->signal ? process_signal(info->signal).at : NULL);
	json_text(&j, "crash", stats->identity.crash);
	json_bool(&j, "truncated", info->truncated);
	json_u64(&j, "threads", stats->n_threads);
	if (stats->has_heap)
		json_u64(&j, "goroutines", stats->identity.n_owners);
	memtree_json(&j, &stats->memory);
	heap_json(&j, stats);
	if (stats->has_types)
		histogram_json(&j, &stats->types, session_rows(s));
	const struct findings *f = core_findings(s->core);
	json_open(&j, "findings", '[');
	findings_json(&j, f, session_rows(s));
	json_close(&j, ']');
	json_u64(&j, "findings_dropped", f->dropped);
	json_end(&j);
}

// A heap that cannot be read is a failure, with what is known of the rest.
enum hc cmd_stats(struct session *s)
{
	struct stats stats = { 0 };
	struct hc_err why = s->err;
	core_threads(s->core, &stats.n_threads);
	if (s->heap)
		HC_TRY(gather(s, &stats));
	else
		HC_TRY(maptree_build(s, &stats.memory));
	if (s->o.json)
		stats_json(s, &stats);
	else
		stats_text(s, &stats);
	s->err = why;
	return s->heap ? HC_OK : HC_FAIL;
}
