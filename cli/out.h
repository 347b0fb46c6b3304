// out.h: the answer on its way to standard output or a file.
//
// One buffer, one place that writes; text from the dead process goes through
// out_name, everything else is ours. A write that fails is remembered, and
// what comes after it is dropped: long loops look at out_stopped.
#pragma once

#include "cli/escape.h"

#include <inttypes.h>

// struct out is where the answer goes.
// Shape: error is the errno of the first write that failed, else 0.
struct out {
	int fd;
	int error;
	bool color; // bold headings are wanted
	bool exact; // --bytes: sizes as plain numbers of bytes
	size_t n;
	char buf[1 << 16];
};

// out_init starts an answer on an open file.
void out_init(struct out *out, int fd);

// out_flush writes what is buffered.
void out_flush(struct out *out);

// out_stopped says that nobody reads any more, so that a loop may end.
static inline bool out_stopped(const struct out *out)
{
	return out->error != 0;
}

// out_bytes and out_text write bytes of ours as they are.
void out_bytes(struct out *out, const void *bytes, size_t len);
void out_text(struct out *out, const char *text);
__attribute__((format(printf, 2, 3))) void out_printf(struct out *out,
						      const char *fmt, ...);

// out_u64 and out_addr write a number in decimal, and as 0x… in hexadecimal;
// they are the fast ones for long lists.
void out_u64(struct out *out, uint64_t number);
void out_addr(struct out *out, uint64_t at);

// out_escaped writes a name from outside, harmless for that reader; out_name
// does so for people. NULL is written as "?".
void out_escaped(struct out *out, enum escape_for who, const char *name);
void out_name(struct out *out, const char *name);

// out_width returns how many characters out_name shows of a name.
size_t out_width(const char *name);

// out_pad writes n blanks.
void out_pad(struct out *out, size_t n);

// out_heading writes a line in bold where that is wanted.
void out_heading(struct out *out, const char *text);

// struct word is a short formatted number, to be used at once.
struct word {
	char at[40];
};

// word_size spells bytes as "12.3 MB" (units of 1024), or as the plain number
// when exact; word_count spells 1234567 as "1,234,567"; word_percent a share
// as "12.3%"; word_time nanoseconds as "5m12s".
struct word word_size(uint64_t bytes, bool exact);
struct word word_count(uint64_t count);
struct word word_percent(uint64_t part, uint64_t whole);
struct word word_time(uint64_t ns);
