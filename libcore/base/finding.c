// finding.c: see finding.h.
#include "libcore/base/finding.h"

#include "libcore/base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void findings_add(struct findings *f, const char *kind, uint64_t at,
		  const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	char *copy = f->n < LIMIT_FINDINGS ?
			     pool_copy(f->pool, text, strlen(text)) :
			     NULL;
	struct finding *one = copy ? vec_push(f->pool, f) : NULL;
	if (!one) {
		f->dropped++;
		return;
	}
	*one = (struct finding){ kind, at, copy };
}

void findings_add_err(struct findings *f, const char *kind,
		      const struct hc_err *err)
{
	findings_add(f, kind, err->at, "%s: %s", hc_kind_name(err->kind),
		     err->msg);
}
