// cmd_dump.c: `heapcore dump -o FILE`: the analyzed heap as a file.
#include "cli/commands.h"
#include "libheap/dump/dump.h"

#include <string.h>

// to_out hands the file's bytes to the answer.
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

// struct format is a format of others.
struct format {
	const char *name;
	enum hc (*write)(struct heap *heap, const struct dump_sink *sink,
			 struct pool *pool, struct pool *names,
			 struct hc_err *err);
};

static const struct format formats[] = {
	{ "v8", dump_v8 },
	{ "moar2", dump_moar2 },
	{ "moar3", dump_moar3 },
	{ "pprof", dump_pprof },
	{ "go", dump_go },
};

static enum hc write_own(struct session *s, const struct dump_sink *sink)
{
	uint64_t threads = option_given(&s->o, THREADS) ? s->o.threads : 0;
	struct dump_options options = {
		.values = s->o.values,
		.threads = threads > 64 ? 0 : (unsigned)threads,
	};
	return dump_write(s->heap, &options, sink, &s->pool, &s->err);
}

enum hc cmd_dump(struct session *s)
{
	struct dump_sink sink = { to_out, s };
	const char *name = s->o.format ? s->o.format : "heapcore";
	const struct format *format = NULL;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			format = &formats[i];
	HC_TRY(session_mark(s));
	if (format)
		HC_TRY(format->write(s->heap, &sink, &s->pool, &s->scratch,
				     &s->err));
	else
		HC_TRY(write_own(s, &sink));
	session_phase(s, "write the dump", 0, NULL);
	return HC_OK;
}
