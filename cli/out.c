// out.c: the buffer of out.h and what writes into it.
#include "cli/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void out_init(struct out *out, int fd)
{
	out->fd = fd;
	out->error = 0;
	out->n = 0;
	out->color = false;
	out->exact = false;
}

void out_flush(struct out *out)
{
	size_t done = 0;
	while (done < out->n && !out->error) {
		ssize_t n = write(out->fd, out->buf + done, out->n - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			out->error = errno;
	}
	out->n = 0;
}

void out_bytes(struct out *out, const void *bytes, size_t len)
{
	const char *from = bytes;
	while (len > 0 && !out->error) {
		size_t room = sizeof(out->buf) - out->n;
		size_t part = len < room ? len : room;
		memcpy(out->buf + out->n, from, part);
		out->n += part;
		from += part;
		len -= part;
		if (out->n == sizeof(out->buf))
			out_flush(out);
	}
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_printf(struct out *out, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		out_bytes(out, line,
			  (size_t)n < sizeof(line) ? (size_t)n :
						     sizeof(line) - 1);
}

void out_u64(struct out *out, uint64_t number)
{
	char digits[20];
	size_t i = sizeof(digits);
	do {
		digits[--i] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	out_bytes(out, digits + i, sizeof(digits) - i);
}

void out_addr(struct out *out, uint64_t at)
{
	char digits[18];
	size_t i = sizeof(digits);
	do {
		digits[--i] = "0123456789abcdef"[at & 15];
		at >>= 4;
	} while (at);
	digits[--i] = 'x';
	digits[--i] = '0';
	out_bytes(out, digits + i, sizeof(digits) - i);
}

void out_escaped(struct out *out, enum escape_for who, const char *name)
{
	char piece[512];
	if (!name)
		name = "?";
	for (size_t len = strlen(name); len > 0;) {
		size_t wrote;
		size_t took = escape(who, name, len, piece, sizeof(piece),
				     &wrote);
		out_bytes(out, piece, wrote);
		name += took;
		len -= took;
	}
}

void out_name(struct out *out, const char *name)
{
	out_escaped(out, ESCAPE_TERMINAL, name);
}

size_t out_width(const char *name)
{
	char piece[512];
	size_t width = 0;
	for (size_t len = strlen(name); len > 0;) {
		size_t wrote;
		size_t took = escape(ESCAPE_TERMINAL, name, len, piece,
				     sizeof(piece), &wrote);
		for (size_t i = 0; i < wrote; i++)
			width += ((unsigned char)piece[i] & 0xc0) != 0x80;
		name += took;
		len -= took;
	}
	return width;
}

void out_pad(struct out *out, size_t n)
{
	static const char blanks[] = "                                ";
	for (; n >= sizeof(blanks); n -= sizeof(blanks) - 1)
		out_bytes(out, blanks, sizeof(blanks) - 1);
	out_bytes(out, blanks, n);
}

void out_heading(struct out *out, const char *text)
{
	if (out->color)
		out_text(out, "\x1b[1m");
	out_text(out, text);
	out_text(out, out->color ? "\x1b[0m\n" : "\n");
}
