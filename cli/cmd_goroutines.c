// cmd_goroutines.c: `heapcore goroutines`: what each was doing.
#include "cli/commands.h"
#include "cli/intern.h"
#include "cli/keeperindex.h"
#include "cli/owners.h"
#include "cli/pprof.h"
#include "cli/process.h"
#include "cli/stacks.h"

#define GOROUTINES_SHOWN 6 // with some frames each: a screenful
#define FRAMES_SHOWN 8
#define FRAMES_SHOWN_ASKED 100 // what the runtime's own traceback shows

// struct list is the state of one list, for people or for a program.
// Shape: lines, left_out and repeats are about the stack being printed; last
//        and line are its last frame, repeats how often that came again.
struct list {
	struct session *s;
	struct json *json;
	uint64_t shown, max;
	uint64_t lines, lines_max, left_out, repeats;
	struct interned names;
	const struct keeper_index *retained;
	const char *last;
	uint32_t line;
};

static void repeats_text(struct list *l)
{
	if (l->repeats && l->lines <= l->lines_max)
		out_printf(l->s->out, "    … the same again, %s time%s\n",
			   word_count(l->repeats).at,
			   l->repeats == 1 ? "" : "s");
	l->repeats = 0;
}

// frame_text prints a frame, once if it is a call of itself.
static bool frame_text(void *ctx, const struct heap_frame *frame)
{
	struct list *l = ctx;
	const char *function = intern(&l->names, frame->function);
	if (l->lines && function && function == l->last &&
	    frame->line == l->line) {
		l->repeats++;
		return !out_stopped(l->s->out);
	}
	repeats_text(l);
	l->last = function;
	l->line = frame->line;
	if (l->lines++ < l->lines_max) {
		out_text(l->s->out, "    ");
		stack_frame_text(l->s->out, frame);
	} else {
		l->left_out++;
	}
	return !out_stopped(l->s->out);
}

// state_text prints the line that the runtime's traceback would begin with.
static void state_text(struct out *out, const struct keeper_index *retained,
		       const struct heap_owner *o)
{
	out_printf(out, "%s %" PRIu64 " [", o->noun ? o->noun : "thread",
		   o->id);
	out_name(out, o->wait_reason && *o->wait_reason ? o->wait_reason :
							  o->status);
	if (o->wait_ns)
		out_printf(out, ", %s", word_time(o->wait_ns).at);
	out_text(out, "]");
	if (o->faulting)
		out_text(out, ", the one that died");
	if (o->system)
		out_text(out, ", the runtime's own");
	if (o->thread)
		out_printf(out, ", thread %" PRIu32, o->thread);
	out_printf(out, ", stack %s of %s",
		   word_size(o->stack_used, out->exact).at,
		   word_size(o->stack_high - o->stack_low, out->exact).at);
	if (retained->is)
		out_printf(out, ", alone keeps %s",
			   word_size(keeper_index_find(retained, o->index),
				     out->exact).at);
	out_text(out, "\n");
}

static void labels_text(struct out *out, const struct heap_owner *o)
{
	if (o->n_labels == 0)
		return;
	out_text(out, "    labels:");
	for (size_t i = 0; i < o->n_labels; i++) {
		out_text(out, i ? ", " : " ");
		out_name(out, o->labels[i].key);
		out_text(out, "=");
		out_name(out, o->labels[i].value);
	}
	out_text(out, "\n");
}

static void created_text(struct out *out, const struct heap_owner *o)
{
	if (!o->created_by)
		return;
	out_text(out, "    created by ");
	out_name(out, o->created_by);
	if (o->parent)
		out_printf(out, " in %s %" PRIu64, o->noun ? o->noun : "thread",
			   o->parent);
	if (o->created_file) {
		out_text(out, "  ");
		out_name(out, o->created_file);
		out_printf(out, ":%" PRIu32, o->created_line);
	}
	out_text(out, "\n");
}

static bool owner_text(void *ctx, const struct heap_owner *o)
{
	struct list *l = ctx;
	struct session *s = l->s;
	if (l->shown == l->max)
		return !out_stopped(s->out);
	if (l->shown++)
		out_text(s->out, "\n");
	l->lines = l->left_out = 0;
	l->lines_max = o->faulting || option_given(&s->o, TOP) ?
				FRAMES_SHOWN_ASKED :
				FRAMES_SHOWN;
	state_text(s->out, l->retained, o);
	labels_text(s->out, o);
	s->reader->frames(s->self, o->index, frame_text, l);
	repeats_text(l);
	if (l->left_out)
		out_printf(s->out, "    … %s more frame%s (-n 10 shows more, "
			   "--json all)\n", word_count(l->left_out).at,
			   l->left_out == 1 ? "" : "s");
	created_text(s->out, o);
	return !out_stopped(s->out);
}

