// findings.c: see findings.h.
#include "cli/findings.h"

void findings_text(struct out *out, const struct findings *f, uint64_t max)
{
	for (uint64_t i = 0; i < f->n && i < max; i++) {
		out_printf(out, "%-15s ", f->at[i].kind);
		if (f->at[i].at)
			out_printf(out, "0x%" PRIx64 ": ", f->at[i].at);
		out_name(out, f->at[i].text);
		out_text(out, "\n");
	}
}

void findings_json(struct json *j, const struct findings *f, uint64_t max)
{
	for (uint64_t i = 0; i < f->n && i < max; i++) {
		json_open(j, NULL, '{');
		json_text(j, "kind", f->at[i].kind);
		if (f->at[i].at)
			json_addr(j, "address", f->at[i].at);
		else
			json_null(j, "address");
		json_text(j, "text", f->at[i].text);
		json_close(j, '}');
	}
}
