// globals_data.c: the runtime's variables by what they look like.
//
// Every word of data and bss is held against a few signatures, each of which
// begins with a test that most words fail.
#include "libheap/go/program/globals_find.h"

#include "libheap/go/heap/record.h"

// Source: Go 1.18 to 1.27 runtime/proc.go, schedinit: sched.maxmcount.
enum { MAX_M_COUNT = 10000, SCHEDS = 8 };

// A hundred variables that point into the list of 100,000 threads.
#define LIMIT_STEPS 10000000u

// struct scan is the pass over one run of memory.
struct scan {
	const struct go_process *process;
	taddr *at;         // by enum go_global
	uint64_t n_threads; // in the list at allm
	uint64_t steps;     // left, along lists
	taddr m0;
	taddr sched[SCHEDS]; // what may be it
	unsigned n_scheds;
	taddr last_module;
	unsigned n_last; // words that point at it
	uint64_t version_len;
	uint64_t mspan_len, mheap_size_off, sched_max_off;
	unsigned word;
};

static void found(struct scan *s, enum go_global g, taddr at)
{
	if (s->at[g] == 0)
		s->at[g] = at;
}

// try_allm: the longest list is allm; other variables hold threads from the
// middle of it.
static void try_allm(struct scan *s, taddr at, uint64_t v)
{
	taddr last;
	uint64_t n = go_m_chain(s->process, v, &s->steps, &last);

	if (n > s->n_threads && go_in_globals(s->process, last)) {
		s->n_threads = n;
		s->at[G_allm] = at;
		s->m0 = last;
	}
}

static void try_slice(struct scan *s, taddr at, uint64_t len, uint64_t cap)
{
	if (len == 0 || len > cap)
		return;
	if (s->at[G_allp] == 0 && len <= 4096 &&
	    go_is_allp(s->process, at, &s->steps))
		s->at[G_allp] = at;
	else if (s->at[G_allgs] == 0 && go_is_allgs(s->process, at))
		s->at[G_allgs] = at;
}

static void try_pointer(struct scan *s, taddr at, uint64_t v)
{
	static const enum go_global buckets[] = { G_mbuckets, G_bbuckets,
						  G_xbuckets };
	taddr first;
	uint64_t type;

	try_allm(s, at, v);
	if (!core_ptr(s->process->core, v, &first, NULL) &&
	    first != 0 && go_global_valid(s->process, G_modulesSlice, at))
		found(s, G_modulesSlice, at);
	if (!go_field(s->process, v, F_bucket_typ, &type, NULL) && type >= 1 &&
	    type <= 3 && s->at[buckets[type - 1]] == 0 &&
	    go_is_bucket(s->process, v, type))
		s->at[buckets[type - 1]] = at;
}

static void try_number(struct scan *s, taddr at, uint64_t v)
{
	const struct go_process *p = s->process;

	if (v == s->mspan_len &&
	    go_in_globals(p, at - s->mheap_size_off) &&
	    go_is_mheap(p, at - s->mheap_size_off))
		found(s, G_mheap_, at - s->mheap_size_off);
	for (unsigned half = 0; half < s->word; half += 4) {
		taddr sched = at + half - s->sched_max_off;
		if ((uint32_t)(v >> (half * 8)) == MAX_M_COUNT &&
		    sched % s->word == 0 && s->n_scheds < SCHEDS &&
		    go_global_valid(p, G_sched, sched))
			s->sched[s->n_scheds++] = sched;
	}
}

// try_version: any copy of the string tells as much as the variable.
static void try_version(struct scan *s, taddr at, uint64_t v, uint64_t len)
{
	const uint8_t *p;

	if (s->at[G_buildVersion] == 0 && len == s->version_len &&
	    !core_view(s->process->core, v, len, &p, NULL) &&
	    memcmp(p, s->process->version.text, len) == 0)
		s->at[G_buildVersion] = at;
}

// scan_window looks at each word of a readable run.
static void scan_window(struct scan *s, taddr at, const uint8_t *p,
			uint64_t len)
{
	uint64_t word = s->word, n = len / word;

	for (uint64_t i = 0; i < n; i++, p += word, at += word) {
		uint64_t v = go_word(p, s->word);
		if (v == 0)
			continue;
		if (v == s->mspan_len || (uint32_t)v == MAX_M_COUNT ||
		    v >> 32 == MAX_M_COUNT)
			try_number(s, at, v);
		if (v < 4096)
			continue;
		if (i + 1 < n)
			try_version(s, at, v, go_word(p + word, s->word));
		if (v % 4 != 0)
			continue;
		if (v == s->last_module) {
			s->at[G_lastmoduledatap] = at;
			s->n_last++;
		}
		if (i + 2 < n)
			try_slice(s, at, go_word(p + word, s->word),
				  go_word(p + 2 * word, s->word));
		try_pointer(s, at, v);
	}
}

static void scan_range(struct scan *s, taddr low, taddr high)
{
	struct core_window w;

	for (taddr at = low; at < high && !core_next_window(s->process->core,
							    at, &w);
	     at = w.base + w.len) {
		taddr from = w.base > at ? w.base : at;
		from += -from & (s->word - 1);
		taddr to = w.base + w.len < high ? w.base + w.len : high;
		if (from >= to)
			break;
		scan_window(s, from, w.bytes + (from - w.base), to - from);
	}
}

// settle_threads finishes what needs the whole list of threads: m0 is its last
// one, whose g0 is a variable too, and sched has handed out all their numbers.
static void settle_threads(struct scan *s)
{
	const struct go_process *p = s->process;
	taddr newest;
	uint64_t g0, id, next;

	if (s->m0 == 0 || core_ptr(p->core, s->at[G_allm], &newest, NULL) ||
	    go_field(p, newest, F_m_id, &id, NULL))
		return;
	s->at[G_m0] = s->m0;
	if (!go_field(p, s->m0, F_m_g0, &g0, NULL) && go_in_globals(p, g0))
		s->at[G_g0] = g0;
	for (unsigned i = 0; i < s->n_scheds; i++)
		if (!go_field(p, s->sched[i], F_schedt_mnext, &next, NULL) &&
		    next > id && next >= s->n_threads)
			found(s, G_sched, s->sched[i]);
}

void go_globals_from_data(const struct go_process *process,
			  taddr at[GO_N_GLOBALS])
{
	const struct go_layout *l = &process->layout;
	const struct go_module *m = process->modules;
	uint64_t size_off = go_off(l, F_mheap_spanalloc) +
			    go_off(l, F_fixalloc_size);
	struct scan s = { .process = process, .at = at,
			  .steps = LIMIT_STEPS,
			  .mspan_len = l->size[S_mspan],
			  .mheap_size_off = size_off,
			  .sched_max_off = go_off(l, F_schedt_maxmcount),
			  .word = core_info(process->core)->word };

	memset(at, 0, sizeof(at[0]) * GO_N_GLOBALS);
	if (process->n_modules == 0)
		return;
	s.last_module = process->modules[process->n_modules - 1].at;
	s.version_len = strlen(process->version.text);
	scan_range(&s, m->noptrdata, m->enoptrdata);
	scan_range(&s, m->data, m->edata);
	scan_range(&s, m->bss, m->ebss);
	scan_range(&s, m->noptrbss, m->enoptrbss);
	at[G_firstmoduledata] = process->anchor.moduledata;
	if (s.n_last > 1)
		at[G_lastmoduledatap] = 0;
	settle_threads(&s);
}
