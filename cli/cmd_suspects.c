// cmd_suspects.c: `heapcore suspects`: what may hold memory by mistake.
#include "cli/commands.h"
#include "cli/keepers.h"
#include "cli/paths.h"
#include "cli/stacks.h"
#include "cli/types.h"

#include <string.h>

#define USUAL_PERCENT 10
#define FRAMES_SHOWN 10

// path_to finds the shortest path to where it accumulates; false when the
// suspect is at no object.
static bool path_to(struct session *s, const struct heap_suspect *x,
		    struct heap_path **ret)
{
	const struct heap_keeper *k = x->has_point ? &x->point : &x->keeper;
	size_t n = 0;
	if (!x->has_keeper || k->kind != HEAP_KEEPER_OBJECT)
		return false;
	return heap_paths(s->heap, k->object, 1, false, &s->pool, ret, &n,
			  &s->err) == HC_OK && n > 0;
}

// struct stack_shown counts the frames of one owner.
struct stack_shown {
	struct session *s;
	struct json *json;
	unsigned n;
};

static bool on_frame(void *ctx, const struct heap_frame *frame)
{
	struct stack_shown *shown = ctx;
	if (shown->json) {
		stack_frame_json(shown->json, frame);
		return true;
	}
	out_text(shown->s->out, "    ");
	stack_frame_text(shown->s->out, frame);
	return ++shown->n < FRAMES_SHOWN;
}

// headline prints what is suspected, in one line.
static enum hc headline(struct session *s, const struct heap_suspects *all,
			const struct heap_suspect *x)
{
	struct out *out = s->out;
	struct word size = word_size(x->bytes, out->exact);
	struct word share = word_percent(x->bytes, all->live);
	if (strcmp(x->kind, "holder") == 0) {
		HC_TRY(keeper_text(s, &x->keeper));
		out_printf(out, " keeps %s, %s of all live memory.\n", size.at,
			   share.at);
	} else if (strcmp(x->kind, "type") == 0) {
		out_printf(out, "%s objects of type ", word_count(x->count).at);
		out_name(out, types_name(s, x->type));
		out_printf(out, " keep %s, %s of all live memory.\n", size.at,
			   share.at);
	} else if (strcmp(x->kind, "owners") == 0) {
		out_printf(out, "%s goroutines have the same stack (",
			   word_count(x->count).at);
		out_name(out, x->text);
		out_printf(out, "): %s with their stacks.\n", size.at);
	} else {
		out_name(out, x->text);
		out_printf(out, ": %s.\n", size.at);
	}
	return HC_OK;
}

static enum hc evidence(struct session *s, const struct heap_suspect *x)
{
	struct out *out = s->out;
	struct stack_shown shown = { .s = s };
	struct heap_path *path;
	if (x->has_point && x->type_bytes) {
		out_printf(out, "  It accumulates: %s objects of type ",
			   word_count(x->count).at);
		out_name(out, types_name(s, x->type));
		out_printf(out, " keep %s of it",
			   word_size(x->type_bytes, out->exact).at);
		if (x->point.kind == HEAP_KEEPER_OBJECT)
			out_printf(out, ", all below 0x%" PRIx64,
				   heap_ref_at(s->heap, x->point.object));
		out_text(out, ".\n");
	}
	if (x->waiting)
		out_printf(out, "  %s goroutine%s wait%s for something that it "
			   "holds.\n", word_count(x->waiting).at,
			   x->waiting == 1 ? "" : "s",
			   x->waiting == 1 ? "s" : "");
	if (x->owner != HEAP_NO_OWNER)
		s->reader->frames(s->self, x->owner, on_frame, &shown);
	if (path_to(s, x, &path)) {
		if (!x->has_point)
			out_text(out, "  One of them, with what keeps it:\n");
		HC_TRY(path_text(s, path));
	}
	return HC_OK;
}

static enum hc suspect_json(struct session *s, struct json *j,
			    const struct heap_suspect *x)
{
	struct stack_shown shown = { .s = s, .json = j };
	struct heap_path *path;
	json_open(j, NULL, '{');
	json_text(j, "kind", x->kind);
	json_text(j, "text", x->text);
	json_u64(j, "bytes", x->bytes);
	json_u64(j, "count", x->count);
	json_u64(j, "goroutines_waiting", x->waiting);
	if (x->has_keeper)
		HC_TRY(keeper_json(j, "holder", s, &x->keeper));
	if (x->has_point)
		HC_TRY(keeper_json(j, "point", s, &x->point));
	if (x->type_bytes) {
		json_text(j, "type", types_name(s, x->type));
		json_u64(j, "type_bytes", x->type_bytes);
	}
	json_open(j, "frames", '[');
	if (x->owner != HEAP_NO_OWNER)
		s->reader->frames(s->self, x->owner, on_frame, &shown);
	json_close(j, ']');
	json_open(j, "paths", '[');
	if (path_to(s, x, &path))
		HC_TRY(path_json(j, s, path));
	json_close(j, ']');
	json_close(j, '}');
	return HC_OK;
}

static enum hc suspects_json(struct session *s,
			     const struct heap_suspects *all, uint64_t max)
{
	struct json j;
	json_begin(&j, s->out);
	json_u64(&j, "live_bytes", all->live);
	json_open(&j, "suspects", '[');
	for (uint64_t i = 0; i < all->n && i < max; i++)
		HC_TRY(suspect_json(s, &j, &all->at[i]));
	json_close(&j, ']');
	json_end(&j);
	return HC_OK;
}

enum hc cmd_suspects(struct session *s)
{
	struct heap_suspects all;
	struct heap_retained *r;
	uint64_t percent = option_given(&s->o, THRESHOLD) ? s->o.threshold :
							    USUAL_PERCENT;
	uint64_t max = session_rows(s);
	HC_TRY(types_try(s)); // first: marking then goes on beside that
	HC_TRY(keepers_open(s, &r));
	HC_TRY(heap_suspects(s->heap, percent < 100 ? (unsigned)percent : 100,
			     &s->pool, &all, &s->err));
	session_phase(s, "look for suspects", all.n, "suspects");
	if (s->o.json)
		return suspects_json(s, &all, max);
	for (uint64_t i = 0; i < all.n && i < max; i++) {
		out_printf(s->out, i ? "\n%" PRIu64 ". " : "%" PRIu64 ". ",
			   i + 1);
		HC_TRY(headline(s, &all, &all.at[i]));
		HC_TRY(evidence(s, &all.at[i]));
	}
	if (all.n == 0)
		out_printf(s->out, "nothing keeps %" PRIu64 "%% of the live "
			   "memory (%s); --threshold 1 looks closer\n",
			   percent, word_size(all.live, s->out->exact).at);
	return HC_OK;
}
