// cmd_dump.c: `heapcore dump -o FILE`: the analyzed heap as a file.
#include "cli/commands.h"
#include "libheap/dump/dump.h"

#include <string.h>

// to_out hands the file's bytes to the answer. A write that fails is told by
// whoever looks at out->error.
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

enum hc cmd_dump(struct session *s)
{
	uint64_t threads = option_given(&s->o, THREADS) ? s->o.threads : 0;
	struct dump_options options = {
		.values = s->o.values,
		.threads = threads > 64 ? 0 : (unsigned)threads,
	};
	struct dump_sink sink = { to_out, s };
	HC_TRY(session_mark(s));
	HC_TRY(dump_write(s->heap, &options, &sink, &s->pool, &s->err));
	session_phase(s, "write the dump", 0, NULL);
	return HC_OK;
}
