// timetext.c: see timetext.h.
#include "libheap/go/values/timetext.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define YEAR_1_TO_1885 INT64_C(59453308800)
#define YEAR_1_TO_1970 INT64_C(62135596800)

void go_time_text(uint64_t wall, int64_t ext, char *text, size_t len)
{
	int64_t sec = ext;
	uint32_t ns = wall & ((1u << 30) - 1);
	char date[32];
	struct tm tm;
	if (wall >> 63)
		sec = YEAR_1_TO_1885 + (int64_t)(wall << 1 >> 31);
	if (!wall && !ext) {
		snprintf(text, len, "never");
		return;
	}
	time_t unix_time;
	if (__builtin_sub_overflow(sec, YEAR_1_TO_1970, &unix_time) ||
	    !gmtime_r(&unix_time, &tm) ||
	    !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm)) {
		snprintf(text, len, "(second %" PRId64 ")", sec);
		return;
	}
	snprintf(text, len, ns ? "%s.%09uZ" : "%sZ", date, ns);
}
