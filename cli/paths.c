// paths.c: see paths.h.
#include "cli/paths.h"

#include "cli/types.h"

#define STEPS_SHOWN 24 // of a long path: the first and the last half of these

static enum hc root_line(struct session *s, const struct heap_root *root)
{
	struct heap_root_text text = { 0 };
	struct out *out = s->out;
	char *mark = pool_mark(&s->scratch);
	HC_TRY(s->reader->root_text(s->self, root, &s->scratch, &text, &s->err));
	out_text(out, heap_root_kind_name((enum heap_root_kind)root->kind));
	out_text(out, " ");
	out_name(out, text.name);
	if (text.function) {
		out_text(out, " in ");
		out_name(out, text.function);
	}
	if (text.owner) {
		out_text(out, " of ");
		out_name(out, text.owner);
	}
	if (root->at)
		out_printf(out, "  (the word at 0x%" PRIx64 ")", root->at);
	out_text(out, "\n");
	pool_rewind(&s->scratch, mark);
	return HC_OK;
}

static void step_line(struct session *s, const struct heap_path *path,
		      size_t i)
{
	const struct heap_step *step = &path->steps[i];
	struct out *out = s->out;
	char *mark = pool_mark(&s->scratch);
	out_printf(out, "  -> %#-16" PRIx64 " %10s  ",
		   heap_ref_at(s->heap, step->object),
		   word_size(heap_ref_size(s->heap, step->object),
			     out->exact).at);
	out_name(out, type_of_object(s, step->object));
	out_text(out, "  ");
	if (i + 1 < path->n_steps) {
		const char *label = label_of(s, step->object, step->offset);
		if (*label)
			out_name(out, label);
		else
			out_printf(out, "its word at +0x%" PRIx64,
				   step->offset);
	} else {
		out_text(out, "this object");
	}
	out_text(out, "\n");
	pool_rewind(&s->scratch, mark);
}

enum hc path_text(struct session *s, const struct heap_path *path)
{
	size_t n = path->n_steps, half = STEPS_SHOWN / 2;
	bool whole = n <= STEPS_SHOWN + 1;
	HC_TRY(root_line(s, &path->root));
	for (size_t i = 0; i < n; i++) {
		if (whole || i < half || i >= n - half)
			step_line(s, path, i);
		else if (i == half)
			out_printf(s->out, "  … %s more steps (--json has "
				   "all)\n", word_count(n - 2 * half).at);
	}
	return HC_OK;
}

enum hc root_json(struct json *j, const char *key, struct session *s,
		  const struct heap_root *root)
{
	struct heap_root_text text = { 0 };
	char *mark = pool_mark(&s->scratch);
	HC_TRY(s->reader->root_text(s->self, root, &s->scratch, &text, &s->err));
	json_open(j, key, '{');
	json_text(j, "kind",
		  heap_root_kind_name((enum heap_root_kind)root->kind));
	json_text(j, "name", text.name);
	json_text(j, "owner", text.owner);
	json_text(j, "function", text.function);
	if (root->at)
		json_addr(j, "address", root->at);
	else
		json_null(j, "address");
	json_close(j, '}');
	pool_rewind(&s->scratch, mark);
	return HC_OK;
}

enum hc path_json(struct json *j, struct session *s,
		  const struct heap_path *path)
{
	json_open(j, NULL, '{');
	HC_TRY(root_json(j, "root", s, &path->root));
	json_open(j, "steps", '[');
	for (size_t i = 0; i < path->n_steps; i++) {
		const struct heap_step *step = &path->steps[i];
		json_open(j, NULL, '{');
		char *mark = pool_mark(&s->scratch);
		json_addr(j, "object", heap_ref_at(s->heap, step->object));
		json_text(j, "type", type_of_object(s, step->object));
		if (i + 1 < path->n_steps) {
			json_u64(j, "offset", step->offset);
			json_text(j, "field", label_of(s, step->object,
						       step->offset));
		}
		pool_rewind(&s->scratch, mark);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	return HC_OK;
}
