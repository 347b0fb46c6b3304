// words.c: numbers as people read them (see out.h).
#include "cli/out.h"

#include <stdio.h>
#include <string.h>

struct word word_size(uint64_t bytes, bool exact)
{
	static const char *const units[] = { "KB", "MB", "GB", "TB", "PB",
					     "EB" };
	struct word w;
	if (exact || bytes < 1024) {
		snprintf(w.at, sizeof(w.at), "%" PRIu64 "%s", bytes,
			 exact ? "" : " B");
		return w;
	}
	double value = (double)bytes / 1024;
	size_t unit = 0;
	// 1023.95 would be printed as 1024.0.
	while (value >= 1023.95 && unit < 5) {
		value /= 1024;
		unit++;
	}
	snprintf(w.at, sizeof(w.at), "%.1f %s", value, units[unit]);
	return w;
}

struct word word_count(uint64_t count)
{
	char digits[24];
	struct word w;
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			w.at[k++] = ',';
		w.at[k++] = digits[i];
	}
	w.at[k] = '\0';
	return w;
}

struct word word_percent(uint64_t part, uint64_t whole)
{
	struct word w;
	double share = whole ? 100 * (double)part / (double)whole : 0;
	if (part > 0 && share < 0.05)
		snprintf(w.at, sizeof(w.at), "<0.1%%");
	else
		snprintf(w.at, sizeof(w.at), "%.1f%%", share);
	return w;
}

struct word word_time(uint64_t ns)
{
	struct word w;
	uint64_t s = ns / 1000000000;
	if (ns < 1000000)
		snprintf(w.at, sizeof(w.at), "%" PRIu64 "us", ns / 1000);
	else if (s < 1)
		snprintf(w.at, sizeof(w.at), "%" PRIu64 "ms", ns / 1000000);
	else if (s < 60)
		snprintf(w.at, sizeof(w.at), "%.1fs", (double)ns / 1e9);
	else if (s < 3600)
		snprintf(w.at, sizeof(w.at), "%" PRIu64 "m%" PRIu64 "s",
			 s / 60, s % 60);
	else if (s < 86400)
		snprintf(w.at, sizeof(w.at), "%" PRIu64 "h%" PRIu64 "m",
			 s / 3600, s / 60 % 60);
	else
		snprintf(w.at, sizeof(w.at), "%" PRIu64 "d%" PRIu64 "h",
			 s / 86400, s / 3600 % 24);
	return w;
}
