// globals_valid.c: what the values of the runtime's variables look like.
#include "libheap/go/program/globals_find.h"

#include "libcore/base/limits.h"

// Enough elements to tell one list from another.
enum { FEW = 16 };

enum { PAGE = 8192, STATUS_MAX = 11, STATUS_SCAN = 0x1000, P_STATUS_MAX = 4,
       BUCKET_FRAMES_MAX = 1024 };

static taddr word_at(const struct go_process *process, taddr at)
{
	taddr v;

	return core_ptr(process->core, at, &v, NULL) ? 0 : v;
}

static uint64_t field_or(const struct go_process *process, taddr at,
			 enum go_field f, uint64_t fallback)
{
	uint64_t v;

	return go_field(process, at, f, &v, NULL) ? fallback : v;
}

bool go_in_globals(const struct go_process *process, taddr at)
{
	const struct go_module *m = process->modules;

	return process->n_modules > 0 &&
	       ((at >= m->noptrdata && at < m->enoptrdata) ||
		(at >= m->data && at < m->edata) ||
		(at >= m->bss && at < m->ebss) ||
		(at >= m->noptrbss && at < m->enoptrbss));
}

// is_span: one that is in use, or has been given back (state 0, the rest may
// be anything).
static bool is_span(const struct go_process *process, taddr at, bool *ret_used)
{
	uint64_t state = field_or(process, at, F_mspan_state, UINT64_MAX);
	uint64_t pages = field_or(process, at, F_mspan_npages, 0);

	*ret_used |= state != 0;
	return state == 0 ||
	       (state <= 2 && pages > 0 && pages < 1u << 30 &&
		field_or(process, at, F_mspan_startAddr, 1) % PAGE == 0);
}

// left_out: mapped, but not in the core, which was cut: nothing to judge by.
static bool left_out(const struct go_process *process, taddr at, uint64_t len)
{
	return core_mapped_bytes(process->core, at, len) == len &&
	       core_saved_bytes(process->core, at, len) < len;
}

bool go_is_mheap(const struct go_process *process, taddr at)
{
	const struct go_layout *l = &process->layout;
	struct go_slice s;
	uint64_t word = core_info(process->core)->word;

	if (field_or(process, at + go_off(l, F_mheap_spanalloc),
		     F_fixalloc_size, 0) != l->size[S_mspan] ||
	    field_or(process, at + go_off(l, F_mheap_cachealloc),
		     F_fixalloc_size, 0) != l->size[S_mcache] ||
	    go_slice_field(process, at, F_mheap_allspans, word, &s, NULL) ||
	    s.len == 0)
		return false;
	bool used = false, unknown = false;
	for (uint64_t i = 0; i < s.len && i < FEW; i++) {
		taddr slot = s.at + i * word, span = word_at(process, slot);
		if (left_out(process, slot, word) ||
		    left_out(process, span, l->size[S_mspan]))
			unknown = true;
		else if (!is_span(process, span, &used))
			return false;
	}
	return used || unknown;
}

static bool is_m(const struct go_process *process, taddr m)
{
	uint64_t g0;

	return m >= 4096 && m % 4 == 0 &&
	       !go_field(process, m, F_m_g0, &g0, NULL) && g0 >= 4096 &&
	       field_or(process, g0, F_g_m, 0) == m;
}

uint64_t go_m_chain(const struct go_process *process, taddr m,
		    uint64_t *steps, taddr *ret_last)
{
	uint64_t n = 0;
	taddr last = 0;

	for (; m; n++) {
		if (n == LIMIT_GO_THREADS || *steps == 0 || !is_m(process, m))
			return 0;
		--*steps;
		last = m;
		if (go_field(process, m, F_m_alllink, &m, NULL))
			return 0;
	}
	if (n == 0 || field_or(process, last, F_m_id, 1) != 0)
		return 0;
	*ret_last = last;
	return n;
}

static bool is_g(const struct go_process *process, taddr g)
{
	uint64_t low = field_or(process, g, F_g_stack_lo, UINT64_MAX);
	uint64_t high = field_or(process, g, F_g_stack_hi, 0);
	uint64_t status = field_or(process, g, F_g_atomicstatus, UINT64_MAX);
	taddr m = field_or(process, g, F_g_m, 1);

	return g >= 4096 && low <= high && high - low <= 1u << 30 &&
	       (status & ~(uint64_t)STATUS_SCAN) <= STATUS_MAX &&
	       (m == 0 || is_m(process, m));
}

bool go_is_allgs(const struct go_process *process, taddr at)
{
	uint64_t word = core_info(process->core)->word;
	struct go_slice s;

	if (go_slice_at(process, at, word, &s, NULL) || s.len == 0 ||
	    s.len > LIMIT_GO_GOROUTINES ||
	    field_or(process, word_at(process, s.at), F_g_goid, 0) != 1)
		return false;
	for (uint64_t i = 0; i < s.len && i < FEW; i++)
		if (!is_g(process, word_at(process, s.at + i * word)))
			return false;
	return true;
}

// is_mcache: its spans are never nil, as emptymspan stands for none.
static bool is_mcache(const struct go_process *process, taddr at)
{
	const struct go_layout *l = &process->layout;
	uint64_t word = core_info(process->core)->word;

	for (uint64_t i = 0; i < 4; i++) {
		taddr span = word_at(process, at + go_off(l, F_mcache_alloc) +
						      i * word);
		if (span < 4096 ||
		    field_or(process, span, F_mspan_startAddr, 1) % PAGE)
			return false;
	}
	return true;
}

