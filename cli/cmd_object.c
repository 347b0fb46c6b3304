// cmd_object.c: `heapcore object ADDR`: all about one object.
#include "cli/commands.h"
#include "cli/object.h"
#include "cli/types.h"

#define REFERRERS_SHOWN 10

enum hc cmd_object(struct session *s)
{
	struct object o;
	struct json j;
	uint64_t max = option_given(&s->o, TOP) ? s->o.top :
		       s->o.json		? UINT64_MAX :
						  REFERRERS_SHOWN;
	HC_TRY(types_try(s));
	HC_TRY(session_mark(s));
	enum hc found = object_find(s, s->o.address,
				    max < SIZE_MAX ? (size_t)max : SIZE_MAX,
				    &o);
	if (found == HC_FAIL)
		return found;
	if (found == HC_OK)
		return s->o.json ? object_json(s, &o) : object_text(s, &o);
	if (!s->o.json) {
		no_object_text(s, s->o.address);
		return HC_NONE;
	}
	json_begin(&j, s->out);
	json_null(&j, "address");
	json_end(&j);
	return HC_NONE;
}
