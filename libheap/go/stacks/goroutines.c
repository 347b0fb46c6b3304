// goroutines.c: what the runtime keeps about each goroutine.
#include "libheap/go/stacks/goroutines.h"

#include "libheap/go/stacks/clock.h"
#include "libheap/go/stacks/labels.h"
#include "libheap/go/stacks/start.h"

static const char *const status_names[] = {
	[GO_RUNNABLE] = "runnable",   [GO_RUNNING] = "running",
	[GO_SYSCALL] = "syscall",     [GO_WAITING] = "waiting",
	[GO_COPYSTACK] = "copystack", [GO_PREEMPTED] = "preempted",
	[GO_LEAKED] = "leaked",
};

static const char *status_name(uint32_t status)
{
	if (status < sizeof(status_names) / sizeof(status_names[0]) &&
	    status_names[status])
		return status_names[status];
	return "unknown";
}

// calls_user says whether the goroutine runs something outside the runtime.
static bool calls_user(const struct go_process *process, const struct go_g *g)
{
	struct go_start start;
	struct go_unwind u;

	if (go_start_of(process, g, &start))
		return false;
	go_walk_goroutine(process, g, &start, &u);
	while (go_unwind_next(&u))
		if (strncmp(u.frame.at->fn.name, "runtime.", 8) != 0)
			return true;
	return false;
}

// Source: runtime/traceback.go, isSystemGoroutine (1.18–1.27), where
// fingStatus and runningCleanups say what calls_user finds in the frames.
static bool is_system(const struct go_process *process, const struct go_g *g)
{
	const struct go_func *fn;
	uint8_t id;

	fn = &go_pc_at(process, go_rec(process, g->record, F_g_startpc))->fn;
	if (!fn->record)
		return false;
	id = fn->id;
	if (go_is_func(process, id, C_FuncID_runtime_main) ||
	    go_is_func(process, id, C_FuncID_corostart) ||
	    go_is_func(process, id, C_FuncID_handleAsyncEvent))
		return false;
	if (strncmp(fn->name, "runtime.", 8) != 0)
		return false;
	if (go_is_func(process, id, C_FuncID_runfinq) ||
	    go_is_func(process, id, C_FuncID_runCleanups))
		return !calls_user(process, g);
	return true;
}

static void put_creator(const struct go_process *process,
			const struct go_g *g, struct heap_owner *o)
{
	taddr pc = go_rec(process, g->record, F_g_gopc);
	struct go_line line[64];
	struct go_pc *at;
	unsigned n;

	o->parent = go_rec(process, g->record, F_g_parentGoid);
	if (g->id == 1 || pc == 0)
		return;
	at = go_pc_at(process, pc);
	if (!at->fn.record)
		return;
	if (at->n_lines) {
		memcpy(line, at->line, sizeof(at->line));
		n = at->n_lines;
	} else {
		n = go_lines(process, &at->fn,
			     pc > at->fn.entry ? pc - 1 : pc, line, 64);
		if (n > 0 && n <= GO_PC_LINES && pc > at->fn.entry) {
			memcpy(at->line, line, n * sizeof(*line));
			at->n_lines = (uint8_t)n;
		}
	}
	if (n == 0)
		return;
	o->created_by = line[n - 1].function;
	o->created_file = line[0].file;
	o->created_line = line[0].line;
}

struct owners {
	struct go_process *process;
	heap_owner_fn *fn;
	void *ctx;
	uint64_t now;
	uint32_t faulting;
};

static void put_times(const struct owners *out, const struct go_g *g,
		      struct heap_owner *o)
{
	uint64_t since = go_rec(out->process, g->record, F_g_waitsince);

	if (g->status == GO_WAITING || g->status == GO_LEAKED)
		o->wait_reason = go_wait_reason(
			out->process,
			go_rec(out->process, g->record, F_g_waitreason));
	if ((g->status == GO_WAITING || g->status == GO_SYSCALL ||
	     g->status == GO_LEAKED) &&
	    since != 0 && since < out->now)
		o->wait_ns = out->now - since;
}

// waits_on returns the channel that a goroutine sends to or receives from, the
// first one of a select. Source: runtime/runtime2.go, g.waiting and sudog.c
// (1.18–1.27); other waits leave g.waiting alone.
static taddr waits_on(const struct go_process *process, const struct go_g *g)
{
	uint64_t at = 0;
	taddr sudog = go_rec(process, g->record, F_g_waiting);
	if ((g->status != GO_WAITING && g->status != GO_LEAKED) || !sudog ||
	    go_field(process, sudog, F_sudog_c, &at, NULL))
		return 0;
	return at;
}

static bool put_owner(const struct owners *out, const struct go_g *g)
{
	struct go_process *process = out->process;
	const struct go_thread *thread = go_thread_of_m(process, g->m);
	struct pool *scratch = &process->threads->scratch;
	char *mark = pool_mark(scratch);
	struct heap_label *labels = NULL;
	struct go_start start;
	struct hc_err why;
	struct heap_owner o = {
		.index = g->index,
		.id = g->id,
		.noun = "goroutine",
		.status = status_name(g->status),
		.system = is_system(process, g),
		.faulting = g->index == out->faulting,
		.stack_low = g->lo,
		.stack_high = g->hi,
	};
	bool more;

	if (thread && thread->curg == g->record.at)
		o.thread = thread->tid;
	if (go_start_of(process, g, &start) == HC_OK)
		o.stack_used = g->hi - start.sp;
	put_times(out, g, &o);
	o.waits_on = waits_on(process, g);
	put_creator(process, g, &o);
	if (go_labels(process, g, scratch, &labels, &o.n_labels, &why))
		o.n_labels = 0;
	o.labels = labels;
	more = out->fn(out->ctx, &o);
	pool_rewind(scratch, mark);
	return more;
}

uint32_t go_faulting(const struct go_process *process)
{
	const struct go_threads *t = process->threads;
	uint32_t i;
	taddr g;

	if (t->crashed == GO_NO_THREAD || core_info(process->core)->signal == 0)
		return HEAP_NO_OWNER;
	g = t->at[t->crashed].curg;
	for (i = 0; g != 0 && i < t->n_gs; i++)
		if (go_g_at(process, i) == g)
			return i;
	return HEAP_NO_OWNER;
}

void go_owners(struct go_process *process, heap_owner_fn *fn, void *ctx)
{
	struct owners out = { process, fn, ctx, go_last_time(process),
			      go_faulting(process) };
	struct hc_err why;
	struct go_g g;
	uint32_t i;

	if (out.faulting != HEAP_NO_OWNER &&
	    go_g_open(process, out.faulting, &g, &why) == HC_OK &&
	    !put_owner(&out, &g))
		return;
	for (i = 0; i < process->threads->n_gs; i++) {
		if (i != out.faulting && go_g_take(process, i, &g) &&
		    !put_owner(&out, &g))
			return;
	}
}

uint64_t go_owner_count(const struct go_process *process)
{
	uint64_t n = 0;
	struct hc_err why;
	struct go_g g;
	uint32_t i;

	for (i = 0; i < process->threads->n_gs; i++)
		n += go_g_open(process, i, &g, &why) == HC_OK;
	return n;
}
