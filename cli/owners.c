// owners.c: see owners.h.
#include "cli/owners.h"

#include <stdio.h>

enum hc owners_open(struct session *s, struct owners *ret)
{
	*ret = (struct owners){ .s = s };
	if (!s->reader->owners || !s->reader->frames)
		return session_lacks(s, "goroutines");
	if (!s->o.with)
		return HC_OK;
	if (regcomp(&ret->with, s->o.with, REG_EXTENDED | REG_NOSUB))
		return hc_nomem(&s->err);
	ret->filters = true;
	return HC_OK;
}

void owners_close(struct owners *owners)
{
	if (owners->filters)
		regfree(&owners->with);
	owners->filters = false;
}

static bool matches(const struct owners *owners, const char *text)
{
	return text && regexec(&owners->with, text, 0, NULL, 0) == 0;
}

// struct frame_match is a search through one stack.
struct frame_match {
	const struct owners *owners;
	bool found;
};

static bool match_frame(void *ctx, const struct heap_frame *frame)
{
	struct frame_match *m = ctx;
	char place[512];
	snprintf(place, sizeof(place), "%s:%" PRIu32,
		 frame->file ? frame->file : "", frame->line);
	m->found = matches(m->owners, frame->function) ||
		   matches(m->owners, place);
	return !m->found;
}

static bool label_matches(const struct owners *owners,
			  const struct heap_owner *owner)
{
	char text[512];
	for (size_t i = 0; i < owner->n_labels; i++) {
		snprintf(text, sizeof(text), "%s=%s", owner->labels[i].key,
			 owner->labels[i].value);
		if (matches(owners, text))
			return true;
	}
	return false;
}

static bool is_wanted(struct owners *owners, const struct heap_owner *owner)
{
	struct session *s = owners->s;
	struct frame_match m = { owners, false };
	if (!owners->filters || matches(owners, owner->status) ||
	    matches(owners, owner->wait_reason) ||
	    matches(owners, owner->created_by) ||
	    label_matches(owners, owner))
		return true;
	s->reader->frames(s->self, owner->index, match_frame, &m);
	return m.found;
}

// struct turn is one pass over all owners.
struct turn {
	struct owners *owners;
	heap_owner_fn *fn;
	void *ctx;
	unsigned rank;
	bool stopped;
};

static unsigned rank_of(const struct heap_owner *owner)
{
	return owner->faulting ? 0 : owner->system ? 2 : 1;
}

static bool on_owner(void *ctx, const struct heap_owner *owner)
{
	struct turn *t = ctx;
	if (rank_of(owner) != t->rank || !is_wanted(t->owners, owner))
		return true;
	t->owners->matched++;
	t->stopped = !t->fn(t->ctx, owner);
	return !t->stopped;
}

void owners_each(struct owners *owners, heap_owner_fn *fn, void *ctx)
{
	struct session *s = owners->s;
	struct turn t = { owners, fn, ctx, 0, false };
	for (; t.rank < 3 && !t.stopped; t.rank++)
		s->reader->owners(s->self, on_owner, &t);
}
