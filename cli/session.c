// session.c: see session.h.
#include "cli/session.h"

#include "cli/commands.h"
#include "cli/debuginfod.h"
#include "cli/resolve.h"
#include "cli/sandbox.h"
#include "cli/types.h"
#include "libheap/dump/dump.h"
#include "libheap/go/go.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SCREENFUL 30
#define FINDINGS_TOLD 3

static const struct heap_reader *const readers[] = { &dump_reader, &go_reader };

// limit_of says how much memory may be used: what --memory-limit says, else
// most of the machine's.
static uint64_t limit_of(const struct session *s)
{
	if (option_given(&s->o, MEMORY_LIMIT))
		return s->o.memory_limit;
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	uint64_t cap = pages * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3;
	return cap < UINT64_C(1) << 30 ? UINT64_C(1) << 30 : cap;
}

// open_pool reserves cap bytes, or less where the system does not allow that
// much address space.
static enum hc open_pool(struct session *s, uint64_t cap, struct pool *ret)
{
	while (pool_open(cap, ret, &s->err)) {
		if (cap < UINT64_C(1) << 24)
			return HC_FAIL;
		cap /= 2;
	}
	return HC_OK;
}

static void on_phase(void *ctx, const char *name, uint64_t work,
		     const char *unit)
{
	session_phase(ctx, name, work, unit);
}

static enum hc open_core(struct session *s)
{
	bool shows = isatty(STDERR_FILENO) && !s->o.quiet;
	struct core_input in = {
		.sysroot = s->o.sysroot,
		.allow_mismatch = s->o.allow_mismatch,
		.tmpdir = getenv("TMPDIR"),
		.progress = shows ? progress_show : NULL,
		.fetch = debuginfod_wanted() ? debuginfod_fetch : NULL,
	};
	HC_TRY(resolve_core(s, &in.core));
	s->file = strcmp(in.core, "-") == 0 ? "standard input" : in.core;
	if (dump_is(in.core)) {
		HC_TRY(dump_open(in.core, (uint32_t)s->o.snapshot, &s->house,
				 &s->core, &s->err));
		session_phase(s, "open the heap dump", 0, NULL);
		return HC_OK;
	}
	if (s->o.snapshot)
		return hc_fail(&s->err, HC_UNSUPPORTED, 0,
			       "is no heap-dump file: it has no snapshots");
	in.exe = resolve_exe(s);
	HC_TRY(core_open(&in, &s->house, &s->core, &s->err));
	progress_hide();
	const struct core_info *info = core_info(s->core);
	session_phase(s, info->compressed ? "unpack and open the core" :
					    "open the core",
		      info->compressed ? info->file_bytes : 0, "bytes");
	if (!in.exe)
		resolve_tell_exe(s);
	return HC_OK;
}

// open_base opens the file that the answer is appended to, if it is there.
static enum hc open_base(struct session *s)
{
	if (!s->o.append || access(s->o.output, F_OK))
		return HC_OK;
	enum hc got = dump_base_open(s->o.output, s->o.values, &s->house,
				     &s->base, &s->err);
	if (got)
		s->file = s->o.output;
	return got;
}

enum hc session_heap(struct session *s, struct core *core, struct pool *pool,
		     struct heap **ret)
{
	uint64_t threads = option_given(&s->o, THREADS) ? s->o.threads : 0;
	struct heap_options options = {
		.threads = threads > 1024 ? 0 : (unsigned)threads,
		.quiet = s->o.quiet,
		.phase = on_phase,
		.phase_ctx = s,
	};
	return heap_open(core, readers, sizeof(readers) / sizeof(readers[0]),
			 &options, pool, ret, &s->err);
}

static enum hc open_heap(struct session *s)
{
	HC_TRY(session_heap(s, s->core, &s->house, &s->heap));
	s->reader = heap_reader_of(s->heap);
	s->self = heap_self(s->heap);
	return HC_OK;
}

bool session_writes_folder(const struct session *s)
{
	return s->command->run == cmd_dump && s->o.format &&
	       strcmp(s->o.format, "parquet") == 0;
}

enum hc session_open(struct session *s)
{
	s->begun = s->phase_begun = now_ns();
	uint64_t limit = limit_of(s);
	HC_TRY(open_pool(s, limit, &s->house));
	HC_TRY(open_pool(s, UINT64_C(64) << 20, &s->scratch));
	if (s->command->need == NEED_NOTHING)
		return open_pool(s, limit, &s->pool);
	s->statm = s->o.verbose ?
			   open("/proc/self/statm", O_RDONLY | O_CLOEXEC) :
			   -1;
	HC_TRY(open_core(s));
	HC_TRY(open_base(s));
	// All that is to be opened is open; an output that is a folder may
	// still get new files.
	if (!s->o.no_sandbox && sandbox_enter(s->o.output != NULL))
		session_phase(s, "enter the sandbox", 0, NULL);
	if (open_heap(s)) {
		s->heap = NULL;
		if (s->command->need == NEED_HEAP)
			return HC_FAIL;
		if (s->command->need == NEED_CORE && !s->o.quiet)
			complain_err("no heap, only memory", &s->err,
				     s->o.debug);
	}
	uint64_t used = pool_used(&s->house);
	return open_pool(s, used < limit ? limit - used : 1, &s->pool);
}

