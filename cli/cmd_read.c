// cmd_read.c: `heapcore read ADDR`: raw memory as hex and text, with names.
#include "cli/commands.h"
#include "cli/names.h"

#define DEFAULT_LEN 256
#define LINE 16

// heading_text says where a run of bytes begins.
static void heading_text(struct session *s, taddr at)
{
	char *mark = pool_mark(&s->scratch);
	const char *use = name_use(s, at, 1);
	const char *name = name_address(s, at);
	out_printf(s->out, "0x%" PRIx64 ": ", at);
	if (name)
		out_name(s->out, name);
	if (name && use)
		out_text(s->out, ", ");
	if (use)
		out_name(s->out, use);
	else if (!name)
		out_text(s->out, "memory");
	out_text(s->out, "\n");
	pool_rewind(&s->scratch, mark);
}

// pointers_text names what the words of a line point to.
static void pointers_text(struct session *s, taddr at, const uint8_t *bytes,
			  uint64_t len)
{
	unsigned word = core_info(s->core)->word;
	char *mark = pool_mark(&s->scratch);
	size_t gap = LINE - len;
	for (uint64_t i = (word - at % word) % word; i + word <= len;
	     i += word) {
		taddr to = word == 8 ? get_u64(bytes + i) : get_u32(bytes + i);
		if (to < 4096 || core_mapped_bytes(s->core, to, 1) == 0)
			continue;
		const char *name = name_address(s, to);
		if (!name)
			continue;
		out_pad(s->out, gap);
		gap = 0;
		out_text(s->out, "  -> ");
		out_name(s->out, name);
	}
	pool_rewind(&s->scratch, mark);
}

static void line_text(struct session *s, taddr at, const uint8_t *bytes,
		      uint64_t len)
{
	char text[LINE + 1];
	struct out *out = s->out;
	out_printf(out, "%#14" PRIx64 " ", at);
	for (uint64_t i = 0; i < LINE; i++) {
		out_text(out, i == LINE / 2 ? "  " : " ");
		if (i < len)
			out_printf(out, "%02x", (unsigned)bytes[i]);
		else
			out_text(out, "  ");
		text[i] = i >= len ? '\0' :
			  bytes[i] >= 0x20 && bytes[i] < 0x7f ?
				     (char)bytes[i] :
				     '.';
	}
	text[len] = '\0';
	out_printf(out, "  |%s|", text);
	pointers_text(s, at, bytes, len);
	out_text(out, "\n");
}

static void run_text(struct session *s, taddr at, const uint8_t *bytes,
		     uint64_t len)
{
	heading_text(s, at);
	while (len > 0 && !out_stopped(s->out)) {
		uint64_t part = LINE - at % LINE;
		part = part < len ? part : len;
		line_text(s, at, bytes, part);
		at += part;
		bytes += part;
		len -= part;
	}
}

static void run_json(struct json *j, const struct core_window *w)
{
	json_open(j, NULL, '{');
	json_addr(j, "address", w->base);
	json_u64(j, "length", w->len);
	json_bool(j, "from_file", w->from_file);
	json_key(j, "hex");
	out_text(j->out, "\"");
	for (uint64_t i = 0; i < w->len && !out_stopped(j->out); i++) {
		static const char digits[] = "0123456789abcdef";
		char pair[2] = { digits[w->bytes[i] >> 4],
				 digits[w->bytes[i] & 15] };
		out_bytes(j->out, pair, 2);
	}
	out_text(j->out, "\"");
	json_close(j, '}');
}

// next_run cuts the next readable piece out of [at, at + len).
static enum hc next_run(const struct core *core, taddr at, uint64_t len,
			struct core_window *ret)
{
	struct core_window w;
	if (len == 0)
		return HC_NONE;
	HC_TRY(core_next_window(core, at, &w));
	if (w.base < at) {
		w.bytes += at - w.base;
		w.len -= at - w.base;
		w.base = at;
	}
	if (w.base - at >= len)
		return HC_NONE;
	uint64_t room = len - (w.base - at);
	w.len = w.len < room ? w.len : room;
	*ret = w;
	return HC_OK;
}

static void missing_text(struct session *s, taddr at, uint64_t len)
{
	if (len > 0 && !s->o.json)
		out_printf(s->out, "0x%" PRIx64 ": %s bytes %s\n", at,
			   word_count(len).at,
			   core_mapped_bytes(s->core, at, 1) ?
				   "are not in the core" :
				   "are not mapped");
}

enum hc cmd_read(struct session *s)
{
	taddr at = s->o.address;
	uint64_t len = option_given(&s->o, LEN) ? s->o.len : DEFAULT_LEN;
	uint8_t first;
	struct core_window w;
	struct json j;
	len = len < UINT64_MAX - at ? len : UINT64_MAX - at;
	if (core_origin(s->core))
		return hc_fail(&s->err, HC_UNSUPPORTED, 0, "a heap-dump file "
			       "holds no memory; read wants the core");
	HC_TRY(core_u8(s->core, at, &first, &s->err));
	if (s->o.json) {
		json_begin(&j, s->out);
		json_addr(&j, "address", at);
		json_u64(&j, "length", len);
		json_open(&j, "runs", '[');
	}
	while (next_run(s->core, at, len, &w) == HC_OK &&
	       !out_stopped(s->out)) {
		missing_text(s, at, w.base - at);
		if (s->o.json)
			run_json(&j, &w);
		else
			run_text(s, w.base, w.bytes, w.len);
		len -= w.base + w.len - at;
		at = w.base + w.len;
	}
	missing_text(s, at, len);
	if (s->o.json) {
		json_close(&j, ']');
		json_end(&j);
	}
	return HC_OK;
}