static bool frame_json(void *ctx, const struct heap_frame *frame)
{
	struct list *l = ctx;
	stack_frame_json(l->json, frame);
	return !out_stopped(l->s->out);
}

static void origin_json(struct json *j, const struct heap_owner *o)
{
	json_text(j, "created_by", o->created_by);
	json_text(j, "created_file", o->created_file);
	json_u64(j, "created_line", o->created_line);
	json_u64(j, "parent", o->parent);
	json_open(j, "labels", '{');
	for (size_t i = 0; i < o->n_labels; i++)
		json_text(j, o->labels[i].key, o->labels[i].value);
	json_close(j, '}');
}

static bool owner_json(void *ctx, const struct heap_owner *o)
{
	struct list *l = ctx;
	struct json *j = l->json;
	if (l->shown == l->max)
		return false;
	l->shown++;
	json_open(j, NULL, '{');
	json_u64(j, "id", o->id);
	json_text(j, "status", o->status);
	json_text(j, "wait_reason", o->wait_reason);
	json_u64(j, "wait_ns", o->wait_ns);
	if (o->waits_on)
		json_addr(j, "waits_on", o->waits_on);
	else
		json_null(j, "waits_on");
	json_bool(j, "system", o->system);
	json_bool(j, "faulting", o->faulting);
	json_u64(j, "thread", o->thread);
	json_open(j, "stack", '{');
	json_addr(j, "low", o->stack_low);
	json_addr(j, "high", o->stack_high);
	json_u64(j, "used_bytes", o->stack_used);
	json_close(j, '}');
	if (l->retained->is)
		json_u64(j, "retained_bytes",
			 keeper_index_find(l->retained, o->index));
	origin_json(j, o);
	json_open(j, "frames", '[');
	l->s->reader->frames(l->s->self, o->index, frame_json, l);
	json_close(j, ']');
	json_close(j, '}');
	return !out_stopped(l->s->out);
}

static void list_json(struct session *s, struct owners *owners,
		      const struct keeper_index *retained)
{
	struct json j;
	struct list l = { .s = s, .json = &j, .retained = retained,
			  .max = session_rows(s) };
	json_begin(&j, s->out);
	json_open(&j, "goroutines", '[');
	owners_each(owners, owner_json, &l);
	json_close(&j, ']');
	json_end(&j);
}

static enum hc list_text(struct session *s, struct owners *owners,
			 const struct keeper_index *retained)
{
	struct heap_identity who;
	struct list l = { .s = s, .names.pool = &s->pool,
			  .retained = retained };
	const struct core_info *info = core_info(s->core);
	l.max = option_given(&s->o, TOP) ? s->o.top : GOROUTINES_SHOWN;
	HC_TRY(s->reader->identity(s->self, &who, &s->err));
	if (info->signal) {
		const char *cause = process_signal_cause(info);
		out_printf(s->out, "killed by %s%s%s\n",
			   process_signal(info->signal).at, cause ? ": " : "",
			   cause ? cause : "");
	}
	if (who.crash) {
		out_name(s->out, who.crash);
		out_text(s->out, "\n");
	}
	if (info->signal || who.crash)
		out_text(s->out, "\n");
	owners_each(owners, owner_text, &l);
	if (owners->matched > l.shown)
		out_printf(s->out, "\n… %s more goroutines (-n all shows them, "
			   "--group merges equal stacks)\n",
			   word_count(owners->matched - l.shown).at);
	if (owners->matched == 0)
		out_text(s->out, "no such goroutine\n");
	return HC_OK;
}

enum hc cmd_goroutines(struct session *s)
{
	struct owners owners;
	struct keeper_index retained;
	enum hc answer = HC_OK;
	HC_TRY(keeper_index_open(s, true, &retained));
	HC_TRY(owners_open(s, &owners));
	if (s->o.pprof)
		answer = pprof_goroutines(s, &owners);
	else if (s->o.group || s->o.folded)
		answer = stacks_group(s, &owners);
	else if (s->o.json)
		list_json(s, &owners, &retained);
	else
		answer = list_text(s, &owners, &retained);
	session_phase(s, "walk the stacks", owners.matched, "goroutines");
	owners_close(&owners);
	return answer;
}
