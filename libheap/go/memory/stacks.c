// stacks.c: see stacks.h.
#include "libheap/go/memory/stacks.h"

#include "libheap/go/heap/chain.h"
#include "libheap/go/heap/spans.h"
#include "libheap/go/memory/use.h"

enum { G_IDLE = 0, G_SYSCALL = 3, G_DEAD = 6, G_DEADEXTRA = 11,
       G_SCAN = 0x1000 };

#define PAGE UINT64_C(4096)
#define TLS_REACH (UINT64_C(64) << 10) // from a stack's top to thread data

// in_stack_span says whether the heap gave out [low, high) as one stack.
static bool in_stack_span(const struct go_process *process, taddr low,
			  taddr high)
{
	const struct go_span *s = go_span_of(process, low);
	return s && s->state == GO_SPAN_MANUAL && high > low &&
	       high - s->base <= go_span_len(s);
}

// thread_sp finds the stack pointer of a thread that stands inside [low,
// high), 0 when none does.
static taddr thread_sp(const struct go_process *process, taddr low, taddr high)
{
	size_t n;
	const struct core_thread *t = core_threads(process->core, &n);
	for (size_t i = 0; i < n; i++)
		if (t[i].sp >= low && t[i].sp < high)
			return t[i].sp;
	return 0;
}

// stack_sp says down to where goroutine g uses its stack.
static taddr stack_sp(const struct go_process *process, taddr g, taddr low,
		      taddr high)
{
	uint64_t sp = 0, status = 0;
	if (!go_field(process, g, F_g_syscallsp, &sp, NULL) && sp > low &&
	    sp <= high)
		return sp;
	if (!go_field(process, g, F_g_atomicstatus, &status, NULL) &&
	    (status & ~(uint64_t)G_SCAN) == 2) {
		sp = thread_sp(process, low, high);
		if (sp)
			return sp;
	}
	if (go_field(process, g, F_g_sched_sp, &sp, NULL) || sp <= low ||
	    sp > high)
		return low;
	return sp;
}

// add_goroutine claims the stack of one goroutine.
static bool add_goroutine(struct go_process *process, struct pool *pool,
			  taddr g, struct claims *out)
{
	uint64_t low, high, status;
	if (go_field(process, g, F_g_stack_lo, &low, NULL) ||
	    go_field(process, g, F_g_stack_hi, &high, NULL) ||
	    go_field(process, g, F_g_atomicstatus, &status, NULL))
		return true;
	status &= ~(uint64_t)G_SCAN;
	if (status == G_IDLE || status == G_DEAD || status == G_DEADEXTRA ||
	    !in_stack_span(process, low, high))
		return true;
	taddr sp = stack_sp(process, g, low, high);
	return claims_add(pool, out, low, sp - low, GO_USE_STACK_UNUSED, 0) &&
	       claims_add(pool, out, sp, high - sp, GO_USE_STACK_USED, 0);
}

// thread_tls finds where the thread that runs m keeps its own data, 0 when it
// is not known.
static taddr thread_tls(const struct go_process *process, taddr m)
{
	size_t n;
	const struct core_thread *t = core_threads(process->core, &n);
	uint64_t tid = 0;
	if (go_field(process, m, F_m_procid, &tid, NULL))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (t[i].tid == (uint32_t)tid)
			return t[i].tls;
	return 0;
}

// add_os_stack claims a g0's stack that is not Go's: with cgo that of a thread
// of the C library. Go knows its top and its length by and large; the thread's
// own data is in the same mapping, right above.
// Source: runtime/proc.go, mstart0; glibc nptl/allocatestack.c.
static bool add_os_stack(struct go_process *process, struct pool *pool,
			 taddr low, taddr high, taddr tls, struct claims *out)
{
	size_t n;
	const struct core_segment *s = core_segments(process->core, &n);
	for (size_t i = 0; i < n; i++) {
		if (high - 1 < s[i].base || high - 1 - s[i].base >= s[i].len)
			continue;
		if (!(s[i].perm & CORE_W))
			return true;
		if (low < s[i].base)
			low = s[i].base;
		if (tls - high < TLS_REACH)
			high = tls + 1;
		// From low, which may lie inside a page, to the end of a page.
		uint64_t len = ((high - 1) | (PAGE - 1)) - low + 1;
		uint64_t room = s[i].len - (low - s[i].base);
		return claims_add(pool, out, low, len < room ? len : room,
				  GO_USE_THREAD_STACKS, 0);
	}
	return true;
}

