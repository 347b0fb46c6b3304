// unpack.c: see unpack.h.
//
// A compressed core is one stream without random access (systemd-coredump
// writes one zstd frame), so it is unpacked once. Zero blocks stay holes: a
// core is mostly untouched memory.
#include "libcore/unpack.h"

#include "libcore/base/limits.h"
#include "libcore/sparse.h"

#include <errno.h>
#include <unistd.h>

enum { IN_BYTES = 1 << 18, OUT_BYTES = 1 << 20 };
enum { TELL_EVERY = 1 << 24 };

// struct unpack is one run.
// Units: done is bytes of input read; told was done + file.len when told.
// Shape: ended: the last step ended a frame; between: nothing came out since.
struct unpack {
	const struct core_input *in;
	struct codec codec; // format NULL: copied as it is
	struct sparse file;
	int fd;
	uint64_t total, done, told, max;
	uint8_t *in_buf, *out_buf;
	bool packed, ended, between;
	struct hc_err damage; // why the input ended before its end
	bool damaged, trailing;
};

static void tell(struct unpack *u)
{
	if (u->in->progress && u->done + u->file.len - u->told >= TELL_EVERY) {
		u->in->progress(u->in->progress_ctx, "unpack", u->done,
				u->total);
		u->told = u->done + u->file.len;
	}
}

// store keeps the len bytes unpacked.
static enum hc store(struct unpack *u, uint64_t len, struct hc_err *err)
{
	if (len > u->max - u->file.len)
		return hc_fail(err, HC_LIMIT, 0,
			       "unpacks to over %" PRIu64 " bytes", u->max);
	HC_TRY(sparse_append(&u->file, u->out_buf, len, err));
	tell(u);
	return HC_OK;
}

// input_fill reads until buf is full or the input ends.
static enum hc input_fill(struct unpack *u, uint8_t *buf, uint64_t want,
			  uint64_t *ret_len, struct hc_err *err)
{
	uint64_t len = 0;
	while (len < want) {
		ssize_t n = read(u->fd, buf + len, want - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return hc_fail(err, HC_IO, u->done, "%s",
				       strerror(errno));
		if (n == 0)
			break;
		len += (uint64_t)n;
	}
	u->done += len;
	tell(u);
	*ret_len = len;
	return HC_OK;
}

// step unpacks some of io, whose output is u->out_buf. What stops the codec
// is kept as damage: the caller then ends with what there is. Between frames
// it is no damage: what follows the last frame is not ours (gzip(1) ignores it
// too).
static void step(struct unpack *u, struct codec_io *io)
{
	uint64_t room = io->out_len;
	enum hc rc = codec_step(&u->codec, io, &u->damage);
	u->ended = rc == HC_NONE;
	if (u->ended)
		u->between = true;
	else if (io->out_len != room)
		u->between = false;
	if (rc != HC_FAIL)
		return;
	u->trailing = u->between && u->damage.kind != HC_NOMEM;
	u->damaged = !u->trailing;
}

// flush stores the output of io when it is full, or all of it.
static enum hc flush(struct unpack *u, struct codec_io *io, bool all,
		     struct hc_err *err)
{
	if (io->out_len && !all)
		return HC_OK;
	HC_TRY(store(u, OUT_BYTES - io->out_len, err));
	io->out = u->out_buf;
	io->out_len = OUT_BYTES;
	return HC_OK;
}

// ends_early notes that the input ended within a frame.
static void ends_early(struct unpack *u)
{
	u->trailing = u->between;
	u->damaged = !u->trailing;
	hc_err_set(&u->damage, HC_TRUNCATED, u->done,
		   HC_SRC(__FILE__, __LINE__), "the %s stream ends too soon",
		   u->codec.format->name);
}

// unpack_stream unpacks from the n bytes in in_buf on until the input ends.
static enum hc unpack_stream(struct unpack *u, uint64_t n, struct hc_err *err)
{
	struct codec_io io = { u->in_buf, n, u->out_buf, OUT_BYTES };
	while (!u->damaged && !u->trailing) {
		if (!io.in_len) {
			io.in = u->in_buf;
			HC_TRY(input_fill(u, u->in_buf, IN_BYTES, &io.in_len,
					  err));
		}
		uint64_t in_was = io.in_len, out_was = io.out_len;
		if (!in_was && u->ended)
			break;
		step(u, &io);
		if (!u->ended && !in_was && io.out_len == out_was)
			ends_early(u);
		HC_TRY(flush(u, &io, false, err));
	}
	return flush(u, &io, true, err);
}

// copy_stream copies the n bytes in in_buf and the rest of the input.
static enum hc copy_stream(struct unpack *u, uint64_t n, struct hc_err *err)
{
	memcpy(u->out_buf, u->in_buf, n);
	while (n) {
		uint64_t more = 0;
		if (n < OUT_BYTES)
			HC_TRY(input_fill(u, u->out_buf + n, OUT_BYTES - n,
					  &more, err));
		HC_TRY(store(u, n + more, err));
		HC_TRY(input_fill(u, u->out_buf, OUT_BYTES, &n, err));
	}
	return HC_OK;
}

// unpack_run does all the work between opening and closing.
static enum hc unpack_run(struct core *core, struct unpack *u,
			  struct hc_err *err)
{
	uint64_t n;
	const char *dir = u->in->tmpdir ? u->in->tmpdir : "/tmp";
	HC_TRY(sparse_open(dir, &u->file, err));
	u->in_buf = pool_new(core->pool, uint8_t, IN_BYTES);
	u->out_buf = pool_new(core->pool, uint8_t, OUT_BYTES);
	if (!u->in_buf || !u->out_buf)
		return hc_nomem(err);
	HC_TRY(input_fill(u, u->in_buf, IN_BYTES, &n, err));
	const struct codec_format *format =
		codec_find((struct bytes){ u->in_buf, n, 0 });
	if (format) {
		u->packed = true;
		HC_TRY(codec_open(format, core->pool, &u->codec, err));
		HC_TRY(unpack_stream(u, n, err));
	} else {
		HC_TRY(copy_stream(u, n, err));
	}
	if (u->damaged && u->damage.kind == HC_NOMEM)
		return hc_nomem(err);
	if (u->damaged && !u->file.len)
		return hc_fail(err, u->damage.kind, 0,
			       "is %s-compressed, but nothing of it can be "
			       "read: %s",
			       format->name, u->damage.msg);
	return sparse_map(&u->file, &core->file, err);
}

enum hc unpack_core(struct core *core, int fd, uint64_t total,
		    struct hc_err *err)
{
	char *mark = pool_mark(core->pool);
	struct unpack u = {
		.in = core->in,
		.fd = fd,
		.file = { .fd = -1 },
		.total = total,
		.max = core->in->max_unpacked ? core->in->max_unpacked :
						LIMIT_UNPACKED_CORE,
	};
	enum hc rc = unpack_run(core, &u, err);
	codec_close(&u.codec);
	sparse_close(&u.file);
	pool_rewind(core->pool, mark);
	HC_TRY(rc);
	core->info.compressed = u.packed;
	if (u.trailing)
		findings_add(&core->findings, "trailing bytes", 0,
			     "what follows the compressed core is left out");
	if (u.damaged) {
		core->info.truncated = true;
		findings_add(&core->findings, "truncated", 0,
			     "the compressed core ends after %" PRIu64
			     " bytes of memory and headers: %s", u.file.len,
			     u.damage.msg);
	}
	return HC_OK;
}
