// stats_text.c: the page that a person reads first.
#include "cli/stats.h"

#include "cli/commands.h"
#include "cli/findings.h"
#include "cli/memtree.h"
#include "cli/process.h"

#include <stdio.h>

#define FINDINGS_SHOWN 10
#define TYPES_SHOWN 10

static void identity_text(struct session *s, const struct stats *stats)
{
	struct out *out = s->out;
	const struct core_info *info = core_info(s->core);
	if (stats->has_heap) {
		out_name(out, stats->identity.runtime);
		out_text(out, " ");
	}
	out_printf(out, "%s, pid %" PRIu32, process_arch(info), info->pid);
	if (info->signal)
		out_printf(out, ", killed by %s",
			   process_signal(info->signal).at);
	else
		out_text(out, ", no signal recorded");
	if (stats->has_heap)
		out_printf(out, ", %s goroutine%s",
			   word_count(stats->identity.n_owners).at,
			   stats->identity.n_owners == 1 ? "" : "s");
	out_printf(out, ", %s thread%s\n", word_count(stats->n_threads).at,
		   stats->n_threads == 1 ? "" : "s");
	if (stats->identity.crash) {
		out_name(out, stats->identity.crash);
		out_text(out, "\n");
	}
	out_text(out, "core ");
	out_name(out, info->core_path);
	out_printf(out, " (%s%s)", word_size(info->file_bytes, out->exact).at,
		   info->compressed ? " unpacked" : "");
	if (info->exe_path) {
		out_text(out, ", executable ");
		out_name(out, info->exe_path);
	} else {
		out_text(out, ", no executable");
	}
	out_text(out, "\n");
	if (info->truncated)
		out_printf(out, "The core is truncated: %s of it are missing; "
			   "the figures are about what is there.\n",
			   word_size(info->missing_bytes, out->exact).at);
}

// object_row prints one line of the objects table.
static void object_row(struct out *out, const char *name, uint64_t count,
		       uint64_t bytes, uint64_t all, const char *what)
{
	out_printf(out, "%-15s %14s %14s %7s   %s\n", name,
		   word_count(count).at, word_size(bytes, out->exact).at,
		   word_percent(bytes, all).at, what);
}

static void objects_text(struct out *out, const struct heap_totals *t)
{
	uint64_t all = t->live_bytes + t->garbage_bytes + t->unswept_bytes +
		       t->free_bytes;
	char heading[80];
	snprintf(heading, sizeof(heading), "%-15s %14s %14s %7s", "OBJECTS",
		 "count", "bytes", "share");
	out_text(out, "\n");
	out_heading(out, heading);
	object_row(out, "live", t->live_objects, t->live_bytes, all,
		   "reached from a root");
	object_row(out, "garbage", t->garbage_objects, t->garbage_bytes, all,
		   "reached from nothing, not collected yet");
	object_row(out, "dead, unswept", t->unswept_objects, t->unswept_bytes,
		   all, "found dead by the last collection");
	object_row(out, "free slots", t->free_slots, t->free_bytes, all,
		   "room for more objects in spans in use");
}

static void counters_text(struct out *out, const struct heap_counters *c)
{
	bool exact = out->exact;
	out_printf(out, "\nAs runtime.MemStats counts: HeapAlloc %s, HeapInuse "
		   "%s, HeapIdle %s,\nHeapReleased %s, StackInuse %s\n",
		   word_size(c->heap_alloc, exact).at,
		   word_size(c->heap_inuse, exact).at,
		   word_size(c->heap_idle, exact).at,
		   word_size(c->heap_released, exact).at,
		   word_size(c->stack_inuse, exact).at);
}

static void tell_findings(struct session *s, const struct findings *f)
{
	struct out *out = s->out;
	uint64_t max = option_given(&s->o, TOP) ? s->o.top : FINDINGS_SHOWN;
	uint64_t shown = f->n < max ? f->n : max;
	if (f->n + f->dropped == 0) {
		out_text(out, "\nNo findings: nothing contradicts itself.\n");
		return;
	}
	out_text(out, "\n");
	out_heading(out, "FINDINGS");
	findings_text(out, f, shown);
	if (f->n + f->dropped > shown)
		out_printf(out, "… %s more findings (-n all)\n",
			   word_count(f->n + f->dropped - shown).at);
}

// ask prints one line of advice, if there is such a command.
static void ask(struct out *out, const char *name, const char *rest,
		const char *why)
{
	char call[64];
	if (!command_find(name))
		return;
	snprintf(call, sizeof(call), "heapcore %s%s%s", name,
		 *rest ? " " : "", rest);
	out_printf(out, "  %-32s %s\n", call, why);
}

// has_large says whether there is an object of at least bytes.
static bool has_large(const struct heap *heap, uint64_t bytes)
{
	size_t n;
	const struct heap_region *r = heap_regions(heap, &n);
	for (size_t i = 0; i < n; i++)
		if (r[i].slot >= bytes)
			return true;
	return false;
}

static void next_text(struct session *s, const struct stats *stats)
{
	struct out *out = s->out;
	const struct heap_totals *t = &stats->totals;
	out_text(out, "\n");
	out_heading(out, s->o.core ? "NEXT, of the same core" : "NEXT");
	if (!stats->has_heap) {
		ask(out, "info", "", "who died and how");
		ask(out, "mappings", "", "what was mapped where");
		return;
	}
	if (stats->identity.crash || core_info(s->core)->signal)
		ask(out, "goroutines", "-n 1", "where it died");
	ask(out, "info", "", "versions, signal, GC state, settings");
	if (stats->identity.n_owners >= 100)
		ask(out, "goroutines", "--group",
		    "what most goroutines were doing");
	ask(out, "types", "", "which types the memory is");
	ask(out, "retained", "", "who holds the most");
	ask(out, "suspects", "", "what looks like a leak, and why");
	if (has_large(s->heap, 1 << 20))
		ask(out, "objects", "--min-size 1M", "the large objects");
	if (t->garbage_bytes > t->live_bytes / 4)
		ask(out, "objects", "--garbage", "what nothing reaches");
	ask(out, "reachable", "ADDR", "why an object is alive");
}

void stats_text(struct session *s, const struct stats *stats)
{
	identity_text(s, stats);
	out_text(s->out, "\n");
	memtree_text(s->out, &stats->memory);
	if (stats->has_heap)
		objects_text(s->out, &stats->totals);
	else
		out_text(s->out, "\nThe heap cannot be read, so this is only "
				 "what was mapped.\n");
	if (stats->has_counters)
		counters_text(s->out, &stats->counters);
	if (stats->has_types) {
		out_text(s->out, "\n");
		histogram_text(s, &stats->types,
			       option_given(&s->o, TOP) ? s->o.top :
							  TYPES_SHOWN);
	}
	tell_findings(s, core_findings(s->core));
	next_text(s, stats);
}
