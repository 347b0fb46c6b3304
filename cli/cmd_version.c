// cmd_version.c: `heapcore version`.
#include "cli/commands.h"

enum hc cmd_version(struct session *s)
{
	if (!s->o.json) {
		out_printf(s->out, "heapcore %s\n", HEAPCORE_VERSION);
		return HC_OK;
	}
	struct json j;
	json_begin(&j, s->out);
	json_end(&j);
	return HC_OK;
}
