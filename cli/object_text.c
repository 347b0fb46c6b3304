// object_text.c: one object for people.
#include "cli/object.h"

#include "cli/allocs.h"
#include "cli/paths.h"
#include "cli/stacks.h"
#include "cli/types.h"

// struct listing is one of the lists of the page.
struct listing {
	struct session *s;
	const char *heading; // not printed yet
	uint64_t matched, max;
};

// begin_row says whether one more row is printed, and puts the heading first.
static bool begin_row(struct listing *l)
{
	if (l->matched++ >= l->max)
		return false;
	if (l->heading) {
		out_text(l->s->out, "\n");
		out_heading(l->s->out, l->heading);
	}
	l->heading = NULL;
	return true;
}

static void end_list(const struct listing *l)
{
	if (l->matched > l->max)
		out_printf(l->s->out, "  … %s more (-n all shows them)\n",
			   word_count(l->matched - l->max).at);
}

static bool on_field(void *ctx, const struct heap_field *f)
{
	struct listing *l = ctx;
	struct out *out = l->s->out;
	if (!begin_row(l))
		return !out_stopped(out);
	out_printf(out, "  +0x%-5" PRIx64 " ", f->offset);
	out_pad(out, 2 * (f->depth < 16 ? f->depth : 16));
	if (*f->name) {
		out_name(out, f->name);
		out_text(out, " ");
	}
	out_name(out, f->type);
	out_text(out, " = ");
	out_name(out, f->value);
	out_text(out, "\n");
	return !out_stopped(out);
}

static void on_reference(void *ctx, struct heap_ref from, uint64_t offset,
			 struct heap_ref to)
{
	struct listing *l = ctx;
	struct session *s = l->s;
	struct out *out = s->out;
	if (!begin_row(l))
		return;
	char *mark = pool_mark(&s->scratch);
	const char *label = label_of(s, from, offset);
	out_printf(out, "  +0x%-5" PRIx64 " -> 0x%" PRIx64 "  ", offset,
		   heap_ref_at(s->heap, to));
	out_name(out, type_of_object(s, to));
	if (*label) {
		out_text(out, "  by ");
		out_name(out, label);
	}
	out_text(out, "\n");
	pool_rewind(&s->scratch, mark);
}

static void referrers_text(struct session *s, const struct object *o)
{
	struct listing l = { s, "REFERRERS", 0, o->n_referrers };
	struct out *out = s->out;
	for (size_t i = 0; i < o->n_referrers && begin_row(&l); i++) {
		const struct heap_referrer *r = &o->referrers[i];
		char *mark = pool_mark(&s->scratch);
		const char *label = label_of(s, r->from, r->offset);
		out_printf(out, "  0x%" PRIx64 " +0x%" PRIx64 "  ",
			   heap_ref_at(s->heap, r->from), r->offset);
		out_name(out, type_of_object(s, r->from));
		if (*label) {
			out_text(out, "  by ");
			out_name(out, label);
		}
		out_text(out, "\n");
		pool_rewind(&s->scratch, mark);
	}
	l.matched = o->all_referrers;
	end_list(&l);
}

static void head_text(struct session *s, const struct object *o)
{
	struct out *out = s->out;
	taddr base = heap_ref_at(s->heap, o->ref);
	char *mark = pool_mark(&s->scratch);
	out_printf(out, "0x%" PRIx64 ": ", base);
	out_name(out, type_of_object(s, o->ref));
	out_printf(out, ", %s, %s\n", word_size(o->region.slot, out->exact).at,
		   o->live    ? "live" :
		   o->unswept ? "dead, unswept" :
				"garbage");
	out_printf(out, "slot %" PRIu32 " of %" PRIu32 " from 0x%" PRIx64
		   "%s\n", o->ref.slot, o->region.n_slots, o->region.base,
		   o->region.flags & HEAP_NOSCAN ? ", without pointers" : "");
	if (base != s->o.address) {
		const char *label = label_of(s, o->ref, s->o.address - base);
		out_printf(out, "0x%" PRIx64 " is byte 0x%" PRIx64 " of it",
			   s->o.address, s->o.address - base);
		out_text(out, *label ? ", " : "");
		out_name(out, label);
		out_text(out, "\n");
	}
	pool_rewind(&s->scratch, mark);
}

static bool allocated_text(void *ctx, const struct heap_alloc_site *site)
{
	struct session *s = ctx;
	out_text(s->out, "\n");
	out_heading(s->out, "ALLOCATED AT");
	for (uint32_t i = alloc_hidden(site->frames, site->n_frames);
	     i < site->n_frames; i++) {
		out_text(s->out, "  ");
		stack_frame_text(s->out, &site->frames[i]);
	}
	return false;
}

enum hc object_text(struct session *s, const struct object *o)
{
	struct listing fields = { s, "FIELDS", 0, session_rows(s) };
	struct listing out = { s, "REFERENCES", 0, session_rows(s) };
	head_text(s, o);
	if (s->types && s->reader->fields)
		s->reader->fields(s->self, o->ref, on_field, &fields);
	end_list(&fields);
	HC_TRY(object_references(s, o->ref, on_reference, &out));
	end_list(&out);
	referrers_text(s, o);
	alloc_of_object(s, heap_ref_at(s->heap, o->ref), allocated_text, s);
	if (!o->path.n_steps)
		return HC_OK;
	out_text(s->out, "\n");
	out_heading(s->out, "ALIVE BECAUSE OF");
	return path_text(s, &o->path);
}
