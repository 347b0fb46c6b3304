// frames.c: the logical frames of goroutines.
#include "libheap/go/stacks/goroutines.h"
#include "libheap/go/stacks/start.h"

#define MAX_LINES 256 // inlined calls at one pc

// lines_at returns the logical frames of a physical one, from the table when
// they are there. buffer has MAX_LINES of room.
static unsigned lines_at(const struct go_process *process,
			 const struct go_frame *frame, struct go_line *buffer,
			 const struct go_line **ret)
{
	struct go_pc *at = frame->at;
	taddr look = go_frame_look(frame);
	unsigned n;

	*ret = buffer;
	if (look == frame->pc) // interrupted there: not the usual look-up
		return go_lines(process, &at->fn, look, buffer, MAX_LINES);
	if (at->n_lines == 0) {
		n = go_lines(process, &at->fn, look, buffer, MAX_LINES);
		if (n == 0 || n > GO_PC_LINES)
			return n;
		memcpy(at->line, buffer, n * sizeof(*buffer));
		at->n_lines = (uint8_t)n;
	}
	*ret = at->line;
	return at->n_lines;
}

// put_frame shows wrappers too, as the traceback of a crash does.
// Source: runtime/traceback.go, showfuncinfo (1.18–1.27).
static bool put_frame(const struct go_process *process,
		      const struct go_frame *frame, heap_frame_fn *fn,
		      void *ctx)
{
	struct go_line buffer[MAX_LINES];
	const struct go_line *line;
	unsigned i, n = lines_at(process, frame, buffer, &line);

	for (i = 0; i < n; i++)
		if (!fn(ctx, &(struct heap_frame){
				     .function = line[i].function,
				     .file = line[i].file,
				     .line = line[i].line,
				     .pc = frame->pc,
				     .sp = frame->sp,
				     .fp = frame->fp,
				     .inlined = line[i].inlined,
			     }))
			return false;
	return true;
}

void go_frames(struct go_process *process, uint32_t owner, heap_frame_fn *fn,
	       void *ctx)
{
	struct go_start start;
	struct go_unwind u;
	struct hc_err why;
	struct go_g g;

	if (!process->modules[0].n_funcs || // a finding says so once
	    owner >= process->threads->n_gs ||
	    go_g_open(process, owner, &g, &why) ||
	    go_start_of(process, &g, &start))
		return;
	go_walk_goroutine(process, &g, &start, &u);
	while (go_unwind_next(&u))
		if (!put_frame(process, &u.frame, fn, ctx))
			return;
	if (u.end == GO_END_BROKEN && !go_g_told(process, owner))
		findings_add(process->findings, "bad stack", u.why_at,
			     "goroutine %" PRIu64 ": %s", g.id, u.why);
}
