// holders_out.c: what holds all objects of a type, in words.
#include "cli/holders.h"

#define INDENT_MAX 24

static void line_text(struct session *s, const struct holder *h, unsigned depth,
		      uint64_t all)
{
	struct out *out = s->out;
	out_printf(out, "%12s %12s %7s  ", word_count(h->count.objects).at,
		   word_size(h->count.bytes, out->exact).at,
		   word_percent(h->count.bytes, all).at);
	out_pad(out, 2 * (size_t)(depth < INDENT_MAX ? depth : INDENT_MAX));
	if (*h->field) {
		out_name(out, h->field);
		out_text(out, " ");
	}
	out_name(out, h->name);
	if (h->function && *h->function) {
		out_text(out, " in ");
		out_name(out, h->function);
	}
	if (h->objects && h->objects < h->count.objects)
		out_printf(out, "  (%s here)", word_count(h->objects).at);
	out_text(out, "\n");
}

void holders_text(struct session *s, const struct holders *h, uint64_t max)
{
	struct out *out = s->out;
	uint64_t shown = 0, all = h->at[0].count.bytes;
	unsigned depth = 0;
	uint32_t at = h->at[0].first;
	out_printf(out, "%s live objects, %s, and what holds them (shortest "
		   "paths, merged):\n\n", word_count(h->at[0].count.objects).at,
		   word_size(all, out->exact).at);
	out_heading(out, "       COUNT        BYTES   SHARE  HOLDER");
	while (at && shown < max && !out_stopped(out)) {
		line_text(s, &h->at[at], depth, all);
		shown++;
		if (h->at[at].first) {
			at = h->at[at].first;
			depth++;
			continue;
		}
		while (at && !h->at[at].next) {
			at = h->at[at].parent;
			depth--;
		}
		at = at ? h->at[at].next : 0;
	}
	if (h->n - 1 > shown)
		out_printf(out, "… %s more lines (-n all shows them)\n",
			   word_count(h->n - 1 - shown).at);
}

void holders_json(struct session *s, const struct holders *h)
{
	struct json j;
	json_begin(&j, s->out);
	json_text(&j, "pattern", s->o.type);
	json_bool(&j, "live", h->at[0].count.objects > 0);
	json_u64(&j, "count", h->at[0].count.objects);
	json_u64(&j, "bytes", h->at[0].count.bytes);
	json_open(&j, "holders", '[');
	for (uint64_t i = 1; i < h->n; i++) {
		const struct holder *one = &h->at[i];
		json_open(&j, NULL, '{');
		if (one->parent) {
			json_u64(&j, "parent", one->parent - 1);
			json_text(&j, "field", one->field);
			json_text(&j, "type", one->name);
		} else {
			json_null(&j, "parent");
			json_text(&j, "root", one->name);
			json_text(&j, "function", *one->function ?
							  one->function :
							  NULL);
		}
		json_u64(&j, "objects", one->objects);
		json_u64(&j, "count", one->count.objects);
		json_u64(&j, "bytes", one->count.bytes);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_end(&j);
}
