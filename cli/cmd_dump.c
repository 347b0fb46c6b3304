// cmd_dump.c: `heapcore dump -o FILE`: the analyzed heap as a file.
#include "cli/commands.h"
#include "cli/outdir.h"
#include "cli/sink.h"
#include "cli/snapshots.h"

#include <string.h>
#include <unistd.h>

// struct format is a format of others, of one heap or of all in the file.
struct format {
	const char *name;
	enum hc (*write)(struct heap *heap, const struct dump_sink *sink,
			 struct pool *pool, struct pool *names,
			 struct hc_err *err);
	enum hc (*write_all)(const struct dump_heaps *heaps,
			     const struct dump_sink *sink, struct pool *pool,
			     struct pool *names, struct hc_err *err);
};

static const struct format formats[] = {
	{ "v8", dump_v8, NULL },
	{ "moar2", NULL, dump_moar2 },
	{ "moar3", NULL, dump_moar3 },
	{ "pprof", dump_pprof, NULL },
	{ "go", dump_go, NULL },
};

static enum hc write_own(struct session *s, const struct dump_sink *sink)
{
	uint64_t threads = option_given(&s->o, THREADS) ? s->o.threads : 0;
	struct dump_options options = {
		.values = s->o.values,
		.threads = threads > 64 ? 0 : (unsigned)threads,
		.base = s->base,
	};
	return dump_write(s->heap, &options, sink, &s->pool, &s->err);
}

// A file of a folder goes through the same buffer as any answer.
static enum hc folder_open(void *ctx, const char *name, struct dump_sink *ret,
			   struct hc_err *err)
{
	int fd;
	struct session *s = ctx;
	HC_TRY(outdir_create(name, &fd, err));
	s->out->fd = fd;
	*ret = sink_of(s);
	return HC_OK;
}

static enum hc folder_close(void *ctx, struct hc_err *err)
{
	struct session *s = ctx;
	int fd = s->out->fd;
	out_flush(s->out);
	s->out->fd = STDOUT_FILENO;
	if (close(fd) == 0 && !out_stopped(s->out))
		return HC_OK;
	return hc_fail(err, HC_IO, 0, "cannot write: %s",
		       strerror(s->out->error));
}

static enum hc write_format(struct session *s, const struct format *format,
			    const struct dump_sink *sink)
{
	struct snapshots all;
	if (!format->write_all)
		return format->write(s->heap, sink, &s->pool, &s->scratch,
				     &s->err);
	struct dump_heaps heaps = snapshots_of(s, &all);
	return format->write_all(&heaps, sink, &s->pool, &s->scratch, &s->err);
}

enum hc cmd_dump(struct session *s)
{
	struct dump_sink sink = sink_of(s);
	const char *name = s->o.format ? s->o.format : "heapcore";
	const struct format *format = NULL;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			format = &formats[i];
	if (strcmp(name, "parquet") == 0)
		HC_TRY(dump_parquet(s->heap,
				    &(struct dump_files){ folder_open,
							  folder_close, s },
				    &s->pool, &s->scratch, &s->err));
	else if (format)
		HC_TRY(write_format(s, format, &sink));
	else
		HC_TRY(write_own(s, &sink));
	session_phase(s, "write the dump", 0, NULL);
	return HC_OK;
}
