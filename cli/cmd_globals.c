// cmd_globals.c: `heapcore globals`: the package variables.
#include "cli/commands.h"
#include "cli/keeperindex.h"
#include "cli/types.h"

#include <regex.h>

// struct listing is the state of one list.
struct listing {
	struct session *s;
	struct json json;
	regex_t regex;
	struct keeper_index retained;
	uint64_t matched, max;
};

static bool on_global(void *ctx, const struct heap_global *g)
{
	struct listing *l = ctx;
	struct session *s = l->s;
	struct out *out = s->out;
	if (s->o.type && regexec(&l->regex, g->type, 0, NULL, 0))
		return true;
	if (l->matched++ >= l->max)
		return true;
	if (s->o.json) {
		json_open(&l->json, NULL, '{');
		json_text(&l->json, "name", g->name);
		json_text(&l->json, "type", g->type);
		json_u64(&l->json, "size", g->size);
		json_addr(&l->json, "address", g->at);
		if (l->retained.is)
			json_u64(&l->json, "retained_bytes",
				 keeper_index_find(&l->retained, g->at));
		json_close(&l->json, '}');
		return !out_stopped(out);
	}
	out_printf(out, "%#-16" PRIx64 " %12s  ", g->at,
		   word_size(g->size, out->exact).at);
	if (l->retained.is)
		out_printf(out, "%12s  ",
			   word_size(keeper_index_find(&l->retained, g->at),
				     out->exact).at);
	out_name(out, g->name);
	out_text(out, "  ");
	out_name(out, g->type);
	out_text(out, "\n");
	return !out_stopped(out);
}

enum hc cmd_globals(struct session *s)
{
	struct listing l = { .s = s, .max = session_rows(s) };
	if (!s->reader->globals)
		return session_lacks(s, "package variables");
	if (s->o.type &&
	    regcomp(&l.regex, s->o.type, REG_EXTENDED | REG_NOSUB))
		return hc_nomem(&s->err);
	// Where debug information is missing, what a word leads to tells its
	// type.
	HC_TRY(types_try(s));
	HC_TRY(keeper_index_open(s, false, &l.retained));
	if (s->o.json) {
		json_begin(&l.json, s->out);
		json_open(&l.json, "globals", '[');
	}
	s->reader->globals(s->self, on_global, &l);
	if (s->o.type)
		regfree(&l.regex);
	if (s->o.json) {
		json_close(&l.json, ']');
		json_end(&l.json);
	} else if (l.matched == 0) {
		out_text(s->out, "no such variables\n");
	} else if (l.matched > l.max) {
		out_printf(s->out, "… %s more variables (-n all shows them)\n",
			   word_count(l.matched - l.max).at);
	}
	return HC_OK;
}
