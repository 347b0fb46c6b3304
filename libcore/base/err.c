// err.c: see err.h.
#include "libcore/base/err.h"

#include <stdarg.h>
#include <stdio.h>

const char *hc_kind_name(enum hc_kind kind)
{
	static const char *const names[] = {
#define X(name, text) text,
		HC_KINDS(X)
#undef X
	};
	size_t i = (size_t)kind;
	return i < sizeof(names) / sizeof(names[0]) ? names[i] : "failed";
}

void hc_err_set(struct hc_err *err, enum hc_kind kind, uint64_t at,
		const char *src, const char *fmt, ...)
{
	if (!err)
		return;
	err->kind = kind;
	err->at = at;
	err->src = src;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
}
