// keepertree.c: the tree of keepers for people: the largest, with what they
// retain below them, as far as a screen goes.
#include "cli/keepertree.h"

#include "cli/keepers.h"

#define DEPTH_SHOWN 12
#define BELOW_SHOWN 5  // of one keeper that is not the first
#define SHARE_SHOWN 50 // at least one in so many of all bytes

// struct level is one keeper whose parts are being printed.
struct level {
	struct heap_keeper *at;
	size_t n, next;
	uint64_t all, bytes; // of the keepers at this level, of those left
};

struct tree {
	struct session *s;
	struct heap_retained *r;
	uint64_t whole, rows;
	struct level level[DEPTH_SHOWN];
	unsigned depth;
};

// level_open goes below a keeper.
static enum hc level_open(struct tree *t, const struct heap_keeper *k,
			  size_t max)
{
	struct level *l = &t->level[t->depth];
	*l = (struct level){ .bytes = k->bytes - k->own_bytes };
	HC_TRY(heap_keepers_below(t->r, k, max, &t->s->pool, &l->at, &l->n,
				  &l->all, &t->s->err));
	t->depth++;
	return HC_OK;
}

static void indent(const struct tree *t)
{
	out_pad(t->s->out, 2 * ((size_t)t->depth - 1));
}

// level_close says what was left out of a level, and goes back up.
static void level_close(struct tree *t)
{
	struct level *l = &t->level[t->depth - 1];
	struct out *out = t->s->out;
	if (l->all > l->next) {
		out_printf(out, "%14s %14s %7s  ", "",
			   word_size(l->bytes, out->exact).at,
			   word_percent(l->bytes, t->whole).at);
		indent(t);
		out_printf(out, "… %s more\n",
			   word_count(l->all - l->next).at);
	}
	t->depth--;
}

// keeper_line prints the next keeper of the level on top.
static enum hc keeper_line(struct tree *t, const struct heap_keeper *k)
{
	keeper_numbers(t->s->out, k->objects, k->bytes, t->whole);
	indent(t);
	HC_TRY(keeper_text(t->s, k));
	out_text(t->s->out, "\n");
	t->rows -= t->rows > 0;
	return HC_OK;
}

enum hc keepers_tree(struct session *s, struct heap_retained *r,
		     const struct heap_keeper *top, uint64_t rows)
{
	struct tree *t = pool_new(&s->pool, struct tree, 1);
	if (!t)
		return hc_nomem(&s->err);
	t->s = s;
	t->r = r;
	t->whole = heap_keeper_all(r).bytes;
	t->rows = rows;
	out_heading(s->out, "       OBJECTS       RETAINED   SHARE  HOLDER");
	HC_TRY(level_open(t, top, rows < SIZE_MAX ? (size_t)rows : SIZE_MAX));
	while (t->depth > 0 && !out_stopped(s->out)) {
		struct level *l = &t->level[t->depth - 1];
		const struct heap_keeper *k = &l->at[l->next];
		bool small = t->depth > 1 &&
			     (l->next >= BELOW_SHOWN ||
			      (l->next < l->n &&
			       k->bytes < t->whole / SHARE_SHOWN));
		if (l->next == l->n || t->rows == 0 || small) {
			level_close(t);
			continue;
		}
		l->next++;
		l->bytes -= k->bytes;
		HC_TRY(keeper_line(t, k));
		if (t->depth < DEPTH_SHOWN && k->objects > 1 && t->rows &&
		    k->bytes >= t->whole / SHARE_SHOWN)
			HC_TRY(level_open(t, k, BELOW_SHOWN));
	}
	return HC_OK;
}
