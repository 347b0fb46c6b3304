// sink.c: see sink.h.
#include "cli/sink.h"

#include <string.h>

static enum hc to_out(void *ctx, const void *bytes, uint64_t len,
		      struct hc_err *err)
{
	struct session *s = ctx;
	out_bytes(s->out, bytes, len);
	if (out_stopped(s->out))
		return hc_fail(err, HC_IO, 0, "cannot write: %s",
			       strerror(s->out->error));
	return HC_OK;
}

struct dump_sink sink_of(struct session *s)
{
	return (struct dump_sink){ to_out, s };
}
