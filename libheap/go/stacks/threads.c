// threads.c: see threads.h.
#include "libheap/go/stacks/threads.h"

#include "libcore/base/limits.h"
#include "libheap/go/heap/chain.h"
#include "libheap/go/stacks/pcs.h"

#define SCRATCH_CAP (UINT64_C(1) << 32) // the variables of one stack

static uint32_t slot_of(const struct go_threads *t, taddr m)
{
	return (uint32_t)((m >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
	       (t->n_slots - 1);
}

const struct go_thread *go_thread_of_m(const struct go_process *process,
				       taddr m)
{
	const struct go_threads *t = process->threads;
	uint32_t i;

	if (m == 0 || t->n_slots == 0)
		return NULL;
	for (i = slot_of(t, m); t->slot[i]; i = (i + 1) & (t->n_slots - 1))
		if (t->at[t->slot[i] - 1].m == m)
			return &t->at[t->slot[i] - 1];
	return NULL;
}

// The system's threads are looked up by id once per m: a hash of them too.
static enum hc match_lwps(struct go_process *process, struct hc_err *err)
{
	struct go_threads *t = process->threads;
	size_t n_lwps, i;
	const struct core_thread *lwps = core_threads(process->core, &n_lwps);
	uint64_t n_slots = 16;
	char *mark = pool_mark(&t->scratch);
	uint32_t *slot;

	while (n_slots < 2 * (uint64_t)n_lwps)
		n_slots *= 2;
	slot = pool_new(&t->scratch, uint32_t, n_slots);
	if (!slot)
		return hc_nomem(err);
	for (i = 0; i < n_lwps; i++) {
		uint64_t k = lwps[i].tid * UINT64_C(0x9e3779b1) % n_slots;

		while (slot[k])
			k = (k + 1) % n_slots;
		slot[k] = (uint32_t)i + 1;
	}
	for (i = 0; i < t->n; i++) {
		uint64_t k = t->at[i].tid * UINT64_C(0x9e3779b1) % n_slots;

		while (slot[k] && lwps[slot[k] - 1].tid != t->at[i].tid)
			k = (k + 1) % n_slots;
		t->at[i].lwp = slot[k] ? &lwps[slot[k] - 1] : NULL;
		if (slot[k] == 1)
			t->crashed = (uint32_t)i;
	}
	pool_rewind(&t->scratch, mark);
	return HC_OK;
}

static void read_stack(const struct go_process *process, taddr g, taddr *lo,
		       taddr *hi)
{
	struct go_record record;

	if (g == 0 || go_record_view(process, g, S_g, &record, NULL))
		return;
	*lo = go_rec(process, record, F_g_stack_lo);
	*hi = go_rec(process, record, F_g_stack_hi);
	if (*hi < *lo)
		*lo = *hi = 0;
}

// take_thread reads one m and returns the next of the list.
static taddr take_thread(const struct go_process *process, taddr m,
			 struct go_record record, struct go_thread *ret)
{
	*ret = (struct go_thread){
		.m = m,
		.g0 = go_rec(process, record, F_m_g0),
		.gsignal = go_rec(process, record, F_m_gsignal),
		.curg = go_rec(process, record, F_m_curg),
		.vdso_pc = go_rec(process, record, F_m_vdsoPC),
		.vdso_sp = go_rec(process, record, F_m_vdsoSP),
		.tid = (uint32_t)go_rec(process, record, F_m_procid),
	};
	read_stack(process, ret->g0, &ret->g0_lo, &ret->g0_hi);
	read_stack(process, ret->gsignal, &ret->signal_lo, &ret->signal_hi);
	return go_rec(process, record, F_m_alllink);
}

static enum hc read_threads(struct go_process *process, struct hc_err *err)
{
	struct go_threads *t = process->threads;
	struct { VEC(struct go_thread); } list = { 0 };
	struct go_record record;
	struct go_chain chain = { 0 };
	struct hc_err why;
	taddr m = 0;

	if (process->globals.at[G_allm] == 0 ||
	    core_ptr(process->core, process->globals.at[G_allm], &m, &why))
		findings_add(process->findings, "bad threads",
			     process->globals.at[G_allm],
			     "the list of the runtime's threads is not there");
	while (m != 0) {
		struct go_thread *thread;

		if (!go_chain_on(&chain, m) || list.n == LIMIT_GO_THREADS) {
			findings_add(process->findings, "bad threads", m,
				     "the list of threads does not end");
			break;
		}
		if (go_record_view(process, m, S_m, &record, &why)) {
			findings_add_err(process->findings, "bad threads",
					 &why);
			break;
		}
		thread = vec_push(process->pool, &list);
		if (!thread)
			return hc_nomem(err);
		m = take_thread(process, m, record, thread);
	}
	t->at = list.at;
	t->n = (uint32_t)list.n;
	return HC_OK;
}

static enum hc hash_threads(struct go_process *process, struct hc_err *err)
{
	struct go_threads *t = process->threads;
	uint32_t i, k, n_slots = 16;

	while (n_slots < 2 * t->n)
		n_slots *= 2;
	t->slot = pool_new(process->pool, uint32_t, n_slots);
	if (!t->slot)
		return hc_nomem(err);
	t->n_slots = n_slots;
	for (i = 0; i < t->n; i++) {
		for (k = slot_of(t, t->at[i].m); t->slot[k];
		     k = (k + 1) & (n_slots - 1))
			if (t->at[t->slot[k] - 1].m == t->at[i].m)
				break;
		if (t->slot[k]) { // the list is a ring
			findings_add(process->findings, "bad threads",
				     t->at[i].m, "a thread is listed twice");
			t->n = i;
			break;
		}
		t->slot[k] = i + 1;
	}
	return HC_OK;
}

// The slice allgs, or the copy that the runtime keeps for lock-free readers.
// Source: runtime/proc.go, allgadd (1.18–1.27).
static enum hc read_list(struct go_process *process, struct hc_err *err)
{
	const struct go_globals *globals = &process->globals;
	unsigned word = core_info(process->core)->word;
	struct go_threads *t = process->threads;
	struct go_slice gs = { 0 };
	struct hc_err why;
	taddr at;
	uint64_t n;

	if (globals->at[G_allgs] &&
	    go_slice_at(process, globals->at[G_allgs], word, &gs, &why) ==
		    HC_OK &&
	    gs.len <= LIMIT_GO_GOROUTINES &&
	    core_view(process->core, gs.at, gs.len * word, &t->gs, &why) ==
		    HC_OK) {
		t->n_gs = (uint32_t)gs.len;
		return HC_OK;
	}
	if (globals->at[G_allgptr] == 0 || globals->at[G_allglen] == 0)
		return hc_fail(err, HC_CORRUPT, gs.at,
			       "the list of goroutines cannot be read");
	HC_TRY(core_ptr(process->core, globals->at[G_allgptr], &at, err));
	HC_TRY(core_ptr(process->core, globals->at[G_allglen], &n, err));
	if (n > LIMIT_GO_GOROUTINES)
		return hc_fail(err, HC_CORRUPT, at,
			       "%" PRIu64 " goroutines are too many", n);
	HC_TRY(core_view(process->core, at, n * word, &t->gs, err));
	t->n_gs = (uint32_t)n;
	return HC_OK;
}

static void find_sigreturn(struct go_process *process)
{
	// Source: runtime/sys_linux_amd64.s: sigreturn, since Go 1.20
	// sigreturn__sigaction.
	static const char *const names[] = { "runtime.sigreturn__sigaction",
					     "runtime.sigreturn" };
	struct go_func fn[2] = { 0 };

	go_funcs_named(process, names, 2, fn);
	process->threads->sigreturn = fn[0].record ? fn[0].entry :
				      fn[1].record ? fn[1].entry : 0;
}

enum hc go_threads_find(struct go_process *process, struct hc_err *err)
{
	struct go_threads *t = pool_new(process->pool, struct go_threads, 1);
	struct hc_err why;

	if (!t)
		return hc_nomem(err);
	t->crashed = GO_NO_THREAD;
	HC_TRY(pool_open(SCRATCH_CAP, &t->scratch, err));
	process->threads = t;
	HC_TRY(go_pcs_make(process->pool, &t->pcs, err));
	HC_TRY(read_threads(process, err));
	HC_TRY(hash_threads(process, err));
	HC_TRY(match_lwps(process, err));
	if (read_list(process, &why)) {
		t->gs = NULL;
		t->n_gs = 0;
		findings_add_err(process->findings, "bad goroutines", &why);
	}
	t->told = pool_new(process->pool, uint64_t, t->n_gs / 64 + 1);
	if (!t->told)
		return hc_nomem(err);
	find_sigreturn(process);
	return HC_OK;
}

void go_threads_done(struct go_process *process)
{
	if (process->threads)
		pool_close(&process->threads->scratch);
}

enum hc go_g_open(const struct go_process *process, uint32_t i,
		  struct go_g *ret, struct hc_err *err)
{
	struct go_g g = { .index = i };

	HC_TRY(go_record_view(process, go_g_at(process, i), S_g, &g.record,
			      err));
	g.status = (uint32_t)go_rec(process, g.record, F_g_atomicstatus) &
		   ~GO_SCAN_BIT;
	if (g.status == GO_IDLE || g.status == GO_DEAD ||
	    g.status == GO_DEADEXTRA)
		return HC_NONE;
	g.id = go_rec(process, g.record, F_g_goid);
	g.lo = go_rec(process, g.record, F_g_stack_lo);
	g.hi = go_rec(process, g.record, F_g_stack_hi);
	g.m = go_rec(process, g.record, F_g_m);
	*ret = g;
	return HC_OK;
}

bool go_g_told(const struct go_process *process, uint32_t i)
{
	uint64_t *word = &process->threads->told[i / 64];
	bool told = *word >> (i % 64) & 1;

	*word |= UINT64_C(1) << (i % 64);
	return told;
}

bool go_g_take(const struct go_process *process, uint32_t i, struct go_g *ret)
{
	struct hc_err why;
	enum hc got = go_g_open(process, i, ret, &why);

	if (got == HC_FAIL && !go_g_told(process, i))
		findings_add_err(process->findings, "bad goroutine", &why);
	return got == HC_OK;
}
