// cmd_types.c: `heapcore types`: which types the memory is.
#include "cli/commands.h"
#include "cli/histogram.h"
#include "cli/keeperindex.h"

#include <string.h>

static enum histogram_by chosen(const struct session *s)
{
	const char *by = s->o.by ? s->o.by : "type";
	return strcmp(by, "package") == 0 ? BY_PACKAGE :
	       strcmp(by, "size") == 0	  ? BY_SIZE :
					    BY_TYPE;
}

static void types_json(struct session *s, const struct histogram *h)
{
	struct heap_totals t = heap_totals(s->heap);
	struct json j;
	json_begin(&j, s->out);
	json_u64(&j, "live_objects", t.live_objects);
	json_u64(&j, "live_bytes", t.live_bytes);
	if (s->o.garbage) {
		json_u64(&j, "garbage_objects", h->all.objects);
		json_u64(&j, "garbage_bytes", h->all.bytes);
	}
	json_u64(&j, "untyped_objects", h->untyped.objects);
	json_u64(&j, "untyped_bytes", h->untyped.bytes);
	histogram_json(&j, h, session_rows(s));
	json_end(&j);
}

static void types_text(struct session *s, const struct histogram *h)
{
	struct out *out = s->out;
	histogram_text(s, h, session_rows(s));
	out_printf(out, "\n%s %s objects, %s; of unknown type %s, %s (%s).\n",
		   word_count(h->all.objects).at,
		   s->o.garbage ? "unreachable" : "live",
		   word_size(h->all.bytes, out->exact).at,
		   word_count(h->untyped.objects).at,
		   word_size(h->untyped.bytes, out->exact).at,
		   word_percent(h->untyped.bytes, h->all.bytes).at);
	if (h->untyped.objects)
		out_text(out, "`heapcore objects --type '^unknown$'` lists "
			      "these.\n");
}

enum hc cmd_types(struct session *s)
{
	struct histogram h;
	HC_TRY(histogram_count(s, chosen(s), s->o.garbage, &h));
	HC_TRY(keeper_index_types(s, &h));
	if (s->o.json)
		types_json(s, &h);
	else
		types_text(s, &h);
	return HC_OK;
}