bool go_is_allp(const struct go_process *process, taddr at, uint64_t *steps)
{
	uint64_t word = core_info(process->core)->word;
	struct go_slice s;

	if (go_slice_at(process, at, word, &s, NULL) || s.len == 0 ||
	    s.len > 4096 || s.cap > 65536)
		return false;
	for (uint64_t i = 0; i < s.len; i++) {
		taddr p = word_at(process, s.at + i * word);
		taddr cache = field_or(process, p, F_p_mcache, 0);
		if (field_or(process, p, F_p_id, UINT64_MAX) != i ||
		    field_or(process, p, F_p_status, UINT64_MAX) >
			    P_STATUS_MAX ||
		    ((i == 0 || cache) && !is_mcache(process, cache)) ||
		    *steps == 0)
			return false;
		--*steps;
	}
	return true;
}

bool go_is_bucket(const struct go_process *process, taddr at, uint64_t type)
{
	const struct go_module *m = process->modules;
	uint64_t word = core_info(process->core)->word;
	uint64_t n = field_or(process, at, F_bucket_nstk, 0);

	if (at < 4096 || field_or(process, at, F_bucket_typ, 0) != type ||
	    n == 0 || n > BUCKET_FRAMES_MAX)
		return false;
	// The return addresses follow nstk.
	at += go_off(&process->layout, F_bucket_nstk) + word;
	for (uint64_t i = 0; i < n && i < FEW; i++) {
		taddr pc = word_at(process, at + i * word);
		if (process->n_modules == 1 &&
		    (pc < m->text || pc > m->etext))
			return false;
	}
	return true;
}

static bool is_build_version(const struct go_process *process, taddr at)
{
	uint64_t word = core_info(process->core)->word;
	taddr text = word_at(process, at);
	uint64_t len = word_at(process, at + word);
	const uint8_t *p;

	return len >= 3 && len < LIMIT_GO_NAME &&
	       !core_view(process->core, text, len, &p, NULL) &&
	       (memcmp(p, "go1", 3) == 0 || memcmp(p, "dev", 3) == 0);
}

static bool is_modules_slice(const struct go_process *process, taddr at)
{
	struct go_slice s;
	taddr slice = word_at(process, at);

	return slice && !go_slice_at(process, slice, 8, &s, NULL) &&
	       s.len > 0 && s.len <= LIMIT_GO_MODULES &&
	       word_at(process, s.at) == process->anchor.moduledata;
}

static bool is_sched(const struct go_process *process, taddr at)
{
	uint64_t max = field_or(process, at, F_schedt_maxmcount, 0);
	uint64_t next = field_or(process, at, F_schedt_mnext, 0);
	uint64_t goid = field_or(process, at, F_schedt_goidgen, 0);
	taddr m = field_or(process, at, F_schedt_midle, 1);
	taddr p = field_or(process, at, F_schedt_pidle, 1);

	return max > 0 && max < 1u << 31 && next > 0 && next < 1u << 31 &&
	       goid > 0 && goid < (uint64_t)1 << 56 &&
	       (m == 0 || is_m(process, m)) &&
	       (p == 0 || field_or(process, p, F_p_status, UINT64_MAX) <=
				  P_STATUS_MAX);
}

// pointer_ok: nil, or the address of something that can be read.
static bool pointer_ok(const struct go_process *process, taddr at)
{
	taddr v;
	uint8_t b;

	return !core_ptr(process->core, at, &v, NULL) &&
	       (v == 0 || (v >= 4096 && !core_u8(process->core, v, &b, NULL)));
}

static bool number_ok(const struct go_process *process, taddr at, uint64_t max)
{
	uint32_t v;

	return !core_u32(process->core, at, &v, NULL) && v <= max;
}

static bool bucket_ok(const struct go_process *process, taddr at, uint64_t type)
{
	taddr v;

	return !core_ptr(process->core, at, &v, NULL) &&
	       (v == 0 || go_is_bucket(process, v, type));
}

bool go_global_valid(const struct go_process *process, enum go_global g,
		     taddr at)
{
	uint64_t steps = LIMIT_GO_THREADS;
	taddr last;

	if (!go_in_globals(process, at))
		return false;
	switch (g) {
	case G_mheap_:
		return go_is_mheap(process, at);
	case G_allgs:
		return go_is_allgs(process, at);
	case G_allp:
		return go_is_allp(process, at, &steps);
	case G_allm:
		return go_m_chain(process, word_at(process, at), &steps,
				  &last) > 0;
	case G_m0:
		return is_m(process, at) &&
		       field_or(process, at, F_m_id, 1) == 0;
	case G_g0:
		return is_m(process, field_or(process, at, F_g_m, 0));
	case G_allgptr:
		return field_or(process,
				word_at(process, word_at(process, at)),
				F_g_goid, 0) == 1;
	case G_sched:
		return is_sched(process, at);
	case G_gcphase:
		return number_ok(process, at, 2);
	case G_mbuckets:
		return bucket_ok(process, at, 1);
	case G_bbuckets:
		return bucket_ok(process, at, 2);
	case G_xbuckets:
		return bucket_ok(process, at, 3);
	case G_firstmoduledata:
		return at == process->anchor.moduledata;
	case G_modulesSlice:
		return is_modules_slice(process, at);
	case G_buildVersion:
		return is_build_version(process, at);
	case G_lastmoduledatap:
	case G_allfin:
	case G_finq:
	case G_finc:
	case G_persistentChunks:
	case G_itabTable:
		return pointer_ok(process, at);
	default:
		return true;
	}
}
