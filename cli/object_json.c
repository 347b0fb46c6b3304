// object_json.c: one object in JSON.
#include "cli/object.h"

#include "cli/allocs.h"
#include "cli/paths.h"
#include "cli/stacks.h"
#include "cli/types.h"

// struct tree writes fields that come as a list with depths as a tree.
// Shape: depth counts the fields that are open.
#define DEPTH_MAX 16u
struct tree {
	struct json *j;
	struct session *s;
	uint64_t written, max;
	unsigned depth;
	bool has_fields[DEPTH_MAX + 1]; // the open field has begun its list
};

static void leave(struct tree *t, unsigned depth)
{
	for (; t->depth > depth; t->depth--) {
		if (t->has_fields[t->depth])
			json_close(t->j, ']');
		json_close(t->j, '}');
	}
}

static bool on_field(void *ctx, const struct heap_field *f)
{
	struct tree *t = ctx;
	if (t->written++ == t->max)
		return false;
	unsigned depth = f->depth < t->depth ? f->depth : t->depth;
	if (depth >= DEPTH_MAX)
		depth = DEPTH_MAX - 1;
	leave(t, depth);
	if (depth && !t->has_fields[depth]) {
		json_open(t->j, "fields", '[');
		t->has_fields[depth] = true;
	}
	json_open(t->j, NULL, '{');
	json_text(t->j, "name", f->name);
	json_u64(t->j, "offset", f->offset);
	json_text(t->j, "type", f->type);
	json_text(t->j, "value", f->value);
	t->depth = depth + 1;
	t->has_fields[t->depth] = false;
	return !out_stopped(t->s->out);
}

static void on_reference(void *ctx, struct heap_ref from, uint64_t offset,
			 struct heap_ref to)
{
	struct tree *t = ctx;
	struct session *s = t->s;
	if (t->written++ >= t->max)
		return;
	char *mark = pool_mark(&s->scratch);
	json_open(t->j, NULL, '{');
	json_text(t->j, "field", label_of(s, from, offset));
	json_u64(t->j, "offset", offset);
	json_addr(t->j, "to", heap_ref_at(s->heap, to));
	json_text(t->j, "type", type_of_object(s, to));
	json_close(t->j, '}');
	pool_rewind(&s->scratch, mark);
}

void referrers_json(struct json *j, struct session *s,
		    const struct heap_referrer *referrers, size_t n)
{
	json_open(j, "referrers", '[');
	for (size_t i = 0; i < n; i++) {
		const struct heap_referrer *r = &referrers[i];
		char *mark = pool_mark(&s->scratch);
		json_open(j, NULL, '{');
		json_addr(j, "from", heap_ref_at(s->heap, r->from));
		json_u64(j, "offset", r->offset);
		json_text(j, "field", label_of(s, r->from, r->offset));
		json_text(j, "type", type_of_object(s, r->from));
		json_close(j, '}');
		pool_rewind(&s->scratch, mark);
	}
	json_close(j, ']');
}

static bool allocated_json(void *ctx, const struct heap_alloc_site *site)
{
	struct json *j = ctx;
	json_open(j, "allocated", '{');
	json_addr(j, "site", site->at);
	json_u64(j, "requested_size", site->size);
	stack_json(j, site->frames, site->n_frames);
	json_close(j, '}');
	return false;
}

enum hc object_json(struct session *s, const struct object *o)
{
	struct json j;
	struct tree fields = { .j = &j, .s = s, .max = session_rows(s) };
	struct tree out = { .j = &j, .s = s, .max = session_rows(s) };
	char *mark = pool_mark(&s->scratch);
	json_begin(&j, s->out);
	json_addr(&j, "address", heap_ref_at(s->heap, o->ref));
	json_u64(&j, "size", o->region.slot);
	json_text(&j, "type", type_of_object(s, o->ref));
	pool_rewind(&s->scratch, mark);
	json_bool(&j, "live", o->live);
	json_bool(&j, "unswept", o->unswept);
	json_open(&j, "span", '{');
	json_addr(&j, "address", o->region.base);
	json_u64(&j, "slots", o->region.n_slots);
	json_u64(&j, "slot", o->ref.slot);
	json_bool(&j, "pointers", !(o->region.flags & HEAP_NOSCAN));
	json_close(&j, '}');
	alloc_of_object(s, heap_ref_at(s->heap, o->ref), allocated_json, &j);
	json_open(&j, "fields", '[');
	if (s->types && s->reader->fields)
		s->reader->fields(s->self, o->ref, on_field, &fields);
	leave(&fields, 0);
	json_close(&j, ']');
	json_open(&j, "references", '[');
	HC_TRY(object_references(s, o->ref, on_reference, &out));
	json_close(&j, ']');
	json_u64(&j, "referrers_count", o->all_referrers);
	referrers_json(&j, s, o->referrers, o->n_referrers);
	json_open(&j, "paths", '[');
	if (o->path.n_steps)
		HC_TRY(path_json(&j, s, &o->path));
	json_close(&j, ']');
	json_end(&j);
	return HC_OK;
}
