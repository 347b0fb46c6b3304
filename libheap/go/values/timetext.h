// timetext.h: time.Time as text.
#pragma once

#include <stddef.h>
#include <stdint.h>

// go_time_text writes the instant of a time.Time {wall, ext} as RFC 3339 in
// UTC into text, "never" for the zero Time.
// Source: time/time.go, Time (1.18–1.27): with the top bit of wall set, 33
//         bits of seconds since 1885 and 30 of nanoseconds, ext a monotonic
//         reading; else ext is seconds since year 1.
void go_time_text(uint64_t wall, int64_t ext, char *text, size_t len);
