// clock.c: see clock.h.
#include "libheap/go/stacks/clock.h"

#include "libheap/go/heap/record.h"

#define MAX_PS 65536u
#define MAX_TIME (UINT64_C(1) << 62)

static void take(uint64_t *latest, uint64_t reading)
{
	if (reading < MAX_TIME && reading > *latest)
		*latest = reading;
}

uint64_t go_last_time(const struct go_process *process)
{
	unsigned word = core_info(process->core)->word;
	const struct go_globals *globals = &process->globals;
	struct go_record record;
	struct go_slice ps;
	struct hc_err why;
	uint64_t i, latest = 0;

	if (globals->at[G_sched] &&
	    go_record_view(process, globals->at[G_sched], S_schedt, &record,
			   &why) == HC_OK)
		take(&latest, go_rec(process, record, F_schedt_lastpoll));
	if (!globals->at[G_allp] ||
	    go_slice_at(process, globals->at[G_allp], word, &ps, &why))
		return latest;
	for (i = 0; i < ps.len && i < MAX_PS; i++) {
		taddr p;

		if (core_ptr(process->core, ps.at + i * word, &p, &why))
			break;
		if (p != 0 && go_record_view(process, p, S_p, &record,
					     &why) == HC_OK)
			take(&latest,
			     go_rec(process, record, F_p_sysmontick_schedwhen));
	}
	return latest;
}
