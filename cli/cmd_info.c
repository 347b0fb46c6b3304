// cmd_info.c: `heapcore info`: who died and how.
#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/process.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// hex_word spells the bytes of a build id.
static const char *hex_word(struct session *s, const uint8_t *bytes,
			    uint64_t len)
{
	if (!bytes || len > 64)
		return NULL;
	char *text = pool_new(&s->pool, char, 2 * len + 1);
	for (uint64_t i = 0; text && i < len; i++)
		sprintf(text + 2 * i, "%02x", (unsigned)bytes[i]);
	return text;
}

static void row(struct out *out, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	out_printf(out, "  %-22s", key);
	out_name(out, text);
	out_text(out, "\n");
}

static void signal_text(struct out *out, const struct core_info *info)
{
	const char *cause = process_signal_cause(info);
	if (!info->signal) {
		row(out, "signal", "none recorded (a copy of a live process?)");
		return;
	}
	out_printf(out, "  %-22s%s (%d)%s%s", "signal",
		   process_signal(info->signal).at, info->signal,
		   cause ? ": " : "", cause ? cause : "");
	if (process_has_sender(info))
		out_printf(out, ", by pid %" PRIu32, info->sender_pid);
	out_text(out, "\n");
	if (process_has_fault(info))
		out_printf(out, "  %-22s0x%" PRIx64 "\n", "fault address",
			   info->fault_address);
}