// add_thread claims the g0 and signal stacks of one m.
static bool add_thread(struct go_process *process, struct pool *pool, taddr m,
		       struct claims *out)
{
	static const enum go_field which[] = { F_m_g0, F_m_gsignal };
	for (unsigned i = 0; i < 2; i++) {
		uint64_t g, low, high;
		if (go_field(process, m, which[i], &g, NULL) || !g ||
		    go_field(process, g, F_g_stack_lo, &low, NULL) ||
		    go_field(process, g, F_g_stack_hi, &high, NULL) ||
		    low >= high)
			continue;
		if (in_stack_span(process, low, high) ?
			    !claims_add(pool, out, low, high - low,
					GO_USE_STACK_SYSTEM, 0) :
			    !add_os_stack(process, pool, low, high,
					  thread_tls(process, m), out))
			return false;
	}
	return true;
}

enum hc go_stacks_find(struct go_process *process, struct pool *pool,
		       struct claims *ret, struct hc_err *err)
{
	struct claims out = { 0 };
	struct go_chain chain = { 0 };
	struct go_slice all = { 0 };
	taddr m = 0;
	uint64_t next;

	if (go_slice_at(process, process->globals.at[G_allgs], 8, &all, NULL))
		all.len = 0;
	for (uint64_t i = 0; i < all.len; i++) {
		taddr g;
		if (core_u64(process->core, all.at + 8 * i, &g, NULL))
			break;
		if (!add_goroutine(process, pool, g, &out))
			return hc_nomem(err);
	}
	if (core_u64(process->core, process->globals.at[G_allm], &m, NULL))
		m = 0;
	for (; go_chain_on(&chain, m); m = next) {
		if (!add_thread(process, pool, m, &out))
			return hc_nomem(err);
		if (go_field(process, m, F_m_alllink, &next, NULL))
			break;
	}
	claims_settle(&out);
	*ret = out;
	return HC_OK;
}

// add_work_list claims the spans of one list of work buffers.
static bool add_work_list(struct go_process *process, struct pool *pool,
			  enum go_field list, struct claims *out)
{
	struct go_chain chain = { 0 };
	uint64_t at, next;
	taddr work = process->globals.at[G_work];
	if (!work || go_field(process, work, list, &at, NULL))
		return true;
	for (; go_chain_on(&chain, at); at = next) {
		uint64_t base, npages;
		if (go_field(process, at, F_mspan_startAddr, &base, NULL) ||
		    go_field(process, at, F_mspan_npages, &npages, NULL) ||
		    go_field(process, at, F_mspan_next, &next, NULL) ||
		    npages > UINT32_MAX)
			return true;
		if (!claims_add(pool, out, base, npages * GO_PAGE,
				GO_USE_GC_WORK, 0))
			return false;
	}
	return true;
}

enum hc go_work_spans_find(struct go_process *process, struct pool *pool,
			   struct claims *ret, struct hc_err *err)
{
	const struct go_spans *spans = process->spans;
	struct claims out = { 0 };
	if (!add_work_list(process, pool, F_work_wbufSpans_free, &out) ||
	    !add_work_list(process, pool, F_work_wbufSpans_busy, &out))
		return hc_nomem(err);
	for (size_t i = 0; i < spans->n; i++) {
		const struct go_span *s = &spans->at[i];
		const struct go_span *bits =
			s->ptrmap == GO_PTRMAP_LARGE && s->type ?
				go_span_of(process, s->type) :
				NULL;
		if (bits && bits->state == GO_SPAN_MANUAL &&
		    !claims_add(pool, &out, bits->base, go_span_len(bits),
				GO_USE_GC_WORK, 0))
			return hc_nomem(err);
	}
	claims_settle(&out);
	*ret = out;
	return HC_OK;
}