enum hc session_mark(struct session *s)
{
	uint64_t begun = now_ns();
	HC_TRY(heap_mark(s->heap, &s->err));
	struct heap_totals t = heap_totals(s->heap);
	if (s->o.verbose && t.live_objects)
		complain("%-32s %9.3f s  %s live objects, %.1f ns each",
			 "everything reachable", (double)(now_ns() - begun) / 1e9,
			 word_count(t.live_objects).at,
			 (double)(now_ns() - begun) / (double)t.live_objects);
	s->phase_begun = now_ns();
	return HC_OK;
}

// private_bytes returns how much anonymous memory the process has: what is
// resident but not shared with a file. Source: proc(5), /proc/pid/statm.
static uint64_t private_bytes(const struct session *s)
{
	char text[128];
	unsigned long size, resident, shared;
	ssize_t n = s->statm < 0 ? -1 :
				   pread(s->statm, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	if (sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3 ||
	    shared > resident)
		return 0;
	return (uint64_t)(resident - shared) *
	       (uint64_t)sysconf(_SC_PAGESIZE);
}

void session_phase(struct session *s, const char *name, uint64_t work,
		   const char *unit)
{
	uint64_t now = now_ns(), took = now - s->phase_begun;
	s->phase_begun = now;
	if (!s->o.verbose)
		return;
	uint64_t private = private_bytes(s);
	if (private > s->private_peak)
		s->private_peak = private;
	double seconds = (double)took / 1e9;
	if (work < 2 || !unit)
		complain("%-32s %9.3f s", name, seconds);
	else if (strcmp(unit, "bytes") == 0)
		complain("%-32s %9.3f s  %s, %.0f MB/s", name, seconds,
			 word_size(work, s->out->exact).at,
			 (double)work / (seconds + 1e-9) / (1 << 20));
	else
		complain("%-32s %9.3f s  %s %s, %.1f ns each", name, seconds,
			 word_count(work).at, unit,
			 (double)took / (double)work);
}

// tell_cost prints the last lines of -v. Private memory is what the kernel
// counts as anonymous: pages of mapped files come and go as it likes.
static void tell_cost(const struct session *s)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
	double seconds = (double)(now_ns() - s->begun) / 1e9;
	uint64_t len = s->core ? core_info(s->core)->file_bytes : 0;
	complain("%-32s %9.3f s  %.0f MB/s of core", "in all", seconds,
		 (double)len / seconds / (1 << 20));
	complain("%-32s %s; pages of mapped files are counted in",
		 "peak memory", word_size(peak, s->out->exact).at);
	complain("%-32s %" PRIu64 " bytes after the phase with most",
		 "own memory", s->private_peak);
}

void session_findings(const struct session *s, struct core *core)
{
	const struct core_info *info = core_info(core);
	const struct findings *f = core_findings(core);
	uint64_t n = f->n + f->dropped;
	for (uint64_t i = 0; !s->heap && i < f->n && i < FINDINGS_TOLD; i++)
		complain("%s: %s: %s", s->file, f->at[i].kind, f->at[i].text);
	if (!s->heap)
		return;
	if (info->truncated)
		complain("%s: truncated: %s of it are missing; the answer is "
			 "about what is there", s->file,
			 word_size(info->missing_bytes, false).at);
	else if (n > 0)
		complain("%s: %s finding%s; `heapcore stats` shows them",
			 s->file, word_count(n).at, n == 1 ? "" : "s");
}

bool session_shows(const struct session *s)
{
	return s->command->run == cmd_stats || s->command->run == cmd_verify;
}

void session_end(struct session *s)
{
	progress_hide();
	if (s->core && !s->o.quiet && !session_shows(s))
		session_findings(s, s->core);
	if (s->o.verbose)
		tell_cost(s);
}

void session_close(struct session *s)
{
	types_close(s->types);
	if (s->heap)
		heap_close(s->heap);
	core_close(s->core);
	dump_base_close(s->base);
	pool_close(&s->scratch);
	pool_close(&s->pool);
	pool_close(&s->house);
}

uint64_t session_rows(const struct session *s)
{
	if (option_given(&s->o, TOP))
		return s->o.top;
	return s->o.json ? UINT64_MAX : SCREENFUL;
}

enum hc session_lacks(struct session *s, const char *what)
{
	return hc_fail(&s->err, HC_UNSUPPORTED, 0,
		       "the %s reader has no %s for this core",
		       s->reader->name, what);
}
