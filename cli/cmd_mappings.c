// cmd_mappings.c: `heapcore mappings`: what was mapped where, and what for.
#include "cli/commands.h"
#include "cli/names.h"

static struct word perm_word(uint32_t perm)
{
	struct word w;
	w.at[0] = perm & CORE_R ? 'r' : '-';
	w.at[1] = perm & CORE_W ? 'w' : '-';
	w.at[2] = perm & CORE_X ? 'x' : '-';
	w.at[3] = '\0';
	return w;
}

static void mapping_text(struct session *s, const struct core_segment *seg)
{
	struct out *out = s->out;
	const char *use = name_use(s, seg->base, seg->len);
	out_printf(out, "%#14" PRIx64 "-%#-14" PRIx64 " %s  %12s", seg->base,
		   seg->base + seg->len, perm_word(seg->perm).at,
		   word_size(seg->len, out->exact).at);
	out_printf(out, " %12s", seg->saved == seg->len ? "" :
				 seg->saved == 0 ? "none" :
				 word_size(seg->saved, out->exact).at);
	if (use || seg->file)
		out_text(out, "  ");
	if (use)
		out_name(out, use);
	if (use && seg->file)
		out_text(out, ", ");
	if (seg->file)
		out_name(out, seg->file);
	if (seg->file && seg->file_off)
		out_printf(out, " + 0x%" PRIx64, seg->file_off);
	out_text(out, "\n");
}

static void mapping_json(struct json *j, struct session *s,
			 const struct core_segment *seg)
{
	json_open(j, NULL, '{');
	json_addr(j, "start", seg->base);
	json_addr(j, "end", seg->base + seg->len);
	json_text(j, "perm", perm_word(seg->perm).at);
	json_u64(j, "saved_bytes", seg->saved);
	json_text(j, "file", seg->file);
	if (seg->file)
		json_u64(j, "offset", seg->file_off);
	else
		json_null(j, "offset");
	json_text(j, "use", name_use(s, seg->base, seg->len));
	json_close(j, '}');
}

static void mappings_json(struct session *s, const struct core_segment *seg,
			  size_t n)
{
	struct json j;
	json_begin(&j, s->out);
	json_open(&j, "mappings", '[');
	for (size_t i = 0; i < n && i < session_rows(s); i++)
		mapping_json(&j, s, &seg[i]);
	json_close(&j, ']');
	json_end(&j);
}

enum hc cmd_mappings(struct session *s)
{
	size_t n;
	const struct core_segment *seg = core_segments(s->core, &n);
	if (s->o.json) {
		mappings_json(s, seg, n);
		return HC_OK;
	}
	uint64_t len = 0, saved = 0, max = session_rows(s);
	out_heading(s->out, "         START-END            PERM         SIZE  "
			    "IN THE CORE  WHAT");
	for (size_t i = 0; i < n; i++) {
		len += seg[i].len;
		saved += seg[i].saved;
		if (i < max)
			mapping_text(s, &seg[i]);
	}
	if (n > max)
		out_printf(s->out, "… %s more mappings (-n all shows them)\n",
			   word_count(n - max).at);
	out_printf(s->out, "%s mappings, %s; %s of it in the core\n",
		   word_count(n).at, word_size(len, s->out->exact).at,
		   word_size(saved, s->out->exact).at);
	return HC_OK;
}
