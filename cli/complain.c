// complain.c: see complain.h.
#include "cli/complain.h"

#include "cli/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// What the progress line needs to know from one call to the next.
static struct {
	const char *phase;
	uint64_t begun, shown;
	bool visible;
} progress;

uint64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void progress_hide(void)
{
	if (progress.visible)
		dprintf(STDERR_FILENO, "\r\x1b[K");
	progress.visible = false;
}

void progress_show(void *ctx, const char *phase, uint64_t done, uint64_t total)
{
	(void)ctx;
	uint64_t now = now_ns();
	if (phase != progress.phase) {
		progress_hide();
		progress.phase = phase;
		progress.begun = now;
		progress.shown = 0;
	}
	uint64_t took = now - progress.begun;
	if (took < 500000000 || now - progress.shown < 100000000)
		return;
	progress.shown = now;
	progress.visible = true;
	if (total == 0 || done == 0 || done > total) {
		dprintf(STDERR_FILENO, "\r\x1b[K%s: %s", phase,
			word_size(done, false).at);
		return;
	}
	double left = (double)took / (double)done * (double)(total - done);
	dprintf(STDERR_FILENO, "\r\x1b[K%s: %s of %s, %s, %s left", phase,
		word_size(done, false).at, word_size(total, false).at,
		word_percent(done, total).at, word_time((uint64_t)left).at);
}

void complain(const char *fmt, ...)
{
	static struct out err; // main's thread alone complains
	char line[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	progress_hide();
	out_init(&err, STDERR_FILENO);
	out_text(&err, "heapcore: ");
	out_name(&err, line);
	out_text(&err, "\n");
	out_flush(&err);
}

void complain_err(const char *file, const struct hc_err *err, bool debug)
{
	char at[32] = "";
	if (err->at)
		snprintf(at, sizeof(at), " (at 0x%" PRIx64 ")", err->at);
	complain("%s%s%s: %s%s%s%s%s", file ? file : "", file ? ": " : "",
		 hc_kind_name(err->kind), err->msg, at,
		 debug && err->src ? " [" : "", debug && err->src ? err->src : "",
		 debug && err->src ? "]" : "");
}