// time_text spells when the core was written, NULL when that is not known.
static const char *time_text(const struct core_info *info, char text[32])
{
	struct tm tm;
	time_t at = (time_t)info->written;
	if (!info->written || info->written > UINT32_MAX ||
	    !gmtime_r(&at, &tm) ||
	    !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return text;
}

static void process_text(struct session *s, const struct core_module *exe)
{
	struct out *out = s->out;
	char when[32];
	const struct core_info *info = core_info(s->core);
	out_heading(out, "process");
	row(out, "command", *info->command ? info->command : info->name);
	out_printf(out, "  %-22s%" PRIu32 "\n", "pid", info->pid);
	row(out, "architecture", process_arch(info));
	row(out, "executable", info->exe_path ? info->exe_path :
			       exe	      ? exe->path :
						NULL);
	if (exe)
		row(out, "build id", hex_word(s, exe->build_id,
					      exe->build_id_len));
	if (exe)
		row(out, "Go build id", exe->go_build_id);
	row(out, "core", info->core_path);
	out_printf(out, "  %-22s%s%s\n", "core size",
		   word_size(info->file_bytes, out->exact).at,
		   info->compressed ? " unpacked" : "");
	row(out, "written", time_text(info, when));
	if (info->n_snapshots > 1)
		out_printf(out, "  %-22s%" PRIu32 " of %" PRIu32 "\n",
			   "snapshot", info->snapshot, info->n_snapshots);
	if (info->truncated)
		out_printf(out, "  %-22s%s\n", "missing from the core",
			   word_size(info->missing_bytes, out->exact).at);
	signal_text(out, info);
}

static const char *symbol_at(struct session *s, taddr at)
{
	if (!s->heap || !s->reader->symbol)
		return NULL;
	return s->reader->symbol(s->self, at, &s->scratch);
}

static void threads_text(struct session *s)
{
	size_t n;
	struct out *out = s->out;
	const struct core_thread *t = core_threads(s->core, &n);
	uint64_t max = session_rows(s) < n ? session_rows(s) : n;
	if (n == 0)
		return;
	out_text(out, "\n");
	out_heading(out, "threads, the one that died first");
	for (size_t i = 0; i < max; i++) {
		const char *symbol = symbol_at(s, t[i].pc);
		out_printf(out, "  %-10" PRIu32 " pc %#-18" PRIx64
			   " sp %#" PRIx64, t[i].tid, t[i].pc, t[i].sp);
		if (symbol) {
			out_text(out, "  ");
			out_name(out, symbol);
		}
		out_text(out, "\n");
	}
	if (n > max)
		out_printf(out, "  … %s more threads (-n all shows them)\n",
			   word_count(n - max).at);
}

static void modules_text(struct session *s)
{
	size_t n;
	struct out *out = s->out;
	const struct core_module *m = core_modules(s->core, &n);
	uint64_t max = session_rows(s) < n ? session_rows(s) : n;
	if (n == 0)
		return;
	out_text(out, "\n");
	out_heading(out, "mapped executable and shared objects");
	for (size_t i = 0; i < max; i++) {
		out_printf(out, "  %#-16" PRIx64 " ", m[i].low);
		out_name(out, m[i].path);
		if (!m[i].readable)
			out_text(out, " (not readable here)");
		out_text(out, "\n");
	}
	if (n > max)
		out_printf(out, "  … %s more files (-n all shows them)\n",
			   word_count(n - max).at);
}

static void signal_json(struct json *j, const struct core_info *info)
{
	if (!info->signal) {
		json_null(j, "signal");
		return;
	}
	json_open(j, "signal", '{');
	json_u64(j, "number", (uint64_t)info->signal);
	json_text(j, "name", process_signal(info->signal).at);
	json_text(j, "cause", process_signal_cause(info));
	if (process_has_fault(info))
		json_addr(j, "fault_address", info->fault_address);
	if (process_has_sender(info))
		json_u64(j, "sender_pid", info->sender_pid);
	json_close(j, '}');
}

static void lists_json(struct json *j, struct session *s)
{
	size_t n;
	const struct core_thread *t = core_threads(s->core, &n);
	json_open(j, "threads", '[');
	for (size_t i = 0; i < n && i < session_rows(s); i++) {
		json_open(j, NULL, '{');
		json_u64(j, "tid", t[i].tid);
		json_addr(j, "pc", t[i].pc);
		json_addr(j, "sp", t[i].sp);
		json_text(j, "function", symbol_at(s, t[i].pc));
		json_close(j, '}');
	}
	json_close(j, ']');
	const struct core_module *m = core_modules(s->core, &n);
	json_open(j, "files", '[');
	for (size_t i = 0; i < n && i < session_rows(s); i++) {
		json_open(j, NULL, '{');
		json_text(j, "path", m[i].path);
		json_addr(j, "low", m[i].low);
		json_addr(j, "high", m[i].high);
		json_text(j, "build_id", hex_word(s, m[i].build_id,
						  m[i].build_id_len));
		json_bool(j, "readable", m[i].readable);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void info_json(struct session *s, const struct core_module *exe,
		      const struct facts *facts)
{
	const struct core_info *info = core_info(s->core);
	struct json j;
	char when[32];
	json_begin(&j, s->out);
	json_text(&j, "core", info->core_path);
	json_u64(&j, "core_bytes", info->file_bytes);
	json_text(&j, "written", time_text(info, when));
	json_u64(&j, "missing_bytes", info->missing_bytes);
	json_text(&j, "exe", info->exe_path);
	json_text(&j, "build_id", exe ? hex_word(s, exe->build_id,
						 exe->build_id_len) : NULL);
	json_text(&j, "go_build_id", exe ? exe->go_build_id : NULL);
	json_text(&j, "command", info->command);
	json_text(&j, "arch", process_arch(info));
	json_u64(&j, "pid", info->pid);
	signal_json(&j, info);
	lists_json(&j, s);
	facts_json(&j, facts);
	json_end(&j);
}

enum hc cmd_info(struct session *s)
{
	size_t n;
	struct facts facts;
	const struct core_module *m = core_modules(s->core, &n);
	const struct core_module *exe = n > 0 && m[0].is_exe ? &m[0] : NULL;
	HC_TRY(facts_collect(s, &facts));
	if (s->o.json) {
		info_json(s, exe, &facts);
		return HC_OK;
	}
	process_text(s, exe);
	facts_text(s, &facts);
	threads_text(s);
	modules_text(s);
	return HC_OK;
}
